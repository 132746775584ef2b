package mutate

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// kernel is a subject of this package: a body with pointers %rd0 (input) and %rd1 (output), both of 8192 bytes, and
// words of the input as input(i).
type kernel struct {
	name   string
	body   string
	launch emulate.LaunchConfig
	want   func(in []uint32) []uint32 // the first words of the output
}

const (
	words  = 2048
	prefix = `.version 9.0
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 dyn[];
.visible .entry k(.param .u64 p0, .param .u64 p1)
{
.reg .pred %p<20>; .reg .b16 %h<4>; .reg .b32 %r<60>; .reg .b64 %rd<40>;
mov.u32 %r0, %tid.x; ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1]; mov.u32 %r5, dyn; mov.u32 %r13, %ctaid.x;
and.b32 %r14, %r0, 31; shr.u32 %r15, %r0, 5; setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r14, 0; shl.b32 %r6, %r0, 2;
mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5; add.u64 %rd7, %rd1, %rd5; add.u32 %r7, %r5, %r6;
`
)

func shape(grid, block, cluster uint32) emulate.LaunchConfig {
	return emulate.LaunchConfig{Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}, Cluster: [3]uint32{cluster, 1, 1}, HasCluster: cluster > 1, Dynamic: 8192}
}

func input() []uint32 {
	in := make([]uint32, words)
	for i := range in {
		in[i] = uint32(i)*2654435761 ^ uint32(i)<<7
	}
	return in
}

func (k kernel) subject(t testing.TB) Subject {
	want := k.want(input())
	run := func(m *ptx.Module, c emulate.Config) ([]emulate.Finding, bool, error) {
		p, err := emulate.Load(m)
		if err != nil {
			return nil, false, err
		}
		d := emulate.NewDevice(c)
		var params []byte
		var at [2]uint64
		for i, name := range []string{"in", "out"} {
			if at[i], err = d.Alloc(name, 4*words); err != nil {
				return nil, false, err
			}
			params = binary.LittleEndian.AppendUint64(params, at[i])
		}
		var raw []byte
		for _, v := range input() {
			raw = binary.LittleEndian.AppendUint32(raw, v)
		}
		if err := d.Write(at[0], raw); err != nil {
			return nil, false, err
		}
		if err := d.Memset(at[1], 0, 4*words); err != nil {
			return nil, false, err
		}
		res, err := d.Launch(p.Kernel("k"), k.launch, params)
		if err != nil {
			return nil, false, err
		}
		got := make([]byte, 4*words)
		if err := d.Read(at[1], got); err != nil {
			return nil, false, err
		}
		var right []byte
		for _, v := range append(append([]uint32(nil), want...), make([]uint32, words-len(want))...) {
			right = binary.LittleEndian.AppendUint32(right, v)
		}
		return res.Findings, bytes.Equal(got, right), nil
	}
	return Subject{Name: k.name, Text: []byte(prefix + k.body + "\nret;\n}\n"), Run: run}
}

