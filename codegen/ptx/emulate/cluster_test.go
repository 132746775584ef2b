package emulate

import (
	"slices"
	"strings"
	"testing"
)

func clusters(n, size, threads uint32) LaunchConfig {
	return LaunchConfig{Grid: [3]uint32{n * size, 1, 1}, Block: [3]uint32{threads, 1, 1}, Cluster: [3]uint32{size, 1, 1}, HasCluster: true, Dynamic: 4096}
}

// everySchedule runs f under the three modes and several seeds.
func everySchedule(t *testing.T, f func(t *testing.T, c Config)) {
	for _, mode := range []AsyncMode{AsyncLate, AsyncEarly, AsyncRandom} {
		for seed := range uint64(5) {
			t.Run(mode.String()+itoa(int(seed)), func(t *testing.T) { f(t, Config{Async: mode, Seed: seed}) })
		}
	}
}

// oneFinding demands that a launch reports exactly this class, and that the message has these parts.
func oneFinding(t *testing.T, res *Result, class Class, parts ...string) {
	t.Helper()
	if len(res.Findings) != 1 || res.Findings[0].Class != class {
		t.Fatalf("want one %s: %v", class, res.Findings)
	}
	for _, p := range parts {
		if !strings.Contains(res.Findings[0].Message, p) {
			t.Errorf("the message lacks %q: %s", p, res.Findings[0].Message)
		}
	}
}

const clusterSync = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"

// TestClusterMemory: every block writes its rank, all read the neighbour's through .shared::cluster and generically.
func TestClusterMemory(t *testing.T) {
	text := kernelText(1, `
mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.u32 %r6, %r4, %r5, %r0;
shl.b32 %r7, %r0, 2; mov.u32 %r8, dyn; add.u32 %r9, %r8, %r7; mul.lo.u32 %r10, %r4, 1000; add.u32 %r10, %r10, %r0; st.shared.u32 [%r9], %r10;
`+clusterSync+`
add.u32 %r11, %r2, 1; rem.u32 %r11, %r11, %r3; mapa.shared::cluster.u32 %r12, %r9, %r11; ld.shared::cluster.u32 %r13, [%r12];
cvt.u64.u32 %rd5, %r9; cvta.shared.u64 %rd5, %rd5; mapa.u64 %rd6, %rd5, %r11; ld.u32 %r14, [%rd6];
getctarank.u64 %r15, %rd6; getctarank.shared::cluster.u32 %r16, %r12;
mul.wide.u32 %rd7, %r6, 16; add.u64 %rd8, %rd0, %rd7; st.global.v4.u32 [%rd8], {%r13, %r14, %r15, %r16};
`+clusterSync)
	everySchedule(t, func(t *testing.T, c Config) {
		b := newBench(t, c, text, 16*4*64)
		b.clean(clusters(2, 2, 64), 0)
		got := b.u32(0)
		for i := range uint32(256) {
			cta, thread := i/64, i%64
			peer := cta ^ 1
			want := []uint32{peer*1000 + thread, peer*1000 + thread, peer % 2, peer % 2}
			if !slices.Equal(got[4*i:4*i+4], want) {
				t.Fatalf("thread %d of block %d: %v, want %v", thread, cta, got[4*i:4*i+4], want)
			}
		}
	})
}

