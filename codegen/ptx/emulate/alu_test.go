package emulate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// evalText is a kernel that applies one instruction to every thread's operands: %r10 %r11 %r12 (or %rd10 … built from
// two words each) give %r20 or %rd20.
func evalText(instr string) string {
	return kernelText(4, `
mul.wide.u32 %rd5, %r0, 8; add.u64 %rd0, %rd0, %rd5; add.u64 %rd1, %rd1, %rd5; add.u64 %rd2, %rd2, %rd5; add.u64 %rd3, %rd3, %rd5;
ld.global.b64 %rd10, [%rd0]; ld.global.b64 %rd11, [%rd1]; ld.global.b64 %rd12, [%rd2];
cvt.u32.u64 %r10, %rd10; cvt.u32.u64 %r11, %rd11; cvt.u32.u64 %r12, %rd12; cvt.u16.u32 %h10, %r10; cvt.u16.u32 %h11, %r11; cvt.u16.u32 %h12, %r12;
mov.b32 %r20, 0; mov.b64 %rd20, 0; mov.b16 %h18, 0;
setp.ne.u32 %p9, %r12, 0;
`+instr+`
st.global.b64 [%rd3], %rd20;`)
}

// Where an instruction ends in a 32-bit, 16-bit or predicate result, these move it to %rd20.
const (
	from32 = " cvt.u64.u32 %rd20, %r20;"
	from16 = " cvt.u64.u16 %rd20, %h18;"
	fromP  = " selp.b64 %rd20, 1, 0, %p1;"
)

func words(v []uint64) []uint32 {
	out := make([]uint32, 0, 2*len(v))
	for _, x := range v {
		out = append(out, uint32(x), uint32(x>>32))
	}
	return out
}

// eval runs an instruction over columns of operands, one thread each.
func eval(t *testing.T, instr string, a, b, c []uint64) []uint64 {
	t.Helper()
	k := newBench(t, Config{Workers: 1}, evalText(instr), words(a), words(b), words(c), 8*len(a))
	k.clean(block(uint32(len(a))), 0)
	got := k.u32(3)
	out := make([]uint64, len(a))
	for i := range out {
		out[i] = uint64(got[2*i]) | uint64(got[2*i+1])<<32
	}
	return out
}

const (
	m1  = 0xffffffff // -1
	m7  = 0xfffffff9
	lo  = 0x80000000
	nan = 0x7fffffff
	inf = 0x7f800000
	one = 0x3f800000
	two = 0x40000000
	sub = 0x00000003 // a subnormal f32
)