// kernels are small pipelines with every kind of synchronisation.
var kernels = []kernel{
	{"bulk ring", `
add.u32 %r8, %r5, 6144;
@!%p0 bra MADE;
mbarrier.init.shared.b64 [%r8], 1; mbarrier.init.shared.b64 [%r8+8], 1; mbarrier.init.shared.b64 [%r8+16], 1;
mbarrier.init.shared.b64 [%r8+32], 2; mbarrier.init.shared.b64 [%r8+40], 2; mbarrier.init.shared.b64 [%r8+48], 2;
fence.mbarrier_init.release.cluster;
MADE:
bar.sync 0;
mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u64 %rd8, %rd0; mov.u32 %r30, 0;
setp.ge.u32 %p2, %r0, 32;
@%p2 bra USE;
@!%p1 bra JOIN;
FILL:
shl.b32 %r23, %r20, 3; add.u32 %r24, %r8, %r23; shl.b32 %r25, %r20, 8; add.u32 %r26, %r5, %r25; xor.b32 %r27, %r21, 1;
EMPTY:
mbarrier.try_wait.parity.shared.b64 %p3, [%r24+32], %r27;
@!%p3 bra EMPTY;
mbarrier.arrive.expect_tx.shared.b64 _, [%r24], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r26], [%rd8], 256, [%r24];
add.u64 %rd8, %rd8, 256;
add.u32 %r20, %r20, 1; setp.eq.u32 %p4, %r20, 3; selp.b32 %r20, 0, %r20, %p4;
selp.b32 %r28, 1, 0, %p4; xor.b32 %r21, %r21, %r28;
add.u32 %r22, %r22, 1; setp.lt.u32 %p5, %r22, 8;
@%p5 bra FILL;
bra JOIN;
USE:
sub.u32 %r31, %r6, 128;
NEXT:
shl.b32 %r23, %r20, 3; add.u32 %r24, %r8, %r23; shl.b32 %r25, %r20, 8; add.u32 %r26, %r5, %r25; add.u32 %r26, %r26, %r31;
FULL:
mbarrier.try_wait.parity.shared.b64 %p3, [%r24], %r21;
@!%p3 bra FULL;
ld.shared.u32 %r32, [%r26]; add.u32 %r30, %r30, %r32;
bar.warp.sync -1;
@%p1 mbarrier.arrive.shared.b64 _, [%r24+32];
add.u32 %r20, %r20, 1; setp.eq.u32 %p4, %r20, 3; selp.b32 %r20, 0, %r20, %p4;
selp.b32 %r28, 1, 0, %p4; xor.b32 %r21, %r21, %r28;
add.u32 %r22, %r22, 1; setp.lt.u32 %p5, %r22, 8;
@%p5 bra NEXT;
add.u32 %r33, %r5, 4096; add.u32 %r33, %r33, %r31; st.shared.u32 [%r33], %r30;
fence.proxy.async.shared::cta;
JOIN:
bar.sync 0;
@!%p0 bra DONE;
add.u32 %r34, %r5, 4096;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r34], 256;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
DONE:`, shape(1, 96, 1), func(in []uint32) []uint32 {
		out := make([]uint32, 64)
		for i := range out {
			for s := range 8 {
				out[i] += in[64*s+i]
			}
		}
		return out
	}},
	{"copy ring", `
mov.u32 %r20, 0; mov.u64 %rd8, %rd6; mov.u32 %r30, 0; xor.b32 %r9, %r6, 252; add.u32 %r9, %r5, %r9;
cp.async.ca.shared.global [%r7], [%rd8], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%r7+256], [%rd8+256], 4;
cp.async.commit_group;
mov.u32 %r21, 0;
LOOP:
cp.async.wait_group 1;
bar.sync 0;
and.b32 %r22, %r21, 3; shl.b32 %r23, %r22, 8; add.u32 %r24, %r9, %r23; ld.shared.u32 %r25, [%r24];
mad.lo.u32 %r30, %r30, 3, %r25;
add.u32 %r26, %r21, 2; and.b32 %r27, %r26, 3; shl.b32 %r28, %r27, 8; add.u32 %r29, %r7, %r28;
setp.lt.u32 %p2, %r26, 6; mul.wide.u32 %rd9, %r26, 256; add.u64 %rd10, %rd8, %rd9;
@%p2 cp.async.ca.shared.global [%r29], [%rd10], 4;
cp.async.commit_group;
add.u32 %r21, %r21, 1; setp.lt.u32 %p3, %r21, 6;
@%p3 bra LOOP;
st.global.u32 [%rd7], %r30;`, shape(1, 64, 1), func(in []uint32) []uint32 {
		out := make([]uint32, 64)
		for i := range out {
			for s := range 6 {
				out[i] = out[i]*3 + in[64*s+63-i]
			}
		}
		return out
	}},
	{"cluster exchange", `
mov.u32 %r40, %cluster_ctarank; xor.b32 %r41, %r40, 1; add.u32 %r8, %r5, 1024;
@!%p0 bra MADE;
mbarrier.init.shared.b64 [%r8], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256;
MADE:
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
setp.eq.u32 %p3, %r40, 0; and.pred %p4, %p3, %p0;
mov.u16 %h0, 3;
@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%rd0], 256, [%r8], %h0;
FULL:
mbarrier.try_wait.parity.shared.b64 %p5, [%r8], 0;
@!%p5 bra FULL;
ld.shared.u32 %r42, [%r7]; mad.lo.u32 %r42, %r40, 7, %r42; st.shared.u32 [%r7+512], %r42;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
mapa.shared::cluster.u32 %r43, %r7, %r41; ld.shared::cluster.u32 %r44, [%r43+512];
mul.wide.u32 %rd8, %r13, 256; add.u64 %rd9, %rd7, %rd8; st.global.u32 [%rd9], %r44;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;`, shape(2, 64, 2), func(in []uint32) []uint32 {
		out := make([]uint32, 128)
		for i := range out {
			out[i] = in[i%64] + 7*(1-uint32(i)/64)
		}
		return out
	}},
	{"last block", `
mul.wide.u32 %rd8, %r13, 256; add.u64 %rd9, %rd6, %rd8; ld.global.u32 %r20, [%rd9]; st.shared.u32 [%r7], %r20;
bar.sync 0;
xor.b32 %r21, %r6, 128; add.u32 %r21, %r5, %r21; ld.shared.u32 %r22, [%r21]; add.u32 %r22, %r22, %r20;
add.u64 %rd10, %rd7, %rd8; st.global.u32 [%rd10+1024], %r22;
bar.sync 0;
@!%p0 bra WAIT;
fence.acq_rel.gpu;
atom.relaxed.gpu.global.add.u32 %r23, [%rd1+4096], 1;
fence.acq_rel.gpu;
st.shared.u32 [%r5+512], %r23;
WAIT:
bar.sync 0;
ld.shared.u32 %r23, [%r5+512]; setp.ne.u32 %p2, %r23, 3;
@%p2 bra DONE;
ld.global.u32 %r24, [%rd7+1024]; ld.global.u32 %r25, [%rd7+1280]; ld.global.u32 %r26, [%rd7+1536]; ld.global.u32 %r27, [%rd7+1792];
add.u32 %r24, %r24, %r25; add.u32 %r26, %r26, %r27; add.u32 %r24, %r24, %r26; st.global.u32 [%rd7], %r24;
DONE:`, shape(4, 64, 1), func(in []uint32) []uint32 {
		out := make([]uint32, 1025)
		for b := range 4 {
			for i := range 64 {
				out[256+64*b+i] = in[64*b+i] + in[64*b+i^32]
				out[i] += out[256+64*b+i]
			}
		}
		out[1024] = 4
		return out
	}},
	{"chain of flags", `
setp.eq.u32 %p2, %r13, 0; mul.wide.u32 %rd8, %r13, 4; add.u64 %rd9, %rd1, %rd8; mul.wide.u32 %rd10, %r13, 128; mov.u32 %r20, 0;
@%p2 bra FIRST;
@!%p0 bra SEEN;
SPIN:
ld.acquire.gpu.global.u32 %r21, [%rd9+4092]; setp.eq.u32 %p3, %r21, 0;
@%p3 bra SPIN;
SEEN:
bar.warp.sync -1;
add.u64 %rd11, %rd7, %rd10; ld.global.u32 %r20, [%rd11+-128];
FIRST:
add.u64 %rd12, %rd6, %rd10; ld.global.u32 %r22, [%rd12]; add.u32 %r20, %r20, %r22;
add.u64 %rd11, %rd7, %rd10; st.global.u32 [%rd11], %r20;
bar.warp.sync -1;
@%p0 st.release.gpu.global.u32 [%rd9+4096], 1;`, shape(6, 32, 1), func(in []uint32) []uint32 {
		out := make([]uint32, 1030)
		for b := range 6 {
			for i := range 32 {
				if out[32*b+i] = in[32*b+i]; b > 0 {
					out[32*b+i] += out[32*b+i-32]
				}
			}
			out[1024+b] = 1
		}
		return out
	}},
	{"turns", `
setp.ge.u32 %p2, %r0, 64; mov.u32 %r20, 0; ld.global.u32 %r22, [%rd6];
@%p2 bra TAKE;
GIVE:
barrier.cta.sync 1, 128;
add.u32 %r22, %r22, %r20; st.shared.u32 [%r7], %r22;
barrier.cta.arrive 2, 128;
add.u32 %r20, %r20, 1; setp.lt.u32 %p3, %r20, 4;
@%p3 bra GIVE;
bra OUT;
TAKE:
mov.u32 %r23, 0; add.u32 %r24, %r7, -256;
TURN:
barrier.cta.arrive 1, 128;
barrier.cta.sync 2, 128;
ld.shared.u32 %r25, [%r24]; add.u32 %r23, %r23, %r25;
add.u32 %r20, %r20, 1; setp.lt.u32 %p3, %r20, 4;
@%p3 bra TURN;
st.global.u32 [%rd7+-256], %r23;
OUT:`, shape(1, 128, 1), func(in []uint32) []uint32 {
		out := make([]uint32, 64)
		for i := range out {
			out[i] = 4*in[i] + 0 + 1 + 3 + 6
		}
		return out
	}},
	{"warp sums", `
mul.wide.u32 %rd8, %r13, 256; add.u64 %rd9, %rd6, %rd8; ld.global.u32 %r20, [%rd9];
shfl.sync.bfly.b32 %r21, %r20, 16, 31, -1; add.u32 %r20, %r20, %r21;
shfl.sync.bfly.b32 %r21, %r20, 8, 31, -1; add.u32 %r20, %r20, %r21;
st.shared.u32 [%r7], %r20;
bar.warp.sync -1;
xor.b32 %r22, %r6, 16; add.u32 %r22, %r5, %r22; ld.shared.u32 %r23, [%r22]; mad.lo.u32 %r20, %r20, 3, %r23;
bar.warp.sync -1;
st.shared.u32 [%r7], %r20;
bar.warp.sync -1;
xor.b32 %r22, %r6, 8; add.u32 %r22, %r5, %r22; ld.shared.u32 %r23, [%r22]; mad.lo.u32 %r20, %r20, 3, %r23;
redux.sync.max.u32 %r24, %r20, -1;
@%p1 st.shared.u32 [%r7+1024], %r24;
bar.sync 0;
ld.shared.u32 %r25, [%r5+1024]; ld.shared.u32 %r26, [%r5+1152]; add.u32 %r25, %r25, %r26;
mul.wide.u32 %rd10, %r13, 4; add.u64 %rd10, %rd1, %rd10;
@%p0 st.global.u32 [%rd10], %r25;`, shape(3, 64, 1), func(in []uint32) []uint32 {
		out := make([]uint32, 3)
		for b := range out {
			for w := range 2 {
				var a [32]uint32 // sums over the butterflies of lanes 16 and 8
				for i := range a {
					for x := range 4 {
						a[i] += in[64*b+32*w+i^x<<3]
					}
				}
				most := uint32(0)
				for i := range a {
					most = max(most, 3*(3*a[i]+a[i^4])+3*a[i^2]+a[i^6])
				}
				out[b] += most
			}
		}
		return out
	}},
	{"lock", `
@!%p1 bra DONE;
LOCK:
atom.acquire.gpu.global.cas.b32 %r20, [%rd1], 0, 1; setp.ne.u32 %p2, %r20, 0;
@%p2 bra LOCK;
ld.global.u32 %r21, [%rd1+4]; add.u32 %r21, %r21, %r13; add.u32 %r21, %r21, 1; st.global.u32 [%rd1+4], %r21;
atom.release.gpu.global.exch.b32 %r22, [%rd1], 0;
DONE:`, shape(5, 64, 1), func([]uint32) []uint32 { return []uint32{0, 30} }},
}

