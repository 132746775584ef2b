package gemm

import (
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	"github.com/oxideinfer/oxide/runtime"
)

// scaling is what scales an operator's a and b have.
type scaling uint8

const (
	unscaled scaling = iota
	perTensor
	perRow
	perBlock
)

// scaleBlock is the length in k, and in b's rows, of what shares a scale.
const scaleBlock = 128

// form is what a Spec of any operator of the family says, complete.
type form struct {
	scaling          scaling
	maxM, n, k       int // n columns of d
	gated            bool
	input, output    oxrt.DType
	addend, biasType oxrt.DType
	byK              bool
	strides
	align               int
	alpha, beta         float32
	accumulate, bias    bool
	factor, fromSquares bool
	epsilon             float32
	activation          Activation // of the gate where it is gated
	squares             bool
	outputScale         float32
	invariant           bool
	given               strides // as the Spec has them: 0 is dense
}

// strides are in elements from one row to the next.
type strides struct{ a, b, c, d int }

// columns are those of the product: b's rows.
func (f *form) columns() int {
	if f.gated {
		return 2 * f.n
	}
	return f.n
}

// spec is a Spec of the family.
type spec interface{ form(scaling) form }

func (s MatmulSpec) form(scaling) form {
	f := form{maxM: s.MaxM, n: s.N, k: s.K, input: s.Input, output: s.Output, addend: s.Addend, biasType: s.BiasType, byK: s.BByK,
		align: s.Align, alpha: s.Alpha, beta: s.Beta, accumulate: s.Accumulate, bias: s.Bias, factor: s.RowFactor, fromSquares: s.FromSquares,
		epsilon: s.Epsilon, activation: s.Activation, squares: s.SumSquares, outputScale: s.OutputScale, invariant: s.BatchInvariant}
	return f.dense(s.AStride, s.BStride, s.CStride, s.DStride)
}

func (s GatedSpec) form(scaling) form {
	f := form{maxM: s.MaxM, n: s.N, k: s.K, gated: true, input: s.Input, output: s.Output, biasType: s.BiasType, align: s.Align, alpha: 1,
		bias: s.Bias, factor: s.RowFactor, fromSquares: s.FromSquares, epsilon: s.Epsilon, activation: Activation(s.Gate) + SiLU,
		outputScale: s.OutputScale, invariant: s.BatchInvariant}
	return f.dense(s.AStride, s.BStride, 0, s.DStride)
}

func (s ScaledSpec) form(of scaling) form {
	f := form{scaling: of, maxM: s.MaxM, n: s.N, k: s.K, input: s.Input, output: s.Output, addend: s.Addend, biasType: s.BiasType, align: s.Align,
		alpha: 1, beta: s.Beta, accumulate: s.Accumulate, bias: s.Bias, activation: s.Activation, outputScale: s.OutputScale, invariant: s.BatchInvariant}
	return f.dense(s.AStride, s.BStride, s.CStride, s.DStride)
}

func (s ScaledGatedSpec) form(of scaling) form {
	f := form{scaling: of, maxM: s.MaxM, n: s.N, k: s.K, gated: true, input: s.Input, output: s.Output, biasType: s.BiasType, align: s.Align,
		alpha: 1, bias: s.Bias, activation: Activation(s.Gate) + SiLU, outputScale: s.OutputScale, invariant: s.BatchInvariant}
	return f.dense(s.AStride, s.BStride, 0, s.DStride)
}

// dense sets the strides.
func (f form) dense(a, b, c, d int) form {
	f.given = strides{a, b, c, d}
	f.strides = strides{rows.Dense(a, f.k), rows.Dense(b, f.k), rows.Dense(c, f.n), rows.Dense(d, f.n)}
	if f.byK {
		f.b = rows.Dense(b, f.n)
	}
	return f
}

// validate refuses a Spec that no algorithm could run.
func validate[S spec](op *catalog.Operator, of scaling, s S) error {
	op.Complete(&s)
	if err := op.Check(&s); err != nil {
		return err
	}
	f := s.form(of)
	return errors.Join(f.checkStrides(op), rows.CheckAlign(op, f.align, f.input), rows.CheckScale(op, f.output, f.outputScale), f.checkFactors(op),
		f.checkPieces(op))
}

func (f *form) checkStrides(op *catalog.Operator) error {
	ofB := f.k
	if f.byK {
		ofB = f.n
	}
	all := []error{rows.CheckStride(op, "a_stride", f.given.a, f.k), rows.CheckStride(op, "b_stride", f.given.b, ofB), rows.CheckStride(op, "d_stride", f.given.d, f.n)}
	if f.accumulate {
		all = append(all, rows.CheckStride(op, "c_stride", f.given.c, f.n))
	} else if f.given.c != 0 {
		all = append(all, op.Refuse("c_stride", "0 unless accumulate is true", fmt.Sprint(f.given.c)))
	}
	return errors.Join(all...)
}

func (f *form) checkFactors(op *catalog.Operator) error {
	var all []error
	refuse := func(field, want, got string) { all = append(all, op.Refuse(field, want, got)) }
	if !f.accumulate && !f.gated && f.beta != 1 {
		refuse("beta", "1 unless accumulate is true", fmt.Sprint(f.beta))
	}
	if f.fromSquares && !f.factor {
		refuse("from_squares", "false unless row_factor is true", "true")
	}
	if !f.fromSquares && f.epsilon != 0 {
		refuse("epsilon", "0 unless from_squares is true", fmt.Sprint(f.epsilon))
	}
	if f.fromSquares && f.k == 0 {
		refuse("from_squares", "false where k is 0", "true")
	}
	if f.squares && f.output == oxrt.E4M3 {
		refuse("sum_squares", "false where the output is e4m3", "true")
	}
	return errors.Join(all...)
}

// checkPieces refuses types for which there is no algorithm.
func (f *form) checkPieces(op *catalog.Operator) error {
	if f.align < f.output.Size() || f.accumulate && f.align < f.addend.Size() || f.bias && f.align < f.biasType.Size() || f.scaling != unscaled && f.align < 4 ||
		(f.factor || f.squares) && f.align < 4 {
		return op.Refuse("align", "at least the size of every element", fmt.Sprint(f.align))
	}
	return nil
}
