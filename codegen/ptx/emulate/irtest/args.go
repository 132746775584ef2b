package irtest

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
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
