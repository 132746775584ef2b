package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

// Finish is the function that a tiled product's elements go through at last: a build value. Whether there is an addend, a
// bias or a factor of rows or columns, the launch decides.
type Finish string

// The functions. SwiGLU makes one column of two: of a gate and its value.
const (
	Linear         Finish = ""
	FinishSiLU     Finish = "SiLU"
	FinishGELU     Finish = "GELU"
	FinishGELUTanh Finish = "GELUTanh"
	SwiGLU         Finish = "SwiGLU"
)

// finish is what becomes of the sums: d = f(alpha·row·column·sum + beta·c + bias).
type finish struct {
	k           *ir.Kernel
	v           Tiled
	m, n        ir.U32 // of the product
	c           lib.Elements
	cStride     ir.U64
	bias        lib.Elements
	row, column ir.Global[ir.F32]
	has         map[string]ir.Pred
	alpha, beta ir.F32
	invK, eps   ir.F32
}

func newFinish(k *ir.Kernel, v Tiled) *finish {
	f := &finish{k: k, v: v, m: ir.Param[ir.U32](k, "m"), n: ir.Param[ir.U32](k, "n"), has: map[string]ir.Pred{}}
	side := v.In
	if side == lib.E4M3 {
		side = lib.BF16
	}
	pointers := map[string]ir.U64{}
	for _, name := range []string{"c", "bias"} {
		p := ir.GlobalParam[ir.U8](k, name, ir.Aligned(4))
		pointers[name] = p.Address()
		e := lib.ElementsAt(p, side)
		if name == "c" {
			f.c = e
		} else {
			f.bias = e
		}
	}
	f.row, f.column = ir.GlobalParam[ir.F32](k, "row_factor"), ir.GlobalParam[ir.F32](k, "column_factor")
	pointers["row"], pointers["column"] = f.row.Address(), f.column.Address()
	for _, name := range []string{"c", "bias", "row", "column"} {
		f.has[name] = pointers[name].NotEqual(k.ConstU64(0))
	}
	f.cStride = ir.Param[ir.U64](k, "c_stride")
	f.alpha, f.beta = ir.Param[ir.F32](k, "alpha"), ir.Param[ir.F32](k, "beta")
	f.invK, f.eps = ir.Param[ir.F32](k, "inv_k"), ir.Param[ir.F32](k, "epsilon")
	return f
}

// factors are alpha times the factors of a thread's two rows out of 64, the first of which is row. With inv_k above zero a
// factor is made of the row's sum of squares, as RMSNorm makes it.
func (f *finish) factors(row ir.U32, acc *tile.Accumulator) tile.Rows {
	v := acc.Places(0, 8)
	return tile.Rows{f.factor(row.Add(v.Row(0))), f.factor(row.Add(v.Row(2)))}
}

// factor is alpha times the factor of a row.
func (f *finish) factor(row ir.U32) ir.F32 {
	k, out := f.k, ir.NewVar(f.alpha)
	k.If(f.has["row"], func() {
		x := f.row.At(row).LoadIf(row.Less(f.m), k.ConstF32(0))
		norm := x.MulAdd(f.invK, f.eps).ReciprocalSqrt(ir.Approx)
		out.Set(f.alpha.Mul(ir.Select(f.invK.Greater(k.ConstF32(0)), norm, x)))
	})
	return out.Get()
}

// apply finishes a part of the accumulator whose first row is row of the product; n is the accumulator's first column there.
func (f *finish) apply(v tile.Values, row, n ir.U32, factor tile.Rows) tile.Values {
	k := f.k
	v = v.WithRows(factor, func(x, r ir.F32) ir.F32 { return x.Mul(r) })
	v = v.If(f.has["column"], func(v tile.Values) tile.Values {
		return v.MapAt(func(i int, x ir.F32) ir.F32 {
			at := f.origin(v, i, n)
			return x.Mul(f.column.At(at).LoadIf(at.Less(f.n), k.ConstF32(0)))
		})
	})
	if f.v.Finish == SwiGLU {
		return f.gate(v, n)
	}
	v = v.If(f.has["c"], func(v tile.Values) tile.Values {
		return v.MapPairs(func(i int, x [2]ir.F32) [2]ir.F32 {
			r, col := row.Add(v.Row(i)), n.Add(v.Col(i))
			c := f.c.At(r.ConvertToU64().MulAdd(f.cStride, col.ConvertToU64())).LoadPairIf(k, r.Less(f.m).And(col.Less(f.n)))
			return [2]ir.F32{c[0].MulAdd(f.beta, x[0]), c[1].MulAdd(f.beta, x[1])}
		})
	})
	v = v.If(f.has["bias"], func(v tile.Values) tile.Values {
		return v.MapPairs(func(i int, x [2]ir.F32) [2]ir.F32 {
			col := n.Add(v.Col(i))
			b := f.bias.At(col).LoadPairIf(k, col.Less(f.n))
			return [2]ir.F32{x[0].Add(b[0]), x[1].Add(b[1])}
		})
	})
	switch f.v.Finish {
	case FinishSiLU:
		return v.Map(lib.SiLU)
	case FinishGELU:
		return v.Map(lib.GELU)
	case FinishGELUTanh:
		return v.Map(lib.GELUTanh)
	}
	return v
}

// origin is the column of the product of a thread's i-th value. Gates and values alternate there, and lie in groups of
// eight in the tile.
func (f *finish) origin(v tile.Values, i int, n ir.U32) ir.U32 {
	col, c := v.Col(i), f.k.ConstU32
	if f.v.Finish == SwiGLU {
		col = col.AndNot(c(15)).Or(col.And(c(7)).ShiftLeft(c(1))).Or(col.ShiftRight(c(3)).And(c(1)))
	}
	return n.Add(col)
}

// gate adds the bias and multiplies values by their gates. Such a product has no addend.
func (f *finish) gate(v tile.Values, n ir.U32) tile.Values {
	v = v.If(f.has["bias"], func(v tile.Values) tile.Values {
		return v.MapAt(func(i int, x ir.F32) ir.F32 {
			at := f.origin(v, i, n)
			return x.Add(f.bias.At(at).LoadIf(f.k, at.Less(f.n)))
		})
	})
	return v.Groups(func(gate, up ir.F32) ir.F32 { return lib.SiLU(gate).Mul(up) })
}
