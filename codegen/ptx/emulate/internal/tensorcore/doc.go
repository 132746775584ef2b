// Package tensorcore is the arithmetic of Hopper's matrix instructions: the fused sum of mma.sync and
// wgmma.mma_async bit for bit, where the elements of a matrix sit in the registers of a warp, and what a wgmma
// shared-memory descriptor points at. It knows nothing of the machine around it.
//
// # The fused sum
//
// The manual leaves order and rounding of a matrix product open. On sm_90 one instruction is one sum over its whole K
// and the addend C, by the rule published in "MMA-Sim" (arXiv 2511.10909). Package golden's recordings of more than
// 5,000 products on an H200 agree with it in every bit, with the additions named below:
//
//  1. Significands multiply exactly. The product of 1.x and 1.y stays in [1, 4): it is not normalised, its exponent is
//     the sum of the exponents. A subnormal has the format's smallest exponent and a significand below 1.
//  2. E is the largest exponent over all products and C.
//  3. Each term is cut (toward zero) to F bits behind the binary point at exponent E. F is 25; 13 for wgmma on fp8.
//  4. What is left is added exactly.
//  5. The sum is cut toward zero to f32, or rounded to nearest even to f16. wgmma on fp8 keeps only 13 bits of the
//     f32's mantissa.
//
// Measured on the H200 where the rule was open:
//
//   - A zero factor takes its product out of the sum: it has no exponent, however large its partner is. A zero C
//     likewise.
//   - The forms of half the depth (m16n8k8 of 16-bit types, m16n8k4 of tf32) follow the same rule over their own K.
//   - A sum that is zero or rounds to zero is +0, whatever the signs of its terms.
//   - A finite sum beyond f32 becomes Inf. Products beyond f32 may cancel.
//   - Infinities and NaNs follow exact arithmetic: 0·Inf and Inf-Inf are NaN, and NaN results are 0x7fffffff or 0x7fff.
//   - tf32 operands drop their low 13 bits before anything else, so a NaN whose payload lies there is an infinity.
//
// # Descriptors
//
// Also measured: the swizzle's XOR takes the absolute shared-memory address, less the base offset in units of 128
// bytes, also where the base offset is not that of the start; the leading offset of a K-major swizzled layout is ignored.
//
// mma.sync on fp8 is no instruction of sm_90; see [MultiplyFP8].
package tensorcore
