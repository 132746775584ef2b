package kernels

import "github.com/oxideinfer/oxide/ir"

// SquaredReLU is y = max(x + bias, 0)², the activation of Primer and Nemotron, row by row.
var SquaredReLU = ir.Algorithm[Tile]{
	Name:     "ExampleSquaredReLU",
	Doc:      "y[r][c] = max(x[r][c] + bias[c], 0)², all f32; one block works on one row of columns elements.",
	Variants: []Tile{{Threads: 128}, {Threads: 256}},
	Contract: func(t Tile) ir.Contract { return ir.Contract{Block: [3]int{t.Threads, 1, 1}} },
	Kernel:   squaredReLU,
}

// Tile is what the variants differ in: build values, known when the kernel is built.
type Tile struct{ Threads int }

// squaredReLU is an ordinary Go function. Its loop is a device loop: it runs once here and becomes a loop in PTX.
func squaredReLU(k *ir.Kernel, t Tile) {
	x := ir.GlobalParam[ir.F32](k, "x")
	bias := ir.GlobalParam[ir.F32](k, "bias", ir.Constant)
	y := ir.GlobalParam[ir.F32](k, "y", ir.Writes)
	columns := ir.Param[ir.U32](k, "columns")

	row := k.CTAIDX().MulWide(columns)
	x, y = x.At(row), y.At(row)
	zero := k.ConstF32(0)
	for c := range k.Loop(k.TIDX(), columns, k.ConstU32(uint32(t.Threads))) {
		v := x.At(c).Load().Add(bias.At(c).Load()).Max(zero)
		y.At(c).Store(v.Mul(v))
	}
}