// TestInstructions compares single results with values worked out by hand from the manual.
func TestInstructions(t *testing.T) {
	for _, c := range []struct {
		instr   string
		a, b, c uint64
		want    uint64
	}{
		{"add.u32 %r20, %r10, %r11;", m1, 2, 0, 1},
		{"add.sat.s32 %r20, %r10, %r11;", 0x7fffffff, 2, 0, 0x7fffffff},
		{"sub.sat.s32 %r20, %r10, %r11;", lo, 2, 0, lo},
		{"add.u16x2 %r20, %r10, %r11;", 0x0001ffff, 0x00010001, 0, 0x00020000},
		{"sub.s64 %rd20, %rd10, %rd11;", 1, 2, 0, math.MaxUint64},
		{"add.u16 %h18, %h10, %h11;", 0xffff, 2, 0, 1},
		{"mul.lo.s32 %r20, %r10, %r11;", m7, 3, 0, 0xffffffeb},
		{"mul.hi.s32 %r20, %r10, %r11;", m7, 3, 0, m1},
		{"mul.hi.u32 %r20, %r10, %r11;", m7, 3, 0, 2},
		{"mul.hi.s64 %rd20, %rd10, %rd11;", math.MaxUint64, 5, 0, math.MaxUint64},
		{"mul.hi.u64 %rd20, %rd10, %rd11;", math.MaxUint64, 5, 0, 4},
		{"mul.wide.s32 %rd20, %r10, %r11;", m7, 3, 0, 0xffffffffffffffeb},
		{"mul.wide.u32 %rd20, %r10, %r11;", m7, 3, 0, 0x2ffffffeb},
		{"mul.wide.s16 %r20, %h10, %h11;", 0xffff, 3, 0, 0xfffffffd},
		{"mad.lo.u32 %r20, %r10, %r11, %r12;", 3, 4, 5, 17},
		{"mad.hi.sat.s32 %r20, %r10, %r11, %r12;", 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff},
		{"mad.wide.s32 %rd20, %r10, %r11, %rd12;", m1, 4, 10, 6},
		{"mul24.lo.s32 %r20, %r10, %r11;", 0xffffff, 5, 0, 0xfffffffb},
		{"mul24.hi.u32 %r20, %r10, %r11;", 0xffffff, 0xffffff, 0, 0xfffffe00},
		{"sad.s32 %r20, %r10, %r11, %r12;", m7, 3, 5, 15},
		{"sad.u32 %r20, %r10, %r11, %r12;", 3, 10, 5, 12},
		{"div.s32 %r20, %r10, %r11;", m7, 2, 0, 0xfffffffd},
		{"div.u32 %r20, %r10, %r11;", 7, 0, 0, m1},
		{"rem.s32 %r20, %r10, %r11;", m7, 2, 0, m1},
		{"rem.u64 %rd20, %rd10, %rd11;", 7, 4, 0, 3},
		{"div.s32 %r20, %r10, %r11;", lo, m1, 0, lo},
		{"abs.s32 %r20, %r10;", lo, 0, 0, lo},
		{"neg.s32 %r20, %r10;", 5, 0, 0, 0xfffffffb},
		{"min.s32 %r20, %r10, %r11;", m1, 1, 0, m1},
		{"max.u32 %r20, %r10, %r11;", m1, 1, 0, m1},
		{"max.relu.s32 %r20, %r10, %r11;", m1, m7, 0, 0},
		{"min.s16x2 %r20, %r10, %r11;", 0x0001ffff, 0xffff0001, 0, m1},
		{"popc.b64 %r20, %rd10;", math.MaxUint64, 0, 0, 64},
		{"clz.b32 %r20, %r10;", 1, 0, 0, 31},
		{"clz.b64 %r20, %rd10;", 0, 0, 0, 64},
		{"bfind.s32 %r20, %r10;", m7, 0, 0, 2},
		{"bfind.u32 %r20, %r10;", 0, 0, 0, m1},
		{"bfind.shiftamt.u32 %r20, %r10;", 1, 0, 0, 31},
		{"brev.b32 %r20, %r10;", 1, 0, 0, lo},
		{"bfe.u32 %r20, %r10, %r11, %r12;", 0x12345678, 8, 8, 0x56},
		{"bfe.s32 %r20, %r10, %r11, %r12;", 0x12345688, 4, 4, 0xfffffff8},
		{"bfe.s32 %r20, %r10, %r11, %r12;", 0x80000000, 28, 8, 0xfffffff8},
		{"bfe.s64 %rd20, %rd10, %r11, %r12;", 1 << 63, 63, 5, math.MaxUint64},
		{"bfi.b32 %r20, %r10, %r11, 8, 4;", 0xff, 0, 0, 0xf00},
		{"szext.clamp.s32 %r20, %r10, %r11;", 0x80, 8, 0, 0xffffff80},
		{"bmsk.clamp.b32 %r20, %r10, %r11;", 4, 8, 0, 0xff0},
		{"fns.b32 %r20, %r10, %r11, %r12;", 0xaaaaaaaa, 3, 1, 3},
		{"fns.b32 %r20, %r10, %r11, %r12;", 0xaaaaaaaa, 3, 2, 5},
		{"fns.b32 %r20, %r10, %r11, %r12;", 0xaaaaaaaa, 3, 0xfffffffe, 1},
		{"dp4a.s32.s32 %r20, %r10, %r11, %r12;", 0xff02, 0x0304, 100, 105},
		{"dp4a.u32.s32 %r20, %r10, %r11, %r12;", 0xff02, 0x0304, 100, 873},
		{"dp2a.hi.s32.u32 %r20, %r10, %r11, %r12;", 0xffff0002, 0x03040000, 10, 15},
		{"lop3.b32 %r20, %r10, %r11, %r12, 0xe8;", 0b1100, 0b1010, 0b0110, 0b1110},
		{"lop3.or.b32 %r20|%p1, %r10, %r11, %r12, 0x80, %p9; @!%p1 mov.b32 %r20, 7;", 1, 2, 4, 0},
		{"shl.b32 %r20, %r10, %r11;", 1, 33, 0, 0},
		{"shr.s32 %r20, %r10, %r11;", lo, 99, 0, m1},
		{"shr.u32 %r20, %r10, %r11;", lo, 31, 0, 1},
		{"shr.u64 %rd20, %rd10, %r11;", 1 << 40, 40, 0, 1},
		{"shf.l.wrap.b32 %r20, %r10, %r11, %r12;", 0x80000000, 1, 33, 3},
		{"shf.r.clamp.b32 %r20, %r10, %r11, %r12;", 5, 9, 40, 9},
		{"prmt.b32 %r20, %r10, %r11, 0x7604;", 0x33221100, 0x77665544, 0, 0x77660044},
		{"prmt.b32 %r20, %r10, %r11, 0x000b;", 0xf3221100, 0, 0, 0x000000ff},
		{"cnot.b32 %r20, %r10;", 0, 0, 0, 1},
		{"not.b64 %rd20, %rd10;", 0, 0, 0, math.MaxUint64},
		{"slct.s32.s32 %r20, %r10, %r11, %r12;", 1, 2, m1, 2},
		{"set.lt.u32.s32 %r20, %r10, %r11;", m1, 1, 0, m1},
		{"set.gt.f32.f32 %r20, %r10, %r11;", two, one, 0, one},

		{"add.f32 %r20, %r10, %r11;", one, two, 0, 0x40400000},
		{"add.ftz.f32 %r20, %r10, %r11;", sub, 0, 0, 0},
		{"add.f32 %r20, %r10, %r11;", inf, inf | lo, 0, nan},
		{"add.rm.f32 %r20, %r10, %r11;", one, one | lo, 0, lo},
		{"add.rp.f32 %r20, %r10, %r11;", one, one | lo, 0, 0},
		{"add.sat.f32 %r20, %r10, %r11;", one, one, 0, one},
		{"add.sat.f32 %r20, %r10, %r11;", nan, one, 0, 0},
		{"fma.rn.f32 %r20, %r10, %r11, %r12;", 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000},
		{"mul.rz.f32 %r20, %r10, %r11;", 0x3f800001, 0x3f800001, 0, 0x3f800002},
		{"mul.rp.f32 %r20, %r10, %r11;", 0x3f800001, 0x3f800001, 0, 0x3f800003},
		{"min.f32 %r20, %r10, %r11;", nan, one, 0, one},
		{"min.NaN.f32 %r20, %r10, %r11;", nan, one, 0, nan},
		{"max.f32 %r20, %r10, %r11;", lo, 0, 0, 0},
		{"min.f32 %r20, %r10, %r11;", 0, lo, 0, lo},
		{"max.xorsign.abs.f32 %r20, %r10, %r11;", two | lo, one, 0, two | lo},
		{"copysign.f32 %r20, %r10, %r11;", lo, one, 0, one | lo},
		{"neg.ftz.f32 %r20, %r10;", sub, 0, 0, lo},
		{"div.rn.f32 %r20, %r10, %r11;", one, 0x40400000, 0, 0x3eaaaaab},
		{"rcp.rz.f32 %r20, %r10;", 0x40400000, 0, 0, 0x3eaaaaaa},
		{"sqrt.rn.f32 %r20, %r10;", two, 0, 0, 0x3fb504f3},
		{"sqrt.rn.f32 %r20, %r10;", one | lo, 0, 0, nan},
		{"ex2.approx.f32 %r20, %r10;", one, 0, 0, two},
		{"ex2.approx.f32 %r20, %r10;", inf | lo, 0, 0, 0},
		{"ex2.approx.ftz.f32 %r20, %r10;", 0xc3000000, 0, 0, 0},      // 2^-128 is flushed
		{"ex2.approx.f32 %r20, %r10;", 0xc3000000, 0, 0, 0x00200000}, // and kept
		{"lg2.approx.f32 %r20, %r10;", 0, 0, 0, inf | lo},
		{"lg2.approx.f32 %r20, %r10;", one | lo, 0, 0, nan},
		{"rcp.approx.f32 %r20, %r10;", lo, 0, 0, inf | lo},
		{"rcp.approx.f32 %r20, %r10;", 0x00400000, 0, 0, 0x7f000000},
		{"rcp.approx.ftz.f32 %r20, %r10;", 0x00400000, 0, 0, inf},
		{"rsqrt.approx.f32 %r20, %r10;", 0x40800000, 0, 0, 0x3f000000},
		{"rsqrt.approx.f32 %r20, %r10;", lo, 0, 0, inf | lo},
		{"rsqrt.approx.f32 %r20, %r10;", inf, 0, 0, 0},
		{"tanh.approx.f32 %r20, %r10;", inf, 0, 0, one},
		{"div.full.f32 %r20, %r10, %r11;", one, 0x7f000000, 0, 0x00400000},
		{"testp.subnormal.f32 %p1, %r10; selp.b32 %r20, 1, 0, %p1;", sub, 0, 0, 1},
		{"setp.equ.f32 %p1, %r10, %r11; selp.b32 %r20, 1, 0, %p1;", nan, one, 0, 1},
		{"setp.ne.f32 %p1, %r10, %r11; selp.b32 %r20, 1, 0, %p1;", nan, one, 0, 0},
		{"setp.lt.and.s32 %p1|%p2, %r10, %r11, !%p9; selp.b32 %r20, 1, 0, %p1; @%p2 or.b32 %r20, %r20, 2;", m1, 1, 0, 1},
		{"setp.hi.u32 %p1, %r10, %r11; selp.b32 %r20, 1, 0, %p1;", m1, 1, 0, 1},

		{"fma.rn.f64 %rd20, %rd10, %rd11, %rd12;", 0x3ff0000000000001, 0x3ff0000000000001, 0xbff0000000000002, 0x3970000000000000},
		{"add.f64 %rd20, %rd10, %rd11;", 0x3ff0000000000000, 0x3ff0000000000000, 0, 0x4000000000000000},
		{"add.rp.f64 %rd20, %rd10, %rd11;", 0x3ff0000000000000, 1, 0, 0x3ff0000000000001},
		{"add.rm.f64 %rd20, %rd10, %rd11;", 0x3ff0000000000000, 0xbff0000000000000, 0, 1 << 63},
		{"mul.rz.f64 %rd20, %rd10, %rd11;", 0x7fe0000000000000, 0x7fe0000000000000, 0, 0x7fefffffffffffff},
		{"mul.rp.f64 %rd20, %rd10, %rd11;", 1, 1, 0, 1},
		{"fma.rz.f64 %rd20, %rd10, %rd11, %rd12;", 0x3ff0000000000000, 0x3ff0000000000000, 1<<63 | 1, 0x3fefffffffffffff},
		{"div.rm.f64 %rd20, %rd10, %rd11;", 0x3ff0000000000000, 0x4008000000000000, 0, 0x3fd5555555555555},
		{"rcp.rp.f64 %rd20, %rd10;", 0x4008000000000000, 0, 0, 0x3fd5555555555556},
		{"sqrt.rz.f64 %rd20, %rd10;", 0x4000000000000000, 0, 0, 0x3ff6a09e667f3bcc},
		{"div.rz.f64 %rd20, %rd10, %rd11;", 0x3ff0000000000000, 0, 0, 0x7ff0000000000000},
		{"set.gt.f16x2.f16x2 %r20, %r10, %r11;", 0x40003c00, 0x3c003c00, 0, 0x3c000000},
		{"set.gt.u32.bf16x2 %r20, %r10, %r11;", 0x40003f80, 0x3f803f00, 0, 0xffffffff},
		{"add.f16 %h18, %h10, %h11;", 0x3c00, 0x3c00, 0, 0x4000},
		{"add.rn.f16x2 %r20, %r10, %r11;", 0x3c007bff, 0x3c007bff, 0, 0x40007c00},
		{"fma.rn.relu.bf16x2 %r20, %r10, %r11, %r12;", 0xbf803f80, 0x3f803f80, 0x00003f80, 0x00004000},
		{"mul.bf16 %h18, %h10, %h11;", 0x3f81, 0x3f81, 0, 0x3f82},
		{"max.NaN.f16 %h18, %h10, %h11;", 0x7e01, 0x3c00, 0, 0x7fff},
		{"neg.bf16x2 %r20, %r10;", 0x3f80bf80, 0, 0, 0xbf803f80},
		{"fma.rn.sat.f16 %h18, %h10, %h11, %h12;", 0x4000, 0x4000, 0, 0x3c00},
		{"ex2.approx.ftz.bf16 %h18, %h10;", 0x3f80, 0, 0, 0x4000},
		{"tanh.approx.f16 %h18, %h10;", 0x7c00, 0, 0, 0x3c00},
		{"setp.gt.bf16 %p1, %h10, %h11; selp.b32 %r20, 1, 0, %p1;", 0x4000, 0x3f80, 0, 1},

		{"cvt.rn.bf16x2.f32 %r20, %r10, %r11;", one, two, 0, 0x3f804000},
		{"cvt.rn.relu.satfinite.f16x2.f32 %r20, %r10, %r11;", one | lo, inf, 0, 0x00007bff},
		{"cvt.rz.bf16.f32 %h18, %r10;", 0x3f80ffff, 0, 0, 0x3f80},
		{"cvt.rn.satfinite.e4m3x2.f32 %h18, %r10, %r11;", one, inf, 0, 0x387e},
		{"cvt.rn.satfinite.relu.e5m2x2.f32 %h18, %r10, %r11;", one | lo, nan, 0, 0x007f},
		{"cvt.rn.f16x2.e4m3x2 %r20, %h10;", 0x7e38, 0, 0, 0x5f003c00},
		{"cvt.rn.satfinite.e4m3x2.f16x2 %h18, %r10;", 0x3c007bff, 0, 0, 0x387e},
		{"cvt.rna.tf32.f32 %r20, %r10;", 0x3f801000, 0, 0, 0x3f802000},
		{"cvt.rn.tf32.f32 %r20, %r10;", 0x3f801000, 0, 0, 0x3f800000},
		{"cvt.rzi.s32.f32 %r20, %r10;", 0xc02ccccd, 0, 0, 0xfffffffe},
		{"cvt.rni.s32.f32 %r20, %r10;", 0x40200000, 0, 0, 2},
		{"cvt.rmi.s32.f32 %r20, %r10;", 0xc02ccccd, 0, 0, 0xfffffffd},
		{"cvt.rzi.u32.f32 %r20, %r10;", one | lo, 0, 0, 0},
		{"cvt.rzi.s32.f32 %r20, %r10;", nan, 0, 0, 0},
		{"cvt.rzi.s64.f32 %rd20, %r10;", nan, 0, 0, 1 << 63},
		{"cvt.rzi.s32.f32 %r20, %r10;", inf, 0, 0, 0x7fffffff},
		{"cvt.rzi.s32.f64 %r20, %rd10;", 0x7ff8000000000000, 0, 0, lo},
		{"cvt.rn.f32.s32 %r20, %r10;", 0x01000001, 0, 0, 0x4b800000},
		{"cvt.rp.f32.u32 %r20, %r10;", 0x01000001, 0, 0, 0x4b800001},
		{"cvt.rn.f32.u64 %r20, %rd10;", 0x8000008000000001, 0, 0, 0x5f000001},
		{"cvt.rp.f64.u64 %rd20, %rd10;", 1<<53 + 1, 0, 0, 0x4340000000000001},
		{"cvt.rz.f64.s64 %rd20, %rd10;", math.MaxUint64 - 1<<53, 0, 0, 0xc340000000000000},
		{"cvt.rn.f16.u32 %h18, %r10;", 65520, 0, 0, 0x7c00},
		{"cvt.s32.s8 %r20, %r10;", 0x80, 0, 0, 0xffffff80},
		{"cvt.u32.u8 %r20, %r10;", 0x1ff, 0, 0, 0xff},
		{"cvt.sat.s8.s32 %r20, %r10;", 1000, 0, 0, 127},
		{"cvt.sat.u16.s32 %h18, %r10;", m1, 0, 0, 0},
		{"cvt.s64.s32 %rd20, %r10;", m1, 0, 0, math.MaxUint64},
		{"cvt.rni.f32.f32 %r20, %r10;", 0x40200000, 0, 0, two},
		{"cvt.sat.f32.f32 %r20, %r10;", nan, 0, 0, 0},
		{"cvt.ftz.f32.f32 %r20, %r10;", sub | lo, 0, 0, lo},
		{"cvt.rn.f32.f64 %r20, %rd10;", 0x3ff0000010000000, 0, 0, one},
		{"cvt.f64.f32 %rd20, %r10;", sub, 0, 0, 0x36b8000000000000},
		{"cvt.f32.bf16 %r20, %h10;", 0x3f80, 0, 0, one},
		{"cvt.pack.sat.s8.s32.b32 %r20, %r10, %r11, %r12;", 1000, m7, 0x1234, 0x12347ff9},

		{"mov.b64 %rd20, {%r10, %r11};", 1, 2, 0, 0x200000001},
		{"mov.b32 {%h1, %h2}, %r10; mov.b32 %r20, {%h2, %h1};", 0x12345678, 0, 0, 0x56781234},
		{"add.cc.u32 %r20, %r10, %r11; addc.u32 %r20, 0, 0;", m1, 1, 0, 1},
		{"sub.cc.u32 %r20, %r10, %r11; subc.u32 %r20, 0, 0;", 1, 2, 0, m1},
		{"mad.lo.cc.u32 %r20, %r10, %r11, %r12; madc.hi.u32 %r20, %r10, %r11, 5;", m1, 2, 2, 7},
		{"add.cc.u64 %rd20, %rd10, %rd11; addc.u64 %rd20, 0, 0;", math.MaxUint64, 1, 0, 1},
		{"mov.u32 %r20, WARP_SZ;", 0, 0, 0, 32},
	} {
		got := eval(t, c.instr+suffix(c.instr), []uint64{c.a}, []uint64{c.b}, []uint64{c.c})[0]
		if got != c.want {
			t.Errorf("%s a=%#x b=%#x c=%#x: %#x, want %#x", c.instr, c.a, c.b, c.c, got, c.want)
		}
	}
}

