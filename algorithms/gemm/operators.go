package gemm

import (
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// kind is one operator of the family.
type kind struct {
	scaling scaling
	gated   bool
}

// kinds are all operators.
var kinds = []kind{{unscaled, false}, {unscaled, true}, {perTensor, false}, {perTensor, true}, {perRow, false}, {perRow, true},
	{perBlock, false}, {perBlock, true}}

// names are the operators' names, by scaling and gate.
var names = map[kind]string{
	{unscaled, false}: "gemm.matmul", {unscaled, true}: "gemm.gated_matmul",
	{perTensor, false}: "gemm.scaled_matmul", {perTensor, true}: "gemm.scaled_gated_matmul",
	{perRow, false}: "gemm.row_scaled_matmul", {perRow, true}: "gemm.row_scaled_gated_matmul",
	{perBlock, false}: "gemm.block_scaled_matmul", {perBlock, true}: "gemm.block_scaled_gated_matmul",
}

// operator describes one operator.
func operator(k kind) *catalog.Operator {
	op := &catalog.Operator{
		Name: names[k], Doc: doc(k), Source: source(k), Fields: fields(k),
		Dims:     []catalog.Dim{{Name: "m", Max: "max_m", Tuned: true, Doc: "Rows of this call."}},
		Operands: operands(k), Flops: []string{"2*m*n*k"}, TensorCores: "input", Results: results(k),
	}
	if k.gated {
		op.Flops = []string{"4*m*n*k", "4*m*n"}
	}
	for _, s := range strategiesOf(k) {
		op.Algorithms = append(op.Algorithms, s.algorithm)
	}
	return op
}

func doc(k kind) string {
	product := map[scaling]string{
		unscaled:  "f·(a·bᵀ)",
		perTensor: "a_scale·b_scale·(a·bᵀ)",
		perRow:    "a_scale[row]·b_scale[column]·(a·bᵀ)",
		perBlock:  "the sum over blocks of 128 in k of a_scale[row, block]·b_scale[column/128, block]·(a·bᵀ within the block)",
	}[k.scaling]
	if k.gated {
		return "d = gate(g) · u, where g and u are the even and the odd columns of " + product + " + bias: b's rows are those of the gate and of up by turns. Sums in f32."
	}
	if k.scaling == unscaled {
		product = "alpha·" + product
	}
	return "d = act(" + product + " + beta·c + bias). Sums in f32."
}

func source(k kind) string {
	switch {
	case k.scaling == perBlock:
		return "DeepSeek-AI, DeepSeek-V3 Technical Report, 2024 (scales of 1×128 and 128×128)"
	case k.scaling != unscaled:
		return "Micikevicius et al., FP8 Formats for Deep Learning, 2022"
	case k.gated:
		return "Shazeer, GLU Variants Improve Transformer, 2020"
	}
	return "Dongarra et al., A Set of Level 3 Basic Linear Algebra Subprograms, 1990"
}

func fields(k kind) []catalog.Field {
	columns := "Columns of d: rows of b."
	if k.gated {
		columns = "Columns of d: half of b's rows."
	}
	all := slices.Concat(sizeFields(columns), typeFields(k.scaling != unscaled, k.gated))
	if k == (kind{}) {
		all = append(all, boolField("b_by_k", "BByK", "Whether b is [k, n]: b_by_k instead of b."))
	}
	all = append(all, strideFields(k.gated)...)
	if k == (kind{}) {
		all = append(all, alphaField())
	}
	if !k.gated {
		all = append(all, addFields()...)
	}
	all = append(all, biasField())
	if k.scaling == unscaled {
		all = append(all, factorFields()...)
	}
	if k.gated {
		all = append(all, gateField())
	} else {
		all = append(all, activationField())
	}
	last := lastFields()
	if k == (kind{}) {
		last = append([]catalog.Field{boolField("sum_squares", "SumSquares", "Whether the sum of squares of each row of d is written.")}, last...)
	}
	return append(all, last...)
}

func operand(name, goName string, access catalog.Access, dtype string, shape, strides []string, when, doc string) catalog.Operand {
	return catalog.Operand{Name: name, Go: goName, Access: access, DType: dtype, Shape: shape, Strides: strides, When: when, Doc: doc}
}

func operands(k kind) []catalog.Operand {
	list := func(x ...string) []string { return x }
	columns, blocks := "n", "n/128"
	if k.gated {
		columns, blocks = "2*n", "n/64"
	}
	b := operand("b", "B", catalog.In, "input", list(columns, "k"), list("b_stride", "1"), "", "Right factor, one row a column of the product.")
	all := []catalog.Operand{operand("a", "A", catalog.In, "input", list("m", "k"), list("a_stride", "1"), "", "Left factor.")}
	if k == (kind{}) {
		b.When = "!b_by_k"
		all = append(all, b, operand("b_by_k", "BByK", catalog.In, "input", list("k", "n"), list("b_stride", "1"), "b_by_k", "Right factor, one row an index of the sum."))
	} else {
		all = append(all, b)
	}
	switch k.scaling {
	case perTensor:
		all = append(all, operand("a_scale", "AScale", catalog.In, "scale_type", list("1"), list("1"), "", "What one unit of a stands for."),
			operand("b_scale", "BScale", catalog.In, "scale_type", list("1"), list("1"), "", "What one unit of b stands for."))
	case perRow:
		all = append(all, operand("a_scale", "AScale", catalog.In, "scale_type", list("m"), list("1"), "", "What one unit of each row of a stands for."),
			operand("b_scale", "BScale", catalog.In, "scale_type", list(columns), list("1"), "", "What one unit of each row of b stands for."))
	case perBlock:
		all = append(all, operand("a_scale", "AScale", catalog.In, "scale_type", list("m", "k/128"), list("0", "1"), "", "What one unit of each run of 128 in a row of a stands for."),
			operand("b_scale", "BScale", catalog.In, "scale_type", list(blocks, "k/128"), list("0", "1"), "", "What one unit of each block of 128×128 of b stands for."))
	}
	for i := range all[1:] {
		all[i+1].Constant = all[i+1].Name != "a_scale"
	}
	d := operand("d", "D", catalog.Out, "output", list("m", "n"), list("d_stride", "1"), "", "Result.")
	if !k.gated {
		all = append(all, operand("c", "C", catalog.In, "addend", list("m", "n"), list("c_stride", "1"), "accumulate", "What is added, for example a residual stream."))
		d.MayAlias = list("c")
	}
	bias := operand("bias", "Bias", catalog.In, "bias_type", list(columns), list("1"), "bias", "Term of each column of the product.")
	bias.Constant = true
	all = append(all, bias)
	if k.scaling == unscaled {
		all = append(all, operand("row_factor", "RowFactor", catalog.In, "scale_type", list("m"), list("1"), "row_factor", "Factor of each row, or what it is made of."))
	}
	all = append(all, d)
	if k == (kind{}) {
		all = append(all, operand("row_squares", "RowSquares", catalog.Out, "scale_type", list("m"), list("1"), "sum_squares", "Sum of squares of each row of d, as stored."))
	}
	return all
}
