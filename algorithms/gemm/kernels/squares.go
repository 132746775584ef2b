package kernels

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// squaresThreads is the block of RowSquares.
const squaresThreads = 256

// Squares is the one kernel of RowSquares.
type Squares struct{}

// VariantName is Any: the launch says the format.
func (Squares) VariantName() string { return "Any" }

// RowSquares adds the squares of the stored elements of a row, one row a block: what a following RMSNorm needs. The order of
// the sum depends on nothing but the row's length.
var RowSquares = ir.Algorithm[Squares]{
	Name:     "OxideSm90MatmulRowSquares",
	Doc:      "Sum of squares of each stored row, one row a block.",
	Variants: []Squares{{}},
	Contract: func(Squares) ir.Contract {
		return ir.Contract{Block: [3]int{squaresThreads, 1, 1}, ProgrammaticLaunch: true}
	},
	Kernel: rowSquares,
}

func rowSquares(k *ir.Kernel, _ Squares) {
	d, out := ir.GlobalParam[ir.U8](k, "d"), ir.GlobalParam[ir.F32](k, "row_squares", ir.Writes)
	stride, columns, format := ir.Param[ir.U64](k, "d_stride"), ir.Param[ir.U32](k, "columns"), ir.Param[ir.U32](k, "d_type")
	k.GridDependencyWait()
	row := k.CTAIDX()
	sum := ir.NewVar(k.ConstF32(0))
	for column := range k.Loop(k.TIDX(), columns, k.ConstU32(squaresThreads), ir.NoUnroll) {
		x := loadAny(k, d, row.ConvertToU64().MulAdd(stride, column.ConvertToU64()), format, k.ConstPred(true))
		sum.Set(x.MulAdd(x, sum.Get()))
	}
	total := lib.NewExchange(k, "sum", 0).Sum(sum.Get())[0]
	k.If(k.TIDX().Equal(k.ConstU32(0)), func() { out.At(row).Store(total) })
}