// suffix moves the result of an instruction to %rd20.
func suffix(instr string) string {
	switch {
	case strings.Contains(instr, "%rd20"):
		return ""
	case strings.Contains(instr, "%h18"):
		return from16
	}
	return from32
}

// TestPartialWarps: a full warp takes loops of its own; every instruction must give the same in a partial one.
func TestPartialWarps(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	col := func() []uint64 {
		v := make([]uint64, 32)
		for i := range v {
			v[i] = rng.Uint64()
			if i%3 == 0 {
				v[i] = uint64(rng.Uint32N(8)) | one&uint64(-int64(i%2)) // equal and small values too
			}
		}
		return v
	}
	for _, instr := range []string{"add.u32 %r20, %r10, %r11;", "add.f32 %r20, %r10, %r11;", "sub.f32 %r20, %r10, %r11;", "mul.f32 %r20, %r10, %r11;",
		"fma.rn.f32 %r20, %r10, %r11, %r12;", "setp.lt.s32 %p1, %r10, %r11;", "setp.ge.s32 %p1, %r10, %r11;", "setp.gt.u32 %p1, %r10, %r11;",
		"setp.le.u32 %p1, %r10, %r11;", "setp.eq.u32 %p1, %r10, %r11;", "mov.u32 %r20, %r10;", "mad.lo.u32 %r20, %r10, %r11, %r12;",
		"shl.b32 %r20, %r10, %r11;", "xor.b32 %r20, %r10, %r11;", "and.b64 %rd20, %rd10, %rd11;",
		"or.b32 %r20, %r10, %r11;", "cvt.f32.bf16 %r20, %h10;", "cvt.rn.bf16x2.f32 %r20, %r10, %r11;", "mov.b32 {%h1, %h2}, %r10; sub.u16 %h18, %h1, %h2;"} {
		end := suffix(instr)
		if strings.Contains(instr, "%p1") {
			end = fromP
		}
		a, b, c := col(), col(), col()
		full := eval(t, instr+end, a, b, c)
		part := eval(t, instr+end, a[:31], b[:31], c[:31])
		for i := range part {
			if part[i] != full[i] {
				t.Errorf("%s lane %d a=%#x b=%#x c=%#x: %#x in a full warp, %#x in a partial one", instr, i, a[i], b[i], c[i], full[i], part[i])
			}
		}
	}
}

