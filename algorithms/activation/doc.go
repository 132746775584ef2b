// Package activation offers the activations of a feed-forward layer: SiLU and GELU, plain or gated (SwiGLU, GeGLU).
//
//	plan, err := activation.PlanSwiGLU(dev, activation.SwiGLUSpec{MaxRows: 64, Size: 14336, Input: oxrt.BF16, Packed: true})
//	err = plan.Enqueue(scope, activation.GatedOperands{Rows: 3, GateUp: gateUp, Y: y})
//
// A plan is made for a Spec and serves calls of 0 to MaxRows rows, so a server needs one plan for decoding and one for
// prefill, and none per step. In a Spec a type, stride, alignment or scale that is zero means the default; what else it
// accepts is in the operator's description, [Operators].
//
// # Gate and up
//
// The gated operators read gate and up from two tensors, or, with Packed, from the halves of one tensor [rows, 2·size]
// whose rows hold the gate first. With two tensors y may be exactly the gate (same address, stride and element type).
// Every other overlap of y with an input is refused.
//
// # Arithmetic
//
// Inputs are f32, f16 or bf16. Everything in between is f32, every constant is rounded to f32, and each step errs as the
// PTX manual bounds it: 2^x by 2 ulp, 1/x by 1 ulp, other steps by half an ulp. The normal distribution of the exact GELU
// comes from a fit with a relative error of 1.2e-7. The last rounding is to nearest even; e4m3 outputs are divided by
// OutputScale first and saturate at ±448.
//
// # Programmatic launch
//
// Kernels start before the launch before them in the stream has ended and wait on the device for its results.
// [WithoutOverlap] gives that up.
package activation