// TestClusterFaults plants one fault of each class.
func TestClusterFaults(t *testing.T) {
	peer := "mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1; mov.u32 %r8, dyn; mapa.shared::cluster.u32 %r12, %r8, %r3;\n"
	first := "setp.eq.u32 %p0, %r2, 0; setp.eq.u32 %p1, %r0, 0; and.pred %p2, %p0, %p1;\n"
	for _, c := range []struct {
		name, body string
		class      Class
		parts      []string
	}{
		{"rank", peer + clusterSync + "mapa.shared::cluster.u32 %r13, %r8, 2;", ClusterRank, []string{"rank 2; the cluster has 2"}},
		{"rank in an address", peer + clusterSync + "add.u32 %r12, %r8, 0x7000000; setp.eq.u32 %p0, %r2, 0; @%p0 st.shared::cluster.u32 [%r12], 1;", ClusterRank, []string{"rank 7"}},
		{"generic", peer + clusterSync + "ld.param.u32 %r4, [n]; cvt.u64.u32 %rd5, %r4; mapa.u64 %rd6, %rd5, 1;", BadOperand, []string{"no shared address"}},
		{"start", peer + "st.shared::cluster.u32 [%r12], 1;" + clusterSync, ClusterStart, []string{"may not have started"}},
		{"exit", peer + clusterSync + first + "@!%p0 bra OUT; mov.u32 %r20, 0; W: add.u32 %r20, %r20, 1; setp.lt.u32 %p3, %r20, 100000; @%p3 bra W; st.shared::cluster.u32 [%r12], 1; OUT:", ClusterExit, []string{"has ended"}},
		{"own space", peer + clusterSync + "st.shared.u32 [%r12], 1;" + clusterSync, OOBShared, []string{"only the own block"}},
		{"twice", peer + "barrier.cluster.arrive.aligned; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", SyncCluster, []string{"second time"}},
		{"no arrival", peer + "barrier.cluster.wait.aligned;", SyncCluster, []string{"have not arrived"}},
		{"divergent", peer + "setp.lt.u32 %p0, %r0, 7; @%p0 bra A; barrier.cluster.arrive.aligned; bra B; A: barrier.cluster.arrive.aligned; B: barrier.cluster.wait.aligned;", SyncDiverged, []string{"lanes 0-6"}},
		{"deadlock", peer + "setp.eq.u32 %p0, %r2, 1; @%p0 bra W; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; bra.uni E; W: bar.sync 0, 64; E:", Deadlock, []string{"cluster barrier", "rank 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, Config{}, kernelText(0, c.body))
			l := clusters(1, 2, 32)
			if c.name == "deadlock" {
				l = clusters(1, 2, 64)
				b = newBench(t, Config{}, kernelText(0, peer+"setp.eq.u32 %p0, %r2, 1; setp.lt.u32 %p1, %r0, 32; and.pred %p2, %p0, %p1; @%p2 bra W; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; bra.uni E; W: bar.sync 0, 64; E:"))
			}
			res := b.launch(l, 0)
			if len(res.Findings) == 0 || res.Findings[0].Class != c.class {
				t.Fatalf("want %s: %v", c.class, res.Findings)
			}
			for _, p := range c.parts {
				if !strings.Contains(res.Findings[0].Message, p) {
					t.Errorf("the message lacks %q: %s", p, res.Findings[0].Message)
				}
			}
		})
	}
}

// TestClustersInParallel: clusters that cannot see each other run on several goroutines, whole clusters each.
func TestClustersInParallel(t *testing.T) {
	text := kernelText(1, `
mov.u32 %r2, %cluster_ctarank; mov.u32 %r4, %ctaid.x; mad.lo.u32 %r6, %r4, 32, %r0; mov.u32 %r8, dyn; shl.b32 %r7, %r0, 2; add.u32 %r9, %r8, %r7; st.shared.u32 [%r9], %r6;
`+clusterSync+`
xor.b32 %r3, %r2, 1; mapa.shared::cluster.u32 %r12, %r9, %r3; ld.shared::cluster.u32 %r13, [%r12]; mul.wide.u32 %rd5, %r6, 4; add.u64 %rd6, %rd0, %rd5; st.global.u32 [%rd6], %r13;
`+clusterSync)
	b := newBench(t, Config{Workers: 3}, text, 16*32*4)
	if res := b.clean(clusters(8, 2, 32), 0); res.Workers != 3 {
		t.Errorf("%d goroutines", res.Workers)
	}
	for i, got := range b.u32(0) {
		if got != uint32(i)^32 {
			t.Fatalf("thread %d: %d", i, got)
		}
	}
}
