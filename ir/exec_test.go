package ir_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/pass"
)

// A machine runs kernels on the emulated device, from their PTX text.
type machine struct {
	t   *testing.T
	raw bool // lower without passes
	dev *emulate.Device
	ran map[string]bool // ops that some kernel had
}

func newMachine(t *testing.T) *machine {
	return &machine{t: t, dev: emulate.NewDevice(emulate.Config{}), ran: map[string]bool{}}
}

// buffer is device memory that is written before and read after a launch.
type buffer struct{ data []byte }

// run launches a kernel; args are *buffer, uint32, uint64, int32 or float32, in the order of the parameters.
func (m *machine) run(k *ir.Kernel, grid [3]uint32, args ...any) {
	m.t.Helper()
	k.Body.Walk(func(o *ir.Op) bool {
		m.ran[o.Info.Name] = true
		return true
	})
	if !m.raw {
		pass.Optimise(k, func(p pass.Pass) {
			if found := ir.Verify(k); len(found) > 0 {
				m.t.Fatalf("after %s: %v\n%v", p.Name, ir.Findings(found), k)
			}
		})
	}
	res, err := lower.Kernel(k)
	if err != nil {
		m.t.Fatalf("%v\n%v", err, k)
	}
	text, _ := ptx.Print(res.Module)
	mod, err := ptx.Parse(text)
	if err != nil {
		m.t.Fatalf("%v\n%s", err, text)
	}
	prog, err := emulate.Load(mod)
	if err != nil {
		m.t.Fatalf("%v\n%s", err, text)
	}
	block, addrs := m.params(k, args)
	b := k.Block()
	cfg := emulate.LaunchConfig{Grid: grid, Block: [3]uint32{uint32(b[0]), uint32(b[1]), uint32(b[2])},
		Dynamic: uint32(k.Contract.DynamicSharedBytes), Dependent: k.Contract.ProgrammaticLaunch, HasCluster: k.Contract.Cluster != [3]int{}}
	for i, n := range k.Contract.Cluster {
		cfg.Cluster[i] = uint32(n)
	}
	out, err := m.dev.Launch(prog.Kernel(k.Name), cfg, block)
	if err == nil {
		err = out.Err()
	}
	if err != nil {
		m.t.Fatalf("%v\n%v\n%s", err, k, text)
	}
	for i, a := range args {
		if buf, ok := a.(*buffer); ok {
			m.check(m.dev.Read(addrs[i], buf.data))
			m.check(m.dev.Free(addrs[i]))
		}
	}
}

func (m *machine) check(err error) {
	if err != nil {
		m.t.Helper()
		m.t.Fatal(err)
	}
}

func (m *machine) params(k *ir.Kernel, args []any) (block []byte, addrs []uint64) {
	if len(args) != len(k.Params) {
		m.t.Fatalf("%s has %d parameters, not %d", k.Name, len(k.Params), len(args))
	}
	addrs = make([]uint64, len(args))
	for i, a := range args {
		size := 4
		var bits uint64
		switch v := a.(type) {
		case *boxes:
			v.tensor.Address = addrs[v.of]
			encoded, err := v.tensor.Encode()
			m.check(err)
			if !v.stored {
				for len(block)%ir.TensorMapAlign != 0 {
					block = append(block, 0)
				}
				block = append(block, encoded[:]...)
				continue
			}
			bits, size = m.place(k.Params[i].Name, encoded[:]), 8
		case *buffer:
			addrs[i] = m.place(k.Params[i].Name, v.data)
			bits, size = addrs[i], 8
		case uint32:
			bits = uint64(v)
		case int32:
			bits = uint64(uint32(v))
		case float32:
			bits = uint64(math.Float32bits(v))
		case uint64:
			bits, size = v, 8
		default:
			m.t.Fatalf("argument %T", a)
		}
		for len(block)%size != 0 {
			block = append(block, 0)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		block = append(block, word[:size]...)
	}
	return block, addrs
}

// place copies bytes to the device.
func (m *machine) place(name string, data []byte) uint64 {
	addr, err := m.dev.Alloc(name, uint64(len(data)))
	m.check(err)
	m.check(m.dev.Write(addr, data))
	return addr
}

// boxes is a tensor map over the buffer that is argument number of: passed by value, or by its address in memory.
type boxes struct {
	of     int
	tensor emulate.TensorMap
	stored bool
}

// Conversions between buffers and Go values.

func u32s(v ...uint32) *buffer {
	b := &buffer{}
	for _, x := range v {
		b.data = binary.LittleEndian.AppendUint32(b.data, x)
	}
	return b
}

func f32s(v ...float32) *buffer {
	b := &buffer{}
	for _, x := range v {
		b.data = binary.LittleEndian.AppendUint32(b.data, math.Float32bits(x))
	}
	return b
}

func (b *buffer) u32() []uint32 {
	out := make([]uint32, len(b.data)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b.data[4*i:])
	}
	return out
}

func (b *buffer) f32() []float32 {
	out := make([]float32, len(b.data)/4)
	for i, w := range b.u32() {
		out[i] = math.Float32frombits(w)
	}
	return out
}

// word reads and writes element i of so many bytes.
func (b *buffer) word(i, size int) uint64 {
	var w [8]byte
	copy(w[:], b.data[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(w[:])
}

func (b *buffer) setWord(i, size int, bits uint64) {
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], bits)
	copy(b.data[i*size:(i+1)*size], w[:size])
}

func sequence(n int, f func(i int) uint32) *buffer {
	b := &buffer{}
	for i := range n {
		b.data = binary.LittleEndian.AppendUint32(b.data, f(i))
	}
	return b
}

func (m *machine) build(name string, contract ir.Contract, body func(*ir.Kernel)) *ir.Kernel {
	m.t.Helper()
	k, err := ir.BuildFunc(name, contract, body)
	if err != nil {
		m.t.Fatal(err)
	}
	return k
}

func (m *machine) equal(what string, got, want []uint32) {
	m.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		m.t.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}