// TestApproximateBounds checks the approximate functions against float64 within the manual's bounds.
func TestApproximateBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	a := make([]uint64, 1024)
	for i := range a {
		a[i] = uint64(math.Float32bits(float32(math.Ldexp(1+rng.Float64(), rng.IntN(60)-30))))
	}
	zero := make([]uint64, len(a))
	for _, c := range []struct {
		instr    string
		f        func(x float64) float64
		abs, rel float64
	}{
		{"rcp.approx.f32", func(x float64) float64 { return 1 / x }, 0, math.Ldexp(1, -23)},
		{"rsqrt.approx.f32", func(x float64) float64 { return 1 / math.Sqrt(x) }, 0, math.Pow(2, -22.9)},
		{"sqrt.approx.f32", math.Sqrt, 0, math.Ldexp(1, -23)},
		{"lg2.approx.f32", math.Log2, math.Ldexp(1, -22), math.Ldexp(1, -22)},
		{"tanh.approx.f32", math.Tanh, 0, math.Ldexp(1, -11)},
	} {
		got := eval(t, c.instr+" %r20, %r10;"+from32, a, zero, zero)
		for i := range a {
			x := float64(f32(uint32(a[i])))
			g, w := float64(f32(uint32(got[i]))), c.f(x)
			if math.Abs(g-w) > c.abs+c.rel*math.Abs(w) {
				t.Errorf("%s(%g) = %g, want %g", c.instr, x, g, w)
			}
		}
	}
}