// TestKernels: the subjects are right and silent under every schedule.
func TestKernels(t *testing.T) {
	for _, k := range kernels {
		s := k.subject(t)
		for seed := range uint64(20) {
			for _, mode := range []emulate.AsyncMode{emulate.AsyncLate, emulate.AsyncEarly, emulate.AsyncRandom} {
				m, err := ptx.Parse(s.Text)
				if err != nil {
					t.Fatal(err)
				}
				found, right, err := s.Run(m, emulate.Config{Seed: seed, Async: mode, MaxSteps: 1 << 20})
				if err != nil || !right || len(found) > 0 {
					t.Fatalf("%s, %v, seed %d: right %t, %v, findings %v", s.Name, mode, seed, right, err, found)
				}
			}
		}
	}
}

// TestMutants: of mistakes of synchronisation the checkers alone find at least 95 %, of those of data shape the checkers
// or wrong numbers find 98 %; at most a tenth is equivalent.
func TestMutants(t *testing.T) {
	var all []Result
	for _, k := range kernels {
		r, err := Judge(k.subject(t), 1<<18, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r...)
	}
	t.Logf("\n%s", Table(all))
	equal, named := 0, 0
	for _, r := range all {
		switch r.Verdict {
		case Named:
			named++
			continue
		case Equivalent:
			equal++
		}
		t.Log(r)
	}
	if sync, data := Rate(all, false), Rate(all, true); sync < 0.95 || data < 0.98 {
		t.Errorf("synchronisation: %.3f found by a checker; data shape: %.3f", sync, data)
	}
	if 10*equal > len(all) {
		t.Errorf("%d of %d mutants are equivalent", equal, len(all))
	}
}
