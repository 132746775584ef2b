package oxrt

import (
	"encoding/binary"
	"math"
)

// MaxParamBytes is the room of a Params buffer; a kernel with more parameters than that is refused at load.
const MaxParamBytes = 1024

// Params is the flat parameter buffer of one launch. It is a plain value to be declared on the caller's stack; the offsets
// come from the artifact's ParamInfo. A Put outside the buffer is remembered and refused by [Scope.Launch].
type Params struct {
	buf [MaxParamBytes]byte
	end uint32
	bad bool
}

// Reset empties the buffer for another launch.
func (p *Params) Reset() {
	clear(p.buf[:p.end])
	p.end, p.bad = 0, false
}

// Bytes returns what has been put so far, up to the highest offset.
func (p *Params) Bytes() []byte { return p.buf[:p.end] }

func (p *Params) room(offset, size uint32) []byte {
	if offset > MaxParamBytes-size || offset%size != 0 {
		p.bad = true
		return nil
	}
	p.end = max(p.end, offset+size)
	return p.buf[offset : offset+size]
}

// PutPtr stores a device address.
func (p *Params) PutPtr(offset uint32, v DevicePtr) { p.PutU64(offset, uint64(v)) }

// PutU64 stores 8 bytes.
func (p *Params) PutU64(offset uint32, v uint64) {
	if b := p.room(offset, 8); b != nil {
		binary.LittleEndian.PutUint64(b, v)
	}
}

// PutU32 stores 4 bytes.
func (p *Params) PutU32(offset uint32, v uint32) {
	if b := p.room(offset, 4); b != nil {
		binary.LittleEndian.PutUint32(b, v)
	}
}

// PutU16 stores 2 bytes: also the bit patterns of f16 and bf16.
func (p *Params) PutU16(offset uint32, v uint16) {
	if b := p.room(offset, 2); b != nil {
		binary.LittleEndian.PutUint16(b, v)
	}
}

// PutU8 stores one byte.
func (p *Params) PutU8(offset uint32, v uint8) {
	if b := p.room(offset, 1); b != nil {
		b[0] = v
	}
}

func readPtr(b []byte) DevicePtr     { return DevicePtr(binary.LittleEndian.Uint64(b)) }
func writePtr(b []byte, p DevicePtr) { binary.LittleEndian.PutUint64(b, uint64(p)) }

// PutI64 stores 8 bytes.
func (p *Params) PutI64(offset uint32, v int64) { p.PutU64(offset, uint64(v)) }

// PutI32 stores 4 bytes.
func (p *Params) PutI32(offset uint32, v int32) { p.PutU32(offset, uint32(v)) }

// PutI16 stores 2 bytes.
func (p *Params) PutI16(offset uint32, v int16) { p.PutU16(offset, uint16(v)) }

// PutI8 stores one byte.
func (p *Params) PutI8(offset uint32, v int8) { p.PutU8(offset, uint8(v)) }

// PutF64 stores 8 bytes.
func (p *Params) PutF64(offset uint32, v float64) { p.PutU64(offset, math.Float64bits(v)) }

// PutF32 stores 4 bytes.
func (p *Params) PutF32(offset uint32, v float32) { p.PutU32(offset, math.Float32bits(v)) }

// PutBytes stores an opaque block, for example a 128-byte tensor map. align is the parameter's alignment.
func (p *Params) PutBytes(offset, align uint32, v []byte) {
	if len(v) > MaxParamBytes || offset > MaxParamBytes-uint32(len(v)) || align == 0 || offset%align != 0 {
		p.bad = true
		return
	}
	p.end = max(p.end, offset+uint32(len(v)))
	copy(p.buf[offset:], v)
}
