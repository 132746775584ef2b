// Package activation holds the activation operators of a feed-forward layer: SiLU and GELU, plain or gated (SwiGLU, GeGLU).
//
// A caller makes a Spec, plans it once for a device and enqueues the plan into scopes:
//
//	plan, err := activation.PlanGated(dev, activation.GatedSpec{Size: 14336, InputType: oxrt.BF16}, oxrt.Trusted)
//	err = plan.Enqueue(scope, activation.GatedOperands{Gate: gate, Up: up, Y: y, Rows: 128})
//
// Every Spec says what comes out for NaN, infinities, denormals, values that overflow and zero rows; the tests hold every
// algorithm to it. The reference of an operator is float64 arithmetic written from its definition, and each result's
// tolerance follows from the number formats and the instructions' documented errors, value by value.
//
// Strides are in elements, rows are contiguous inside. A stride of 0 in the operands means dense rows.
package activation
