package normalization

import (
	"errors"
	"fmt"
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	gen "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// HeadRMSNormSpec is the contract of RMSNorm over every head of Q and of K by itself, with one weight for Q's heads and
// one for K's, before the rotation (Qwen3, Gemma 3). Q and K, and their outputs, may be parts of one fused tensor. Strides
// are in elements.
type HeadRMSNormSpec struct {
	MaxTokens                       int // zero: 65536
	QHeads, KHeads, HeadDim         int // 64, 128 or 256 elements a head; KHeads may be 0
	Input                           oxrt.DType
	Weight                          oxrt.DType // zero: Input
	QTokenStride, QHeadStride       int        // zero: densely packed
	KTokenStride, KHeadStride       int
	QOutTokenStride, QOutHeadStride int
	KOutTokenStride, KOutHeadStride int
	Align                           int // bytes; zero: 16
	Epsilon                         float32
	WeightOffset                    float32 // 0 or 1
	Rounding                        Rounding
}

// HeadRMSNormOperands are the tensors of one call of Tokens tokens. QOut may be Q and KOut may be K.
type HeadRMSNormOperands struct {
	Tokens                             int
	Q, K, QWeight, KWeight, QOut, KOut oxrt.Region
}

// HeadRMSNormPlan runs one HeadRMSNormSpec on one device.
type HeadRMSNormPlan struct {
	invoke.Plan
	args     gen.OxideSm90HeadRMSNormArgs // of every call
	gridY    uint32
	elements int // of one token
	headDim  uint64
}

// headsPerBlock is how many heads of one token a block of the kernel normalises: 128 threads with 8 elements each.
func headsPerBlock(headDim int) int { return 128 * rows.Packet / headDim }

func headOperand(name, goName string, access catalog.Access, heads, tokenStride, headStride, when, doc string, alias ...string) catalog.Operand {
	return catalog.Operand{Name: name, Go: goName, Access: access, DType: "input", Shape: []string{"tokens", heads, "head_dim"},
		Strides: []string{tokenStride, headStride, "1"}, When: when, MayAlias: alias, Doc: doc}
}

func headWeight(name, goName, when, doc string) catalog.Operand {
	return catalog.Operand{Name: name, Go: goName, Access: catalog.In, DType: "weight", Shape: []string{"head_dim"},
		Strides: []string{"1"}, When: when, Constant: true, Doc: doc}
}

func headStride(name, goName, unit, of string) catalog.Field {
	f := rows.Stride(name, goName, of)
	f.Doc = "Elements from one " + unit + " of " + of + " to the next; 0: densely packed."
	return f
}

func headRMSNormOperator() *catalog.Operator {
	count := func(name, goName, doc string, least float64) catalog.Field {
		return catalog.Field{Name: name, Go: goName, Kind: catalog.Int, Min: least, Max: 1 << 16, Doc: doc}
	}
	return &catalog.Operator{
		Name: "normalization.head_rms_norm",
		Doc: "out = x · rsqrt(mean(x²) + epsilon) · (weight + weight_offset) for every head of q and of k by itself, in f32, " +
			"in one launch.",
		Source: "Henry et al., Query-Key Normalization for Transformers, 2020, with RMSNorm as in Qwen3 and Gemma 3",
		Fields: []catalog.Field{
			{Name: "max_tokens", Go: "MaxTokens", Kind: catalog.Int, Default: "65536", Min: 1, Max: rows.Largest - 1, Doc: "Most tokens of a call."},
			count("q_heads", "QHeads", "Heads of q.", 1), count("k_heads", "KHeads", "Heads of k; 0: there is no k.", 0),
			{Name: "head_dim", Go: "HeadDim", Kind: catalog.Int, Min: 64, Max: 256, Doc: "Elements of a head: 64, 128 or 256."},
			rows.Input(), weightField(),
			headStride("q_token_stride", "QTokenStride", "token", "q"), headStride("q_head_stride", "QHeadStride", "head", "q"),
			headStride("k_token_stride", "KTokenStride", "token", "k"), headStride("k_head_stride", "KHeadStride", "head", "k"),
			headStride("q_out_token_stride", "QOutTokenStride", "token", "q_out"), headStride("q_out_head_stride", "QOutHeadStride", "head", "q_out"),
			headStride("k_out_token_stride", "KOutTokenStride", "token", "k_out"), headStride("k_out_head_stride", "KOutHeadStride", "head", "k_out"),
			rows.Align(), epsilonField(), offsetField(), roundingField(),
		},
		Dims: []catalog.Dim{{Name: "tokens", Max: "max_tokens", Doc: "Tokens of this call."}},
		Operands: []catalog.Operand{
			headOperand("q", "Q", catalog.In, "q_heads", "q_token_stride", "q_head_stride", "", "Queries."),
			headOperand("k", "K", catalog.In, "k_heads", "k_token_stride", "k_head_stride", "k_heads", "Keys; may share rows of one tensor with q."),
			headWeight("q_weight", "QWeight", "", "Factor of each element of a head of q."),
			headWeight("k_weight", "KWeight", "k_heads", "Factor of each element of a head of k."),
			headOperand("q_out", "QOut", catalog.Out, "q_heads", "q_out_token_stride", "q_out_head_stride", "", "Normalised queries.", "q"),
			headOperand("k_out", "KOut", catalog.Out, "k_heads", "k_out_token_stride", "k_out_head_stride", "k_heads",
				"Normalised keys; may share rows of one tensor with q_out.", "k"),
		},
		Algorithms: []catalog.Algorithm{
			rows.Oxide("OxideSm90HeadRMSNorm", "A head in the registers of 8, 16 or 32 lanes, q and k in one launch.",
				"all strides are multiples of 8, align is a multiple of 16"),
		},
		Flops:   []string{"4*tokens*q_heads*head_dim", "4*tokens*k_heads*head_dim"},
		Results: append(rmsResults(), "What is said of a row holds for a head."),
	}
}

// spacing is a stride with the least that keeps heads or tokens apart.
type spacing struct {
	name         string
	value, least int
}

// strides lists the Spec's strides.
func (s *HeadRMSNormSpec) strides() []spacing {
	row := func(heads, headStride int) int {
		if heads == 0 {
			return 0
		}
		return (heads-1)*int(dense(headStride, s.HeadDim)) + s.HeadDim
	}
	return []spacing{
		{"q_head_stride", s.QHeadStride, s.HeadDim}, {"q_token_stride", s.QTokenStride, row(s.QHeads, s.QHeadStride)},
		{"k_head_stride", s.KHeadStride, s.HeadDim}, {"k_token_stride", s.KTokenStride, row(s.KHeads, s.KHeadStride)},
		{"q_out_head_stride", s.QOutHeadStride, s.HeadDim}, {"q_out_token_stride", s.QOutTokenStride, row(s.QHeads, s.QOutHeadStride)},
		{"k_out_head_stride", s.KOutHeadStride, s.HeadDim}, {"k_out_token_stride", s.KOutTokenStride, row(s.KHeads, s.KOutHeadStride)},
	}
}

// Validate refuses a Spec that no algorithm could run.
func (s HeadRMSNormSpec) Validate() error {
	op := headRMSNormOperator()
	op.Complete(&s)
	if err := op.Check(&s); err != nil {
		return err
	}
	all := []error{formats(op, s.Input, s.Weight, s.Input), offset(op, s.WeightOffset), rows.CheckAlign(op, s.Align, s.Input)}
	if !slices.Contains([]int{64, 128, 256}, s.HeadDim) {
		all = append(all, op.Refuse("head_dim", "64, 128 or 256", fmt.Sprint(s.HeadDim)))
	}
	for _, e := range s.strides() {
		all = append(all, rows.CheckStride(op, e.name, e.value, e.least))
	}
	all = append(all, s.candidates(op)[0].Refusal)
	return errors.Join(all...)
}

func (s *HeadRMSNormSpec) candidates(op *catalog.Operator) []invoke.Candidate {
	var strides []rows.Named
	for _, e := range s.strides() {
		strides = append(strides, rows.Named{Field: e.name, Value: e.value})
	}
	variant := fmt.Sprintf("%s_D%d%s", inWeightName(s.Input, s.Weight), s.HeadDim, suffix(s.Rounding, s.Input))
	return []invoke.Candidate{{Artifact: gen.OxideSm90HeadRMSNorm(variant, rows.Target), Refusal: rows.NotPacked(op, s.Align, strides...)}}
}

// PlanHeadRMSNorm validates the Spec and loads the artifact on the device.
func PlanHeadRMSNorm(dev *oxrt.Device, s HeadRMSNormSpec, options ...Option) (*HeadRMSNormPlan, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	op := headRMSNormOperator()
	op.Complete(&s)
	plan, err := invoke.New(dev, op, &s, s.Align, s.candidates(op), options)
	if err != nil {
		return nil, err
	}
	token := func(tokenStride, headStride, heads int) uint64 {
		return dense(tokenStride, int(dense(headStride, s.HeadDim))*heads)
	}
	perBlock := headsPerBlock(s.HeadDim)
	return &HeadRMSNormPlan{
		Plan: plan,
		args: gen.OxideSm90HeadRMSNormArgs{
			QTokenStride: token(s.QTokenStride, s.QHeadStride, s.QHeads), QHeadStride: dense(s.QHeadStride, s.HeadDim),
			KTokenStride: token(s.KTokenStride, s.KHeadStride, s.KHeads), KHeadStride: dense(s.KHeadStride, s.HeadDim),
			QOutTokenStride: token(s.QOutTokenStride, s.QOutHeadStride, s.QHeads), QOutHeadStride: dense(s.QOutHeadStride, s.HeadDim),
			KOutTokenStride: token(s.KOutTokenStride, s.KOutHeadStride, s.KHeads), KOutHeadStride: dense(s.KOutHeadStride, s.HeadDim),
			QHeads: uint32(s.QHeads), KHeads: uint32(s.KHeads), Eps: s.Epsilon, WeightOffset: s.WeightOffset,
		},
		headDim:  uint64(s.HeadDim),
		gridY:    uint32((s.QHeads + s.KHeads + perBlock - 1) / perBlock),
		elements: (s.QHeads + s.KHeads) * s.HeadDim,
	}, nil
}
