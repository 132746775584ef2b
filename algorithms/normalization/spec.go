package normalization

import (
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	"github.com/oxideinfer/oxide/runtime"
)

// MaxHidden is the longest row.
const MaxHidden = 65536

// Rounding says where a value in the input's format appears between the normalisation and the weight.
type Rounding uint8

const (
	// RoundAfterWeight keeps f32 until the output: y = round(x·rstd·w). Gemma's way, and vLLM's and FlashInfer's kernels'.
	RoundAfterWeight Rounding = iota
	// RoundBeforeWeight rounds the normalised value to the input's format first: y = round(round(x·rstd)·w). The way of
	// Llama in transformers.
	RoundBeforeWeight
)

func (r Rounding) String() string {
	if r == RoundBeforeWeight {
		return "before_weight"
	}
	return "after_weight"
}

// Option changes how a plan is made.
type Option = invoke.Option

// WithAlgorithm binds the plan to one algorithm; a Spec that it cannot run is refused.
func WithAlgorithm(name string) Option { return invoke.WithAlgorithm(name) }

// WithoutOverlap makes every launch wait for the end of the one before it, weights included.
func WithoutOverlap() Option { return invoke.WithoutOverlap() }

// formats checks what the three element types of an operator must have in common.
func formats(op *catalog.Operator, input, weight, output oxrt.DType) error {
	var all []error
	if weight != input && weight != oxrt.F32 {
		all = append(all, op.Refuse("weight", "f32 or the input's type "+input.String(), weight.String()))
	}
	return errors.Join(append(all, rows.CheckOutput(op, input, output))...)
}

// offset checks the weight offset.
func offset(op *catalog.Operator, value float32) error {
	if value != 0 && value != 1 {
		return op.Refuse("weight_offset", "0 or 1", fmt.Sprint(value))
	}
	return nil
}

// dense is a stride as kernels take it, with 0 replaced.
func dense(stride, packed int) uint64 { return uint64(rows.Dense(stride, packed)) }
