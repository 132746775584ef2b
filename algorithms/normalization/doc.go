// Package normalization offers RMSNorm, residual add + RMSNorm, per-head RMSNorm of Q and K, and LayerNorm.
//
//	plan, err := normalization.PlanRMSNorm(dev, normalization.RMSNormSpec{MaxRows: 64, Hidden: 4096, Input: oxrt.BF16, Epsilon: 1e-6})
//	err = plan.Enqueue(scope, normalization.RMSNormOperands{Rows: 3, X: x, Weight: w, Y: y})
//
// A plan is made for a Spec and serves calls of 0 to MaxRows rows, so a server needs one plan for decoding and one for
// prefill, and none per step. In a Spec a type, stride, alignment or scale that is zero means the default; what else it
// accepts is in the operator's description, [Operators].
//
// # Arithmetic
//
// Inputs are f32, f16 or bf16. Everything in between is f32: a thread adds at most [MaxChain] terms one after another, the
// rest of a sum is a tree. The last rounding is to nearest even; e4m3 outputs are divided by OutputScale first and
// saturate at ±448.
//
// # Programmatic launch
//
// Kernels start before the launch before them in the stream has ended and wait on the device for its results. Weights and
// biases are read before that wait: they are constants (catalog.Operand.Constant). Where an operator of the stream may still be writing one, the
// launch is made to wait for all of it. A kernel of somebody else on the stream that writes one must not let its dependents start early.
// [WithoutOverlap] gives the overlap up.
package normalization
