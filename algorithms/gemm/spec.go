package gemm

import (
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/runtime"
)

// MaxSize is the largest N and K.
const MaxSize = 1 << 30

// Activation is the function that a product's elements go through.
type Activation uint8

// The functions.
const (
	None Activation = iota
	SiLU
	GELU     // x·Φ(x) with the normal distribution's Φ
	GELUTanh // its approximation by tanh
)

// Gate is the function of the gate of a gated product.
type Gate uint8

// The functions: SwiGLU and two forms of GeGLU.
const (
	GateSiLU Gate = iota
	GateGELU
	GateGELUTanh
)

// MatmulSpec is the contract of d = act(alpha·f·(a·bᵀ) + beta·c + bias) for a [m, k], b [n, k] and d [m, n]; f is a factor
// of each row. Strides are in elements from one row to the next.
type MatmulSpec struct {
	MaxM, N, K       int        // zero MaxM: 65536
	Input            oxrt.DType // of a and b: bf16 or f16
	Output           oxrt.DType // zero: Input
	Addend           oxrt.DType // of c; zero: Input
	BiasType         oxrt.DType // zero: Input
	ScaleType        oxrt.DType // of row factors and row sums; zero: f32
	BByK             bool       // b is [k, n]: b_by_k instead of b
	AStride, BStride int        // zero: dense
	CStride, DStride int        // zero: N
	Align            int        // bytes; zero: 16
	Alpha            float32    // zero: 1
	Accumulate       bool       // whether there is c
	Beta             float32    // zero: 1
	Bias             bool
	RowFactor        bool    // whether there is f
	FromSquares      bool    // f is made of sums of squares of k elements: 1/sqrt(row_factor/k + epsilon)
	Epsilon          float32 // of FromSquares
	Activation       Activation
	SumSquares       bool    // write each row's sum of squares of d
	OutputScale      float32 // of an e4m3 output; zero: 1
	BatchInvariant   bool    // a row's bits do not depend on m
}

// GatedSpec is the contract of d = gate(g)·u for a [m, k], b [2·n, k] and d [m, n]: the columns of f·(a·bᵀ) + bias are g and u
// by turns, so that b's rows belong to the gate and to up by turns.
type GatedSpec struct {
	MaxM, N, K       int        // zero MaxM: 65536; N columns of d
	Input            oxrt.DType // of a and b: bf16 or f16
	Output           oxrt.DType // zero: Input
	BiasType         oxrt.DType // zero: Input
	ScaleType        oxrt.DType // of row factors; zero: f32
	AStride, BStride int        // zero: dense
	DStride          int        // zero: N
	Align            int        // bytes; zero: 16
	Bias             bool
	RowFactor        bool    // whether there is f
	FromSquares      bool    // f is made of sums of squares of k elements: 1/sqrt(row_factor/k + epsilon)
	Epsilon          float32 // of FromSquares
	Gate             Gate
	OutputScale      float32 // of an e4m3 output; zero: 1
	BatchInvariant   bool    // a row's bits do not depend on m
}

// ScaledSpec is the contract of d = act(s·(a·bᵀ) + beta·c + bias) for e4m3 a [m, k] and b [n, k]. What s is, the operator says:
// a product of one scale of a and one of b, for the whole tensors, for a's row and b's row, or for blocks of 128 in k.
type ScaledSpec struct {
	MaxM, N, K       int        // zero MaxM: 65536
	Input            oxrt.DType // zero: e4m3
	Output           oxrt.DType // zero: bf16
	Addend           oxrt.DType // of c; zero: bf16
	BiasType         oxrt.DType // zero: bf16
	ScaleType        oxrt.DType // zero: f32
	AStride, BStride int        // zero: dense
	CStride, DStride int        // zero: N
	Align            int        // bytes; zero: 16
	Accumulate       bool       // whether there is c
	Beta             float32    // zero: 1
	Bias             bool
	Activation       Activation
	OutputScale      float32 // of an e4m3 output; zero: 1
	BatchInvariant   bool    // a row's bits do not depend on m
}

// ScaledGatedSpec is GatedSpec for e4m3 a and b, with scales as in ScaledSpec.
type ScaledGatedSpec struct {
	MaxM, N, K       int        // zero MaxM: 65536; N columns of d
	Input            oxrt.DType // zero: e4m3
	Output           oxrt.DType // zero: bf16
	BiasType         oxrt.DType // zero: bf16
	ScaleType        oxrt.DType // zero: f32
	AStride, BStride int        // zero: dense
	DStride          int        // zero: N
	Align            int        // bytes; zero: 16
	Bias             bool
	Gate             Gate
	OutputScale      float32 // of an e4m3 output; zero: 1
	BatchInvariant   bool    // a row's bits do not depend on m
}

// Option changes how a plan is made.
type Option = invoke.Option

// WithAlgorithm binds the plan to one algorithm; a Spec that it cannot run is refused.
func WithAlgorithm(name string) Option { return invoke.WithAlgorithm(name) }

// WithoutOverlap makes every launch wait for the end of the one before it.
func WithoutOverlap() Option { return invoke.WithoutOverlap() }
