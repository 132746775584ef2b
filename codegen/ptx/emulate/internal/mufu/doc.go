// Package mufu is the special function unit of sm_90 bit for bit: 2^x, log2, reciprocal, roots, sine, cosine and the
// hyperbolic tangent of f32, and the 16-bit forms.
//
// The unit interpolates with quadratics out of small tables: the upper bits of the argument choose a segment, the lower
// 17 bits are the offset in it, and the squarer leaves out the columns below 2^19 (Oberman and Siu, A High-Performance
// Area-Efficient Multifunction Interpolator, ARITH 2005; the widths of table entries and the left-out columns were
// established for sm_50 to sm_75 by the project bcarlet/ptx-math). Every result is the upper 24 bits of the sum.
//
// The coefficients are fitted to values recorded on an H200: record/record.cu records, package fit finds the integers
// that give every recorded bit and writes ztables.go. The hashes under ../../testdata/mufu cover all 2^32 arguments of
// every instruction; `go test ./codegen/ptx/emulate -run Recorded -mufu.all` compares them all.
//
// To record and fit again:
//
//	nvcc -gencode=arch=compute_90a,code=sm_90a -o record record/record.cu && ./record RECORDINGS
//	go run ./fit -tables ztables.go -hashes ../../testdata/mufu RECORDINGS
//
// Functions take and give bit patterns. As the unit does, they read subnormal arguments as zero and flush subnormal
// results to zero; the instruction that surrounds the unit scales where it must. NaN is 0x7fffffff.
package mufu
