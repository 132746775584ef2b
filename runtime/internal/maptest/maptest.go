// Package maptest holds what every driver table must do about tensor maps: one body of tests for the emulated device, for a fake
// libcuda and for a GPU.
package maptest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// Run runs the tests on a device with a stream of it.
func Run(t *testing.T, dev *oxrt.Device, stream *oxrt.Stream) {
	t.Run("refusals", func(t *testing.T) { refusals(t, dev) })
	t.Run("agreement", func(t *testing.T) { agreement(t, dev) })
	t.Run("places", func(t *testing.T) { places(t, dev) })
	t.Run("call", func(t *testing.T) { call(t, dev, stream) })
}

// matrix is a row-major matrix of 4096 columns of bf16 in boxes of 64 by 128, as a product reads it.
func matrix() (oxrt.TensorBox, oxrt.TensorView) {
	return oxrt.TensorBox{DType: oxrt.BF16, Rank: 2, Dims: [5]uint32{64, 128}, Swizzle: oxrt.Swizzle128B, Promotion: 256},
		oxrt.TensorView{Base: 1 << 20, Dims: [5]uint64{4096, 1000}, Strides: [4]uint64{8192}}
}

func refusals(t *testing.T, dev *oxrt.Device) {
	for _, c := range []struct {
		field  string // empty: accepted
		change func(*oxrt.TensorBox, *oxrt.TensorView)
	}{
		{"", func(*oxrt.TensorBox, *oxrt.TensorView) {}},
		{"", func(b *oxrt.TensorBox, v *oxrt.TensorView) { v.Dims[0] = 1 << 32 }},
		{"", func(b *oxrt.TensorBox, v *oxrt.TensorView) { v.Strides[0] = 1<<40 - 16 }},
		{"", func(b *oxrt.TensorBox, v *oxrt.TensorView) { v.Strides[0] = 0 }},
		{"", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.DType, b.Dims[0] = oxrt.E4M3, 128 }},
		{"", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Dims[0], b.Swizzle = 256, oxrt.SwizzleNone }},
		{"", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Steps[1], b.FillNaN = 8, true }},
		{"", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Rank = 1 }},
		{"dtype", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.DType = 0 }},
		{"rank", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Rank = 0 }},
		{"rank", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Rank = 6 }},
		{"rank", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Interleave = oxrt.Interleave16B }},
		{"interleave", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Interleave = 3 }},
		{"swizzle", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Swizzle = 4 }},
		{"box", func(b *oxrt.TensorBox, v *oxrt.TensorView) {
			b.Rank, b.Dims[2], v.Dims[2], v.Strides[1] = 3, 15, 15, 1<<20 // 64×128×15 of two bytes
		}},
		{"promotion", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Promotion = 32 }},
		{"fill", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.DType, b.FillNaN = oxrt.U16, true }},
		{"fill", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.DType, b.FillNaN = oxrt.E4M3, true }},
		{"base", func(b *oxrt.TensorBox, v *oxrt.TensorView) { v.Base += 8 }},
		{"dims[1]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { v.Dims[1] = 0 }},
		{"dims[0]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { v.Dims[0] = 1<<32 + 1 }},
		{"strides[0]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { v.Strides[0] += 8 }},
		{"strides[0]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { v.Strides[0] = 1 << 40 }},
		{"steps[1]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Steps[1] = 9 }},
		{"box[1]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Dims[1] = 257 }},
		{"box[0]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Dims[0] = 0 }},
		{"box[0]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Dims[0] = 65 }},
		{"box[0]", func(b *oxrt.TensorBox, v *oxrt.TensorView) { b.Dims[0] = 72 }},
	} {
		b, v := matrix()
		c.change(&b, &v)
		to := oxrt.TensorMap{1, 2, 3}
		before := to
		err := dev.EncodeTensorMap(&to, &b, &v)
		var refused *oxrt.ContractError
		switch {
		case c.field == "" && err != nil:
			t.Errorf("%+v %+v: %v", b, v, err)
		case c.field == "" && to == before:
			t.Errorf("%+v %+v: nothing was encoded", b, v)
		case c.field != "" && (!errors.As(err, &refused) || refused.Field != c.field || !errors.Is(err, oxrt.ErrContract)):
			t.Errorf("%+v %+v: %v, want a refusal of %s", b, v, err, c.field)
		case c.field != "" && to != before:
			t.Errorf("%+v %+v: refused, but the map changed", b, v)
		}
		if check := b.Check(&v); fmt.Sprint(check) != fmt.Sprint(err) {
			t.Errorf("Check says %v, the call %v", check, err)
		}
	}
}

// Random calls f with boxes and views around the limits of what is allowed.
func Random(n int, f func(*oxrt.TensorBox, *oxrt.TensorView)) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(v ...uint64) uint64 { return v[rng.IntN(len(v))] }
	for range n {
		b := oxrt.TensorBox{DType: oxrt.DType(pick(1, 2, 3, 4, 5, 9, 12, 14)), Rank: uint32(pick(1, 2, 2, 3, 5)), Swizzle: oxrt.Swizzle(pick(0, 1, 2, 3, 3)),
			Promotion: uint32(pick(0, 128, 256)), FillNaN: pick(0, 0, 0, 1) == 1, Interleave: oxrt.Interleave(pick(0, 0, 0, 0, 0, 0, 1, 2))}
		v := oxrt.TensorView{Base: oxrt.DevicePtr(pick(0x1000, 0x1000, 0x1010, 0x1020, 0x1008))}
		for i := range b.Dims {
			b.Dims[i] = uint32(pick(8, 16, 32, 64, 128, 256, 16, 32, 64, 1, 257))
			v.Dims[i] = pick(1, 8, 4096, 1<<32, 1<<20, 1<<20, 8, 3, 70, 1<<32+1)
			b.Steps[i] = uint32(pick(0, 0, 1, 1, 2, 8, 0, 0, 0, 9))
		}
		for i := range v.Strides {
			v.Strides[i] = pick(16, 32, 4096, 1<<39, 48, 16, 32, 4096, 8)
		}
		f(&b, &v)
	}
}

// agreement: what Check allows the device encodes, unless it says that it cannot.
func agreement(t *testing.T, dev *oxrt.Device) {
	accepted := 0
	Random(20000, func(b *oxrt.TensorBox, v *oxrt.TensorView) {
		var to oxrt.TensorMap
		switch err := dev.EncodeTensorMap(&to, b, v); {
		case b.Check(v) == nil && err != nil && !errors.Is(err, oxrt.CodeNotSupported):
			t.Fatalf("%+v %+v: %v", *b, *v, err)
		case err == nil:
			accepted++
		}
	})
	if accepted < 500 {
		t.Errorf("only %d maps were accepted", accepted)
	}
}

// places: a map is one of its place, and equal arguments give equal maps.
func places(t *testing.T, dev *oxrt.Device) {
	b, v := matrix()
	encode := func() (to oxrt.TensorMap) {
		if err := dev.EncodeTensorMap(&to, &b, &v); err != nil {
			t.Fatal(err)
		}
		return to
	}
	one, again := encode(), encode()
	v.Base += 16
	if other := encode(); one != again || one == other {
		t.Error("equal arguments gave different maps, or different addresses equal ones")
	}
}

// call: encoding allocates nothing and may be done while a stream is captured.
func call(t *testing.T, dev *oxrt.Device, stream *oxrt.Stream) {
	b, v := matrix()
	var to oxrt.TensorMap
	encode := func() {
		v.Base += 16
		if err := dev.EncodeTensorMap(&to, &b, &v); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(100, encode); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := stream.BeginCapture(); err != nil {
		t.Fatal(err)
	}
	encode()
	graph, err := stream.EndCapture()
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Close(); err != nil {
		t.Fatal(err)
	}
}
