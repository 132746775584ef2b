package probes

import (
	"encoding/binary"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// mapElement is an element type of tensor maps.
type mapElement struct {
	name string
	typ  emulate.MapType
	size int
}

var mapElements = []mapElement{
	{"u8", emulate.MapU8, 1}, {"u16", emulate.MapU16, 2}, {"u32", emulate.MapU32, 4}, {"s32", emulate.MapS32, 4}, {"u64", emulate.MapU64, 8}, {"s64", emulate.MapS64, 8},
	{"f16", emulate.MapF16, 2}, {"f32", emulate.MapF32, 4}, {"f64", emulate.MapF64, 8}, {"bf16", emulate.MapBF16, 2},
	{"f32ftz", emulate.MapF32Ftz, 4}, {"tf32", emulate.MapTF32, 4}, {"tf32ftz", emulate.MapTF32Ftz, 4},
}

func mapElementOf(name string) mapElement {
	for _, e := range mapElements {
		if e.name == name {
			return e
		}
	}
	panic("probes: no map has elements " + name)
}

var (
	swizzles     = []emulate.MapSwizzle{emulate.SwizzleNone, emulate.Swizzle32B, emulate.Swizzle64B, emulate.Swizzle128B}
	swizzleNames = []string{"sw0", "sw32", "sw64", "sw128"}
)

// tileBytes holds the largest box.
const tileBytes = 8192

// plan is a tensor with a box of a few elements in every dimension: a row of rowBytes, and a tensor that is a little larger.
type plan struct {
	mapElement
	m     emulate.TensorMap
	bytes int // of the box
	reach int // bytes of shared memory from its start to its end: short rows of a swizzled box begin a span each
	total int // of the tensor's memory
}

func newPlan(e mapElement, rank int, swizzle emulate.MapSwizzle, rowBytes int) *plan {
	p := &plan{mapElement: e, m: emulate.TensorMap{Type: e.typ, Rank: rank, Swizzle: swizzle}, bytes: rowBytes}
	inner := rowBytes / e.size
	p.m.Dims[0], p.m.Box[0] = uint64(inner+inner/2+1), uint32(inner)
	pitch := uint64(p.m.Dims[0])*uint64(e.size) + 16
	for i := range p.m.ElementStrides {
		p.m.ElementStrides[i] = 1
	}
	for i, n := range []uint32{5, 3, 2, 2}[:rank-1] {
		pitch = (pitch + 15) &^ 15
		p.m.Box[i+1], p.m.Dims[i+1], p.m.Strides[i] = n, uint64(n+2), pitch
		pitch *= uint64(n + 2)
		p.bytes *= int(n)
	}
	p.total = int(pitch+255) &^ 255
	p.reach = p.bytes
	if swizzle != emulate.SwizzleNone {
		p.reach = p.bytes / rowBytes * (16 << swizzle)
	}
	return p
}

// rowsOf are lengths of a box's rows: as long as the swizzle goes, and shorter.
func rowsOf(swizzle emulate.MapSwizzle, turn int) []int {
	switch swizzle {
	case emulate.SwizzleNone:
		return []int{64, []int{16, 48, 112}[turn%3]}
	case emulate.Swizzle32B:
		return []int{32, 16}
	case emulate.Swizzle64B:
		return []int{64, []int{16, 32, 48}[turn%3]}
	}
	return []int{128, []int{16, 32, 48, 64, 80, 96, 112}[turn%7]}
}

type start [5]int32

// aligned rounds a start in dimension 0 down to what the copy engine takes: multiples of 16 bytes.
func (p *plan) aligned(x int) int32 {
	step := 16 / p.size
	for x%step != 0 {
		x--
	}
	return int32(x)
}

// inside is a box that lies in the tensor.
func (p *plan) inside() (s start) {
	s[0] = int32(16 / p.size)
	for i := 1; i < p.m.Rank; i++ {
		s[i] = 1
	}
	return s
}

// high are boxes over the end of each dimension, of all, and beyond.
func (p *plan) high() (out []start) {
	all, beyond := p.inside(), p.inside()
	for i := range p.m.Rank {
		s := p.inside()
		s[i] = int32(int(p.m.Dims[i]) - int(p.m.Box[i])/2)
		beyond[i] = int32(p.m.Dims[i])
		if i == 0 {
			s[0], beyond[0] = p.aligned(int(s[0])), p.aligned(int(p.m.Dims[0])+16)
		}
		all[i] = s[i]
		out = append(out, s)
	}
	return append(out, all, beyond)
}

// low are boxes before the start of each dimension, of all, and beyond.
func (p *plan) low() (out []start) {
	all, beyond := p.inside(), p.inside()
	for i := range p.m.Rank {
		s := p.inside()
		s[i] = -int32(p.m.Box[i]+1) / 2
		beyond[i] = -int32(p.m.Box[i])
		if i == 0 {
			s[0], beyond[0] = p.aligned(int(s[0])), p.aligned(int(beyond[0]))
		}
		all[i] = s[i]
		out = append(out, s)
	}
	return append(out, all, beyond)
}

// starts is an argument: five coordinates for each box.
func starts(list ...start) Arg {
	var b []byte
	for _, s := range list {
		for _, x := range s {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
	}
	return Arg{Data: b}
}
