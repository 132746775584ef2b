package subjects

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
	"github.com/oxideinfer/oxide/ir/pass"
)

// A Subject is one or two kernels with everything that a run needs.
type Subject struct {
	Name     string
	About    string
	Buffers  []Buffer
	Maps     []Map
	Launches []Launch // in stream order
}

// Buffer is global memory. Out buffers must hold Want after the last launch, all others what they held before.
type Buffer struct {
	Name  string
	Kind  op.Kind
	Shape []int
	Data  []byte // before the first launch
	Out   bool
	Want  []byte
}

// Map is a tensor map over a buffer; its address is the buffer's.
type Map struct {
	Name   string
	Buffer string
	emulate.TensorMap
}

// Launch runs a kernel. Args follow its parameters.
type Launch struct {
	Kernel *ir.Kernel
	Grid   [3]int
	Args   []Arg
}

// Arg is the address of a buffer, a tensor map, the bytes of a parameter, or a 32-bit word.
type Arg struct {
	Buffer, Map string
	Raw         []byte
	Word        uint32
}

func buffer(name string) Arg { return Arg{Buffer: name} }
func tensor(name string) Arg { return Arg{Map: name} }

// makers lists the subjects in the order of the manual's chapters that they exercise.
var makers = []func() (*Subject, error){
	cpAsyncRing, tmaRing, bulkStoreReduce, namedTurns, dsmemMerge, multicastRing,
	warpSpecialised, pingPong, registerFactor, fp8Product, registerRoles, launchPair, atomicScheduler,
}

// All builds every subject.
func All() ([]*Subject, error) {
	var all []*Subject
	for _, make := range makers {
		s, err := make()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Text is the PTX of the launches' kernels: one module.
func (s *Subject) Text() ([]byte, error) {
	var module *ptx.Module
	seen := map[string]bool{}
	for _, l := range s.Launches {
		if seen[l.Kernel.Name] {
			continue
		}
		seen[l.Kernel.Name] = true
		res, err := lower.Kernel(l.Kernel)
		if err != nil {
			return nil, err
		}
		if module == nil {
			module = res.Module
			continue
		}
		module.Decls = append(module.Decls, res.Module.Decls...)
	}
	text, _ := ptx.Print(module)
	return text, nil
}

// build makes a kernel and optimises it as a released one is.
func build(name string, c ir.Contract, body func(*ir.Kernel)) (*ir.Kernel, error) {
	k, err := ir.BuildFunc(name, c, body)
	if err != nil {
		return nil, fmt.Errorf("subject %s: %w", name, err)
	}
	pass.Optimise(k, nil)
	if found := ir.Verify(k); len(found) > 0 {
		return nil, fmt.Errorf("subject %s after its passes: %w", name, ir.Findings(found))
	}
	return k, nil
}

// encoder writes a value of a kind.
func encoder(k op.Kind) func([]byte, float64) []byte {
	word := func(b []byte, x uint32) []byte { return binary.LittleEndian.AppendUint32(b, x) }
	switch k {
	case op.F32:
		return func(b []byte, x float64) []byte { return word(b, math.Float32bits(float32(x))) }
	case op.BF16:
		return func(b []byte, x float64) []byte {
			return binary.LittleEndian.AppendUint16(b, uint16(numfmt.BF16.Encode(x, numfmt.RN)))
		}
	case op.E4M3:
		return func(b []byte, x float64) []byte { return append(b, byte(numfmt.E4M3.Encode(x, numfmt.RN))) }
	}
	return func(b []byte, x float64) []byte { return word(b, uint32(int32(x))) }
}

// fill makes the bytes of a tensor from a function of the flat index.
func fill(k op.Kind, n int, f func(i int) float64) []byte {
	var b []byte
	put := encoder(k)
	for i := range n {
		b = put(b, f(i))
	}
	return b
}

// in is a buffer that kernels read.
func in(name string, k op.Kind, shape []int, f func(i int) float64) Buffer {
	return Buffer{Name: name, Kind: k, Shape: shape, Data: fill(k, volume(shape), f)}
}

// poison is what buffers hold that a kernel fills: bytes that it must not touch stay visible.
const poison = 0xcd

// out is a buffer that kernels fill.
func out(name string, k op.Kind, shape []int, want func(i int) float64) Buffer {
	n := volume(shape)
	b := Buffer{Name: name, Kind: k, Shape: shape, Data: make([]byte, n*k.Bytes()), Out: true, Want: fill(k, n, want)}
	for i := range b.Data {
		b.Data[i] = poison
	}
	return b
}

// inout is a buffer that kernels update.
func inout(name string, k op.Kind, shape []int, before, after func(i int) float64) Buffer {
	b := out(name, k, shape, after)
	b.Data = fill(k, volume(shape), before)
	return b
}

func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// small gives integers from -span to span that repeat after a prime number of elements.
func small(seed, span int) func(int) float64 {
	return func(i int) float64 { return float64((i*7+seed)%23%(2*span+1) - span) }
}

// matrixMap describes a row-major matrix whose rows are copied in boxes of cols × rows.
func matrixMap(name, buf string, t emulate.MapType, elem, rows, cols, boxRows, boxCols int, swizzle emulate.MapSwizzle) Map {
	return Map{Name: name, Buffer: buf, TensorMap: emulate.TensorMap{
		Type: t, Rank: 2, Dims: [5]uint64{uint64(cols), uint64(rows)}, Strides: [4]uint64{uint64(cols * elem)},
		Box: [5]uint32{uint32(boxCols), uint32(boxRows)}, ElementStrides: [5]uint32{1, 1}, Swizzle: swizzle}}
}
