package catalog

import (
	"github.com/oxideinfer/oxide/runtime"
)

// Binding joins an operator's description to the code of its family. A Spec passes through it as a pointer to the
// family's Spec struct.
type Binding struct {
	Operator *Operator
	// New returns a pointer to a Spec with all defaults set.
	New func() any
	// Validate refuses a Spec that breaks the contract, with every finding.
	Validate func(spec any) error
	// Supports says for each algorithm of the operator, in order, why it cannot run the Spec; nil where it can.
	Supports func(spec any) []error
	// Plan chooses an algorithm ("": the one that the family recommends) and loads its artifact.
	Plan func(dev *oxrt.Device, spec any, algorithm string) (Plan, error)
	// Reference computes the outputs of the definition from the inputs, both by operand name and in row-major order
	// without gaps. Absent operands are missing from the map.
	Reference func(spec any, dims []int, in map[string][]float64) map[string]Expected
	// Cases are the declared qualification cases.
	Cases func() []Case
}

// ParseSpec reads and validates a Spec in JSON.
func (b Binding) ParseSpec(data []byte) (any, error) {
	spec := b.New()
	if err := b.Operator.DecodeSpec(data, spec); err != nil {
		return nil, err
	}
	if err := b.Validate(spec); err != nil {
		return nil, err
	}
	return spec, nil
}

// Call is one invocation without Go types: sizes in the order of Operator.Dims and regions in the order of
// Operator.Operands. An absent operand is the zero Region.
type Call struct {
	Dims    []int
	Regions []oxrt.Region
}

// Case is one qualification case: a Spec, sizes, and how the inputs are filled.
type Case struct {
	// Name is unique within the operator and says what is special.
	Name string
	// Spec is a pointer to the Spec; Dims are the call's sizes.
	Spec any
	Dims []int
	// Algorithm names one strategy; empty runs every algorithm that supports the Spec.
	Algorithm string
	// Fill is the kind of input values; InPlace makes every output that may alias an input that input.
	Fill    Fill
	InPlace bool
	// Offset moves every region by that many elements from its aligned address.
	Offset int
	// Quick cases run on every change on the emulated device; the others need a real one or patience.
	Quick bool
}

// Fill names a kind of input values. Each is deterministic.
type Fill string

// The kinds of input values.
const (
	// Normal values around zero, as activations are.
	Normal Fill = "normal"
	// Positive values between 0.5 and 2: sums without cancellation, which shows biased rounding.
	Positive Fill = "positive"
	// Cancelling values: large ones of both signs whose sum almost vanishes.
	Cancelling Fill = "cancelling"
	// Integers from -4 to 4.
	Integers Fill = "integers"
	// Zeros are zero inputs, half of them negative.
	Zeros Fill = "zeros"
	// Special rows: one with a NaN, one with +Inf, one with -Inf, one with both, ordinary ones between them.
	Special Fill = "special"
	// Tiny values: subnormal in the input's format.
	Tiny Fill = "tiny"
	// Huge values: within a factor of four of the largest finite value of the format.
	Huge Fill = "huge"
	// Constant values: the same in every element of a row.
	Constant Fill = "constant"
)
