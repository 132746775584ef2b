package emulate

import (
	"strings"
	"testing"
)

// rowNormText is the main loop of a row normalisation: 16-byte loads of bf16, conversion, sums of squares with fma,
// a shuffle and shared-memory reduction, and scaled 16-byte stores. One block a row of n elements.
func rowNormText() string {
	var b strings.Builder
	b.WriteString(`
mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mul.lo.u32 %r4, %r2, %r1; mul.wide.u32 %rd2, %r4, 2;
add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2; shl.b32 %r5, %r0, 3; shl.b32 %r6, %r3, 3; mov.f32 %f0, 0f00000000; mov.u32 %r7, %r5;
setp.ge.u32 %p0, %r7, %r1; @%p0 bra SUMMED;
SUM: mul.wide.u32 %rd5, %r7, 2; add.u64 %rd6, %rd3, %rd5; ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd6];
`)
	for i := range 4 {
		r := itoa(10 + i)
		b.WriteString("mov.b32 {%h1, %h2}, %r" + r + "; cvt.f32.bf16 %f1, %h1; cvt.f32.bf16 %f2, %h2; fma.rn.f32 %f0, %f1, %f1, %f0; fma.rn.f32 %f0, %f2, %f2, %f0;\n")
	}
	b.WriteString("add.u32 %r7, %r7, %r6; setp.lt.u32 %p0, %r7, %r1; @%p0 bra SUM;\nSUMMED:\n")
	for _, d := range []string{"16", "8", "4", "2", "1"} {
		b.WriteString("mov.b32 %r20, %f0; shfl.sync.bfly.b32 %r21, %r20, " + d + ", 31, -1; mov.b32 %f3, %r21; add.rn.f32 %f0, %f0, %f3;\n")
	}
	b.WriteString(`
shr.u32 %r22, %r0, 5; shl.b32 %r23, %r22, 2; mov.u32 %r24, dyn; add.u32 %r25, %r24, %r23; and.b32 %r26, %r0, 31;
setp.eq.u32 %p1, %r26, 0; @%p1 st.shared.f32 [%r25], %f0; bar.sync 0;
mov.f32 %f4, 0f00000000; mov.u32 %r27, 0; shr.u32 %r28, %r3, 5;
RED: shl.b32 %r29, %r27, 2; add.u32 %r29, %r29, %r24; ld.shared.f32 %f5, [%r29]; add.rn.f32 %f4, %f4, %f5; add.u32 %r27, %r27, 1; setp.lt.u32 %p2, %r27, %r28; @%p2 bra RED;
cvt.rn.f32.u32 %f6, %r1; div.rn.f32 %f7, %f4, %f6; rsqrt.approx.f32 %f8, %f7; mov.u32 %r7, %r5;
setp.ge.u32 %p0, %r7, %r1; @%p0 bra DONE;
SCALE: mul.wide.u32 %rd5, %r7, 2; add.u64 %rd6, %rd3, %rd5; add.u64 %rd7, %rd4, %rd5; ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd6];
`)
	for i := range 4 {
		r := itoa(10 + i)
		b.WriteString("mov.b32 {%h1, %h2}, %r" + r + "; cvt.f32.bf16 %f1, %h1; cvt.f32.bf16 %f2, %h2; mul.rn.f32 %f1, %f1, %f8; mul.rn.f32 %f2, %f2, %f8; cvt.rn.bf16x2.f32 %r" + r + ", %f2, %f1;\n")
	}
	b.WriteString("st.global.v4.b32 [%rd7], {%r10, %r11, %r12, %r13}; add.u32 %r7, %r7, %r6; setp.lt.u32 %p0, %r7, %r1; @%p0 bra SCALE;\nDONE:\n")
	return kernelText(2, b.String())
}

const (
	benchRows = 128
	benchCols = 4096
)

func rowNormBench(t testing.TB, cfg Config) *bench {
	in := make([]byte, benchRows*benchCols*2)
	for i := 0; i < len(in); i += 2 {
		in[i], in[i+1] = byte(i*7), 0x3f
	}
	return newBench(t, cfg, rowNormText(), in, len(in))
}

func BenchmarkRowNorm(b *testing.B) {
	for _, c := range []struct {
		name string
		cfg  Config
	}{{"checks", Config{}}, {"memcheck", Config{Off: Initcheck}}, {"norace", Config{Off: Racecheck}}, {"nochecks", Config{Off: AllChecks}}, {"checks-1worker", Config{Workers: 1}}, {"norace-1worker", Config{Workers: 1, Off: Racecheck}}, {"nochecks-1worker", Config{Workers: 1, Off: AllChecks}}} {
		b.Run(c.name, func(b *testing.B) {
			k := rowNormBench(b, c.cfg)
			l := grid(benchRows, 256)
			l.Dynamic = 1024
			var n uint64
			for b.Loop() {
				res := k.clean(l, benchCols)
				n += res.ThreadInstructions
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mthread-instr/s")
		})
	}
}
