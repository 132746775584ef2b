package irtest

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// memory is a slice of the test on the device.
type memory struct {
	name  string
	addr  uint64
	data  []byte
	slice any
}

// store writes the bytes back into the test's slice.
func (m *memory) store() {
	// Decode fails only for types that encode, which took the same slice, has refused.
	_, _ = binary.Decode(m.data, binary.LittleEndian, m.slice)
}

// Boxes is the argument for a tensor map: the slice is the tensor's memory, and Map says how it lies there. The address in
// Map is set by the run.
type Boxes struct {
	Slice any
	Map   emulate.TensorMap
}

// Tensor is the argument for a tensor map whose box the kernel declares: the slice is the tensor's memory, Dims are its
// sizes, innermost first, and Strides the bytes between neighbours in the dimensions behind the first.
type Tensor struct {
	Slice   any
	Dims    []int
	Strides []int
}

// boxes adds what the kernel's parameter says.
func (x Tensor) boxes(t testing.TB, p *ir.ParamDecl) Boxes {
	t.Helper()
	if p.Box == nil {
		t.Fatalf("parameter %q declares no box: pass irtest.Boxes", p.Name)
	}
	if len(x.Dims) != len(p.Box.Dims) || len(x.Strides) != len(x.Dims)-1 {
		t.Fatalf("parameter %q: %d sizes and %d strides for a box of %d dimensions", p.Name, len(x.Dims), len(x.Strides), len(p.Box.Dims))
	}
	m := emulate.TensorMap{Type: mapTypes[p.Box.Elem], Rank: len(x.Dims), Swizzle: mapSwizzles[p.Box.Swizzle], FillNaN: p.Box.FillNaN}
	for i, d := range x.Dims {
		m.Dims[i], m.Box[i], m.ElementStrides[i] = uint64(d), uint32(p.Box.Dims[i]), 1
	}
	for i, n := range x.Strides {
		m.Strides[i] = uint64(n)
	}
	return Boxes{x.Slice, m}
}

var (
	mapTypes = map[ir.Kind]emulate.MapType{op.U8: emulate.MapU8, op.E4M3: emulate.MapU8, op.E5M2: emulate.MapU8, op.U16: emulate.MapU16, op.F16: emulate.MapF16,
		op.BF16: emulate.MapBF16, op.F32: emulate.MapF32, op.U32: emulate.MapU32, op.S32: emulate.MapS32, op.F64: emulate.MapF64}
	mapSwizzles = map[ir.Swizzle]emulate.MapSwizzle{ir.Swizzle32B: emulate.Swizzle32B, ir.Swizzle64B: emulate.Swizzle64B, ir.Swizzle128B: emulate.Swizzle128B}
)

// params makes the parameter block, and device memory for slices.
func (p *program) params(t testing.TB, dev *emulate.Device, args []any) ([]byte, []memory) {
	t.Helper()
	if len(args) != len(p.code.Params) {
		t.Fatalf("%s has %d parameters, the test gives %d", p.code.Name, len(p.code.Params), len(args))
	}
	block := make([]byte, p.code.ParamBytes())
	var all []memory
	for i, param := range p.code.Params {
		name := p.ir.Params[i].Name
		value := args[i]
		if x, ok := value.(Tensor); ok {
			value = x.boxes(t, p.ir.Params[i])
		}
		boxes, isMap := value.(Boxes)
		if isMap {
			value = boxes.Slice
		}
		v := reflect.ValueOf(value)
		switch {
		case value == nil:
			value = uint64(0)
		case v.Kind() == reflect.Slice:
			m := memory{name: name, data: encode(t, name, value), slice: value}
			m.place(t, dev)
			all = append(all, m)
			value = m.addr
		}
		if addr, ok := value.(uint64); ok && isMap {
			value = boxes.encode(t, name, addr)
		}
		b := encode(t, name, value)
		if len(b) != param.Size {
			t.Fatalf("parameter %q of %s has %d bytes, a %T has %d", name, p.code.Name, param.Size, args[i], len(b))
		}
		copy(block[param.Offset:], b)
	}
	return block, all
}

func (b Boxes) encode(t testing.TB, name string, addr uint64) [emulate.TensorMapBytes]byte {
	t.Helper()
	b.Map.Address = addr
	encoded, err := b.Map.Encode()
	if err != nil {
		t.Fatalf("parameter %q: %v", name, err)
	}
	return encoded
}

func (m *memory) place(t testing.TB, dev *emulate.Device) {
	t.Helper()
	addr, err := dev.Alloc(m.name, uint64(len(m.data)))
	if err == nil {
		err = dev.Write(addr, m.data)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.addr = addr
}

// encode is the little-endian form of a value or slice of fixed size.
func encode(t testing.TB, name string, value any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, value); err != nil {
		t.Fatalf("parameter %q: %v", name, err)
	}
	return b.Bytes()
}
