package lib

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
)

// Float is a memory format that kernels compute on in f32.
type Float interface {
	ir.F32 | ir.F16 | ir.BF16 | ir.E4M3 | ir.E5M2
	ir.Elem
}

// PerAccess is how many elements of T a 16-byte access holds.
func PerAccess[T Float]() int { return 16 / ir.SizeOf[T]() }

// PackedLoad loads n consecutive elements with one instruction and converts them to f32, exactly. n is a power of two and
// n elements are at most 16 bytes; the address must be aligned to the access.
func PackedLoad[T Float](p ir.Global[T], n int, opts ...ir.LoadOption) []ir.F32 {
	switch q := any(p).(type) {
	case ir.Global[ir.F32]:
		return q.LoadVec(n, opts...)
	case ir.Global[ir.F16]:
		if n == 1 {
			return []ir.F32{q.Load(opts...).ConvertToF32()}
		}
		return widen(ir.Cast[ir.F16x2](q).LoadVec(n/2, opts...), ir.F16x2.ConvertToF32)
	case ir.Global[ir.BF16]:
		if n == 1 {
			return []ir.F32{q.Load(opts...).ConvertToF32()}
		}
		return widen(ir.Cast[ir.BF16x2](q).LoadVec(n/2, opts...), ir.BF16x2.ConvertToF32)
	case ir.Global[ir.E4M3]:
		if n == 1 {
			return []ir.F32{fromE4M3(q.Load(opts...))}
		}
		return widen(ir.Cast[ir.E4M3x2](q).LoadVec(n/2, opts...), wideE4M3)
	case ir.Global[ir.E5M2]:
		if n == 1 {
			return []ir.F32{fromE5M2(q.Load(opts...))}
		}
		return widen(ir.Cast[ir.E5M2x2](q).LoadVec(n/2, opts...), wideE5M2)
	}
	panic(fmt.Sprintf("lib: no conversion from %T", p))
}

// PackedStore rounds f32 values to T, to nearest even, and stores them with one instruction. e4m3 and e5m2 clamp to the
// largest finite value; f16 and bf16 overflow to infinity.
func PackedStore[T Float](p ir.Global[T], x []ir.F32, opts ...ir.StoreOption) {
	switch q := any(p).(type) {
	case ir.Global[ir.F32]:
		q.StoreVec(x, opts...)
	case ir.Global[ir.F16]:
		if len(x) == 1 {
			q.Store(x[0].ConvertToF16(), opts...)
			return
		}
		ir.Cast[ir.F16x2](q).StoreVec(narrow(x, toF16x2), opts...)
	case ir.Global[ir.BF16]:
		if len(x) == 1 {
			q.Store(x[0].ConvertToBF16(), opts...)
			return
		}
		ir.Cast[ir.BF16x2](q).StoreVec(narrow(x, toBF16x2), opts...)
	case ir.Global[ir.E4M3]:
		if len(x) == 1 {
			lo, _ := x[0].ConvertToE4M3x2(x[0]).UnpackToE4M3()
			q.Store(lo, opts...)
			return
		}
		ir.Cast[ir.E4M3x2](q).StoreVec(narrow(x, toE4M3x2), opts...)
	case ir.Global[ir.E5M2]:
		if len(x) == 1 {
			lo, _ := x[0].ConvertToE5M2x2(x[0]).UnpackToE5M2()
			q.Store(lo, opts...)
			return
		}
		ir.Cast[ir.E5M2x2](q).StoreVec(narrow(x, toE5M2x2), opts...)
	default:
		panic(fmt.Sprintf("lib: no conversion to %T", p))
	}
}

// Round gives x as it would be read back after a store to T: kernels that round between steps use it.
func Round[T Float](x []ir.F32) []ir.F32 {
	var t T
	if len(x) == 1 {
		return Round[T]([]ir.F32{x[0], x[0]})[:1]
	}
	switch any(t).(type) {
	case ir.F16:
		return widen(narrow(x, toF16x2), ir.F16x2.ConvertToF32)
	case ir.BF16:
		return widen(narrow(x, toBF16x2), ir.BF16x2.ConvertToF32)
	case ir.E4M3:
		return widen(narrow(x, toE4M3x2), wideE4M3)
	case ir.E5M2:
		return widen(narrow(x, toE5M2x2), wideE5M2)
	}
	return x
}

func widen[P ir.Elem](v ir.Vec[P], split func(P) (lo, hi ir.F32)) []ir.F32 {
	out := make([]ir.F32, 0, 2*len(v))
	for _, x := range v {
		lo, hi := split(x)
		out = append(out, lo, hi)
	}
	return out
}

func narrow[P ir.Elem](x []ir.F32, join func(lo, hi ir.F32) P) ir.Vec[P] {
	out := make(ir.Vec[P], 0, len(x)/2)
	for i := 0; i+1 < len(x); i += 2 {
		out = append(out, join(x[i], x[i+1]))
	}
	return out
}

func toF16x2(lo, hi ir.F32) ir.F16x2   { return lo.ConvertToF16x2(hi) }
func toBF16x2(lo, hi ir.F32) ir.BF16x2 { return lo.ConvertToBF16x2(hi) }
func toE4M3x2(lo, hi ir.F32) ir.E4M3x2 { return lo.ConvertToE4M3x2(hi) }
func toE5M2x2(lo, hi ir.F32) ir.E5M2x2 { return lo.ConvertToE5M2x2(hi) }

func wideE4M3(x ir.E4M3x2) (lo, hi ir.F32) { return x.ConvertToF16x2().ConvertToF32() }
func wideE5M2(x ir.E5M2x2) (lo, hi ir.F32) { return x.ConvertToF16x2().ConvertToF32() }

func fromE4M3(x ir.E4M3) ir.F32 {
	lo, _ := wideE4M3(x.PackToE4M3x2(x))
	return lo
}

func fromE5M2(x ir.E5M2) ir.F32 {
	lo, _ := wideE5M2(x.PackToE5M2x2(x))
	return lo
}
