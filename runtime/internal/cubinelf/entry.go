package cubinelf

import (
	"encoding/binary"
	"sort"
)

// Entry is what .nv.info.<name> says about one kernel.
type Entry struct {
	Params     []Param
	ParamBytes uint32
	Block      [3]uint32 // .reqntid, zero if the kernel does not fix its block
	MaxThreads [3]uint32 // .maxntid, zero if not given
}

// Param is one parameter of the flat buffer.
type Param struct{ Offset, Size uint32 }

// Attribute formats and numbers of .nv.info.
const (
	formatHalf = 3 // a 16-bit value follows
	formatSize = 4 // a 16-bit size and that many bytes follow

	attrMaxThreads = 0x05
	attrReqThreads = 0x10
	attrParamInfo  = 0x17
	attrParamBytes = 0x19
)

// Entry returns the facts of a kernel and whether the cubin defines it.
func (f *File) Entry(name string) (Entry, bool) {
	if !f.hasFunction(name) {
		return Entry{}, false
	}
	s := f.section(".nv.info." + name)
	if s == nil || f.section(".text."+name) == nil {
		return Entry{}, false
	}
	return parseInfo(s.data), true
}

func (f *File) hasFunction(name string) bool {
	symbols := f.section(".symtab")
	if symbols == nil || int(symbols.link) >= len(f.sections) {
		return false
	}
	names := f.sections[symbols.link].data
	const functionType = 2
	for b := symbols.data; len(b) >= symbolBytes; b = b[symbolBytes:] {
		if b[4]&0xf == functionType && cstring(names, binary.LittleEndian.Uint32(b)) == name {
			return true
		}
	}
	return false
}

func parseInfo(b []byte) Entry {
	le := binary.LittleEndian
	type indexed struct {
		ordinal uint16
		Param
	}
	var e Entry
	var params []indexed
	for len(b) >= 4 {
		format, attr, half := b[0], b[1], le.Uint16(b[2:])
		b = b[4:]
		var value []byte
		if format == formatSize {
			if int(half) > len(b) {
				break
			}
			value, b = b[:half], b[half:]
		}
		switch {
		case attr == attrParamBytes && format == formatHalf:
			e.ParamBytes = uint32(half)
		case attr == attrReqThreads && len(value) == 12:
			e.Block = words3(value)
		case attr == attrMaxThreads && len(value) == 12:
			e.MaxThreads = words3(value)
		case attr == attrParamInfo && len(value) == 12:
			// index u32, ordinal u16, offset u16, then the size in bits 18..31 of the last word.
			params = append(params, indexed{le.Uint16(value[4:]), Param{uint32(le.Uint16(value[6:])), le.Uint32(value[8:]) >> 18}})
		}
	}
	sort.Slice(params, func(i, j int) bool { return params[i].ordinal < params[j].ordinal })
	for _, p := range params {
		e.Params = append(e.Params, p.Param)
	}
	return e
}

func words3(b []byte) [3]uint32 {
	le := binary.LittleEndian
	return [3]uint32{le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])}
}
