// Package catalog describes operators as data and joins the descriptions to the code that runs them.
//
// An [Operator] says everything that a caller in any language has to know: the fields of its Spec with types, defaults
// and ranges, the operands with their roles, element types, shapes and aliasing rules, the algorithms, and what each of
// them needs. oxidelab, the C header, the Python operators and the reference pages are made from these values alone.
//
// A [Binding] adds the typed code of a family: validation, planning, the float64 reference. It lets a tool run any
// operator on named tensors without knowing its Go types:
//
//	spec, err := binding.ParseSpec(data)          // JSON, with defaults; unknown and missing fields are errors
//	tensors, err := binding.Operator.Tensors(spec, rows) // concrete shapes, strides and types of all operands
//	plan, err := binding.Plan(dev, spec, "")      // "" takes the algorithm that the family recommends
//	err = plan.EnqueueCall(scope, call)           // regions in the order of Operator.Operands
//
// # Results and their bounds
//
// A reference returns [Expected]: the value of the definition in float64, and an interval that holds every result
// allowed by the operator's arithmetic, before the last rounding into the output's format. The interval follows from
// the accumulation that the operator promises and from the error of each f32 step; there is no relative tolerance to
// choose. Where the arithmetic is exact the interval is a point and [Compare] demands equal bits.
package catalog
