package catalog

import "github.com/oxideinfer/oxide/runtime"

// Operator describes one operator. It is plain data; `oxidelab ops -json` prints it as it is.
type Operator struct {
	// Name is "family.operator", the name used in errors, files and records.
	Name string `json:"name"`
	// Doc is the definition, one paragraph. Source names the paper or program that it comes from.
	Doc    string `json:"doc"`
	Source string `json:"source"`
	// Fields are the Spec's, in declaration order.
	Fields []Field `json:"fields"`
	// Dims are sizes that a call chooses, each up to a limit that the Spec states.
	Dims []Dim `json:"dims"`
	// Flops are the arithmetic operations of the definition: the sum of products such as "4*rows*hidden". A square root, an
	// exponential or an error function counts as one. The f32 units do them, or tensor cores: see TensorCores.
	Flops []string `json:"flops"`
	// TensorCores is the Spec field of the element type that tensor cores multiply; empty: the f32 units do the arithmetic.
	TensorCores string `json:"tensor_cores,omitempty"`
	// Operands are the tensors of a call, in the order of [Call.Regions].
	Operands []Operand `json:"operands"`
	// Algorithms are all strategies, the most general last.
	Algorithms []Algorithm `json:"algorithms"`
	// Results says what happens with NaN, infinities, subnormal and huge values, empty inputs and ties.
	Results []string `json:"results"`
}

// Dim is a size that belongs to the call and not to the Spec, for example the number of tokens of this step.
type Dim struct {
	Name string `json:"name"`
	// Max is the Spec field that limits it. Zero is always allowed.
	Max string `json:"max"`
	// Tuned: plans choose by that limit, so that adapters make one for calls of about a size and not one for all.
	Tuned bool   `json:"tuned,omitempty"`
	Doc   string `json:"doc"`
}

// Kind is the type of a Spec field.
type Kind string

// The kinds of Spec fields. An Enum's Go type is an unsigned integer that indexes Field.Choices.
const (
	Int   Kind = "int"
	Float Kind = "float"
	Bool  Kind = "bool"
	Type  Kind = "dtype"
	Enum  Kind = "enum"
)

// Field is one field of a Spec.
type Field struct {
	Name string `json:"name"` // in JSON, C and Python
	Go   string `json:"go"`   // in the Go struct
	Kind Kind   `json:"kind"`
	// Default is the text of the value that a missing field gets, or "=name" for the value of the field of that name,
	// which stands before this one. A field without a default must be given.
	Default string `json:"default,omitempty"`
	// Min and Max bound Int and Float fields, both inclusive.
	Min float64 `json:"min"`
	Max float64 `json:"max"`
	// NonZero excludes 0 from a range that holds it.
	NonZero bool `json:"non_zero,omitempty"`
	// Choices are the allowed texts of Enum and Type fields.
	Choices []string `json:"choices,omitempty"`
	Doc     string   `json:"doc"`
}

// Access says what an operator does to an operand.
type Access string

// Roles of operands.
const (
	In  Access = "in"
	Out Access = "out"
)

// Operand is one tensor of a call.
type Operand struct {
	Name   string `json:"name"`
	Go     string `json:"go"`
	Access Access `json:"access"`
	// DType is the name of the Spec field that holds the element type.
	DType string `json:"dtype"`
	// Shape has one expression a dimension: a number, a Spec field, a call dimension, or a product such as "2*size". A factor
	// "size/128" is the quotient, rounded up.
	Shape []string `json:"shape"`
	// Strides has one expression a dimension, in elements. 0, also a field that is 0, means "densely packed".
	Strides []string `json:"strides"`
	// When is the Spec field that must be non-zero or true for the operand to exist, or zero or false where it begins
	// with "!"; empty: always.
	When string `json:"when,omitempty"`
	// MayAlias names the inputs that this output may be, exactly (same address, stride and element type). Every other
	// overlap with an output is refused.
	MayAlias []string `json:"may_alias,omitempty"`
	// Constant says that kernels read the operand before they wait for the launches ahead of them, as weights. A scope keeps apart
	// what its operators write; other writers must have ended.
	Constant bool   `json:"constant,omitempty"`
	Doc      string `json:"doc"`
}

// Algorithm is one named strategy of an operator. A changed contract gets a new name.
type Algorithm struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	// Provider is who implements it, for example "Oxide".
	Provider string `json:"provider"`
	// Targets are the ptxas targets for which artifacts exist.
	Targets []string `json:"targets"`
	// Requires are the conditions on a Spec, one sentence each; none: every valid Spec.
	Requires []string `json:"requires,omitempty"`
}

// Operand returns the operand of that name.
func (op *Operator) Operand(name string) (Operand, bool) {
	for _, o := range op.Operands {
		if o.Name == name {
			return o, true
		}
	}
	return Operand{}, false
}

// Algorithm returns the algorithm of that name.
func (op *Operator) Algorithm(name string) (Algorithm, bool) {
	for _, a := range op.Algorithms {
		if a.Name == name {
			return a, true
		}
	}
	return Algorithm{}, false
}

// Refuse makes the typed error with which the operator refuses a Spec field or an operand. It is oxrt.ErrContract to
// errors.Is.
func (op *Operator) Refuse(field, want, got string) error {
	return &oxrt.ContractError{Kernel: op.Name, Field: field, Want: want, Got: got}
}
