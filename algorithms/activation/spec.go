package activation

import (
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/runtime"
)

// MaxSize is the longest row.
const MaxSize = 1 << 30

// Approximation says how GELU computes the normal distribution.
type Approximation uint8

const (
	// Exact is x·Φ(x) with the normal distribution's Φ, as torch's gelu(approximate="none").
	Exact Approximation = iota
	// Tanh is x·(1 + tanh(sqrt(2/π)·(x + 0.044715·x³)))/2, as torch's gelu(approximate="tanh").
	Tanh
)

func (a Approximation) String() string {
	if a == Tanh {
		return "tanh"
	}
	return "exact"
}

// SwiGLUSpec is the contract of y = gate·sigmoid(gate)·up, element by element. Strides are in elements.
type SwiGLUSpec struct {
	MaxRows, Size        int
	Input                oxrt.DType
	Output               oxrt.DType // zero: Input
	Packed               bool       // gate and up are the halves of one tensor
	GateUpStride         int        // with Packed; zero: 2·Size
	GateStride, UpStride int        // without Packed; zero: Size
	YStride              int        // zero: Size
	Align                int        // bytes; zero: 16
	OutputScale          float32    // of an e4m3 output; zero: 1
}

// GeGLUSpec is the contract of y = gelu(gate)·up, element by element. Strides are in elements.
type GeGLUSpec struct {
	MaxRows, Size        int
	Input                oxrt.DType
	Output               oxrt.DType // zero: Input
	Packed               bool       // gate and up are the halves of one tensor
	GateUpStride         int        // with Packed; zero: 2·Size
	GateStride, UpStride int        // without Packed; zero: Size
	YStride              int        // zero: Size
	Align                int        // bytes; zero: 16
	OutputScale          float32    // of an e4m3 output; zero: 1
	Approximation        Approximation
}

// SiLUSpec is the contract of y = x·sigmoid(x), element by element. Strides are in elements.
type SiLUSpec struct {
	MaxRows, Size    int
	Input            oxrt.DType
	Output           oxrt.DType // zero: Input
	XStride, YStride int        // zero: Size
	Align            int        // bytes; zero: 16
	OutputScale      float32    // of an e4m3 output; zero: 1
}

// GELUSpec is the contract of y = x·Φ(x), element by element. Strides are in elements.
type GELUSpec struct {
	MaxRows, Size    int
	Input            oxrt.DType
	Output           oxrt.DType // zero: Input
	XStride, YStride int        // zero: Size
	Align            int        // bytes; zero: 16
	OutputScale      float32    // of an e4m3 output; zero: 1
	Approximation    Approximation
}

// Option changes how a plan is made.
type Option = invoke.Option

// WithAlgorithm binds the plan to one algorithm; a Spec that it cannot run is refused.
func WithAlgorithm(name string) Option { return invoke.WithAlgorithm(name) }

// WithoutOverlap makes every launch wait for the end of the one before it.
func WithoutOverlap() Option { return invoke.WithoutOverlap() }
