// Package gemm offers matrix products: d = act(alpha·f·(a·bᵀ) + beta·c + bias) of two-byte numbers, the same of scaled e4m3, and
// products whose columns are gates and values by turns (SwiGLU, GeGLU).
//
//	plan, err := gemm.PlanMatmul(dev, gemm.MatmulSpec{MaxM: 2048, N: 4096, K: 14336, Input: oxrt.BF16})
//	err = plan.Enqueue(scope, gemm.Operands{M: 1777, A: x, B: weight, D: y})
//
// a is [m, k], b [n, k] (or [k, n] with BByK) and d [m, n], in rows at any stride. A plan serves calls of 0 to MaxM rows and is
// chosen for MaxM: a server has one for decoding and one for prefill. In a Spec a type, stride, alignment or factor that is zero means
// the default; what else it accepts is in the operator's description, [Operators].
//
// # Scales
//
// The scaled products multiply e4m3 with scales in f32: one for each tensor, one for each row of a and of b, or one for each 1×128
// of a, [m, ⌈k/128⌉], and each 128×128 of b, [⌈n/128⌉, ⌈k/128⌉].
//
// # Gates
//
// In a gated product b has 2·n rows: those of the gate and of up by turns, so that an element of d needs two neighbouring columns of
// the product, and no second pass over memory.
//
// # RMSNorm
//
// With SumSquares a product writes the sum of squares of each row of d. With RowFactor and FromSquares the next product multiplies
// its rows by 1/sqrt(sum/k + epsilon): together with the norm's weight, multiplied into b's columns beforehand, that is RMSNorm.
//
// # Algorithms
//
// Tiles by wgmma, with k divided or not, and a general kernel for every shape, stride and alignment. A plan says which it took and
// why ([Plan.Describe]); [WithAlgorithm] names one. Results do not change from run to run. With BatchInvariant the bits of a row do not depend
// on m or MaxM either, as long as the same algorithm serves: name it to be sure across Specs.
//
// # Adding an algorithm
//
// One file holds what the family must know of it as a strategy: its description, the operators that list it, what it offers for
// a Spec or why it cannot run it, an estimate of its time, and the launch. The list is in strategy.go; the family's cases run it on
// the emulated device with every Spec that it accepts.
package gemm
