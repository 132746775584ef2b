package cubin

import (
	"encoding/binary"
	"fmt"
)

// Attributes of .nv.info and .nv.info.<entry> that are read here. NVIDIA documents the names (nvdisasm prints them),
// not the numbers; every number below is checked in a test against what ptxas -v reports for the same kernel.
const (
	attrFrameSize   = 0x11 // per function: bytes of local memory
	attrRegCount    = 0x2f
	attrNumBarriers = 0x4c
	attrParamCBank  = 0x0a // constant bank offset and size of the parameters
)

// Formats of an attribute: how its value is stored.
const (
	formatNone  = 1
	formatByte  = 2
	formatHalf  = 3
	formatSized = 4
)

// attribute is one record of an info section.
type attribute struct {
	code  byte
	value []byte // one, two, or any number of bytes
}

// parseAttributes splits an info section. A record is a format byte, a code byte, two value bytes; the sized format
// uses these as the length of what follows.
func parseAttributes(d []byte) ([]attribute, error) {
	var all []attribute
	for len(d) > 0 {
		if len(d) < 4 {
			return nil, fmt.Errorf("%w: %d stray bytes after the last attribute", ErrNotCubin, len(d))
		}
		format, a := d[0], attribute{code: d[1]}
		switch format {
		case formatNone:
			d = d[4:]
		case formatByte:
			a.value, d = d[2:3], d[4:]
		case formatHalf:
			a.value, d = d[2:4], d[4:]
		case formatSized:
			n := int(binary.LittleEndian.Uint16(d[2:]))
			if 4+n > len(d) {
				return nil, fmt.Errorf("%w: attribute %#x is %d bytes long, %d are left", ErrNotCubin, a.code, n, len(d)-4)
			}
			a.value, d = d[4:4+n], d[4+n:]
		default:
			return nil, fmt.Errorf("%w: attribute format %d", ErrNotCubin, format)
		}
		all = append(all, a)
	}
	return all, nil
}

// perFunction reads a value of the form (symbol index, number).
func (a attribute) perFunction() (symbol, value uint32, ok bool) {
	if len(a.value) < 8 {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint32(a.value), binary.LittleEndian.Uint32(a.value[4:]), true
}
