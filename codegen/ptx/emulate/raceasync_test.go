package emulate

import "testing"

// madeBarrier initialises an mbarrier at %r20, 1024 bytes behind dyn, for one arrival and hands it to everybody.
const madeBarrier = `add.u32 %r20, %r5, 1024; @!%p1 bra MADE; mbarrier.init.shared.b64 [%r20], 1; fence.mbarrier_init.release.cluster;
MADE: bar.sync 0;
`

// asyncRaces are the planted mistakes around asynchronous operations, proxies and clusters.
var asyncRaces = []racy{
	{"no proxy fence", `
st.shared.u32 [%r10], %r0; //?
bar.sync 0; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256; //!
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; OUT:`, `
st.shared.u32 [%r10], %r0;
fence.proxy.async.shared::cta; bar.sync 0; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; OUT:`, dynamics(1, 64, 256), Proxy, Error},
	{"the proxy fence of another space", `
st.shared.u32 [%r10], %r0; //?
fence.proxy.async.global; bar.sync 0; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256; //!
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; OUT:`, `
st.shared.u32 [%r10], %r0;
fence.proxy.async; bar.sync 0; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; OUT:`, dynamics(1, 64, 256), Proxy, Error},
	{"a proxy fence of the issuer only", `
st.shared.u32 [%r10], %r0; //?
bar.sync 0; @!%p1 bra OUT; fence.proxy.async;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256; //!
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; OUT:`, `
st.shared.u32 [%r10], %r0;
fence.proxy.async; bar.sync 0; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; OUT:`, dynamics(1, 64, 256), Proxy, Warning},
	{"no barrier before a bulk store", `
st.shared.u32 [%r10], %r0; //?
fence.proxy.async; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256; //!
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; OUT: bar.sync 0;`, `
st.shared.u32 [%r10], %r0;
fence.proxy.async; bar.sync 0; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; OUT: bar.sync 0;`, dynamics(1, 256, 1024), RaceAsync, Error},
	{"the source is overwritten", `
st.shared.u32 [%r10], %r0; fence.proxy.async; bar.sync 0; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256; //?
cp.async.bulk.commit_group; OUT: bar.sync 0;
st.shared.u32 [%r10], 5; //!
cp.async.bulk.wait_group 0;`, `
st.shared.u32 [%r10], %r0; fence.proxy.async; bar.sync 0; @!%p1 bra OUT;
cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256;
cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; OUT: bar.sync 0;
st.shared.u32 [%r10], 5;
cp.async.bulk.wait_group 0;`, dynamics(1, 64, 256), AsyncBulk, Error},
	{"not waited for a bulk copy", madeBarrier + `
@!%p1 bra USE; mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd0], 256, [%r20]; //?
W: mbarrier.try_wait.parity.shared.b64 %p6, [%r20], 0; @!%p6 bra W;
USE: ld.shared.u32 %r2, [%r10]; st.global.u32 [%rd6+512], %r2; //!
`, madeBarrier + `
@!%p1 bra USE; mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd0], 256, [%r20];
USE: W: mbarrier.try_wait.parity.shared.b64 %p6, [%r20], 0; @!%p6 bra W;
ld.shared.u32 %r2, [%r10]; st.global.u32 [%rd6+512], %r2;
`, dynamics(1, 64, 1040), AsyncBulk, Error},
	{"refilled while it is read", madeBarrier + `
st.shared.u32 [%r10], %r0; fence.proxy.async; bar.sync 0;
ld.shared.u32 %r2, [%r10]; st.global.u32 [%rd6+512], %r2; //?
@!%p1 bra USE; mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd0], 256, [%r20]; //!
USE: W: mbarrier.try_wait.parity.shared.b64 %p6, [%r20], 0; @!%p6 bra W;
`, madeBarrier + `
st.shared.u32 [%r10], %r0; fence.proxy.async; bar.sync 0;
ld.shared.u32 %r2, [%r10]; st.global.u32 [%rd6+512], %r2; bar.sync 0;
@!%p1 bra USE; mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd0], 256, [%r20];
USE: W: mbarrier.try_wait.parity.shared.b64 %p6, [%r20], 0; @!%p6 bra W;
`, dynamics(1, 64, 1040), RaceAsync, Error},
	{"one group too few", `
cp.async.ca.shared.global [%r10], [%rd6], 4; //?
cp.async.commit_group; cp.async.wait_group 1; bar.sync 0;
ld.shared.u32 %r2, [%r11]; st.global.u32 [%rd6+512], %r2; //!
cp.async.wait_all;`, `
cp.async.ca.shared.global [%r10], [%rd6], 4;
cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
ld.shared.u32 %r2, [%r11]; st.global.u32 [%rd6+512], %r2;`, dynamics(1, 64, 256), AsyncCopy, Error},
	{"a neighbour's copy without a barrier", `
cp.async.ca.shared.global [%r10], [%rd6], 4; //?
cp.async.wait_all;
ld.shared.u32 %r2, [%r12]; st.global.u32 [%rd6+512], %r2; //!
`, `
cp.async.ca.shared.global [%r10], [%rd6], 4;
cp.async.wait_all; bar.warp.sync -1;
ld.shared.u32 %r2, [%r12]; st.global.u32 [%rd6+512], %r2;`, dynamics(1, 64, 256), AsyncCopy, Error},
	{"an mbarrier that the copy engine may not see", `
add.u32 %r20, %r5, 1024; @!%p1 bra MADE; mbarrier.init.shared.b64 [%r20], 1; //?
MADE: bar.sync 0; @!%p1 bra USE; mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd0], 256, [%r20]; //!
USE: W: mbarrier.try_wait.parity.shared.b64 %p6, [%r20], 0; @!%p6 bra W;
`, madeBarrier + `
@!%p1 bra USE; mbarrier.arrive.expect_tx.shared.b64 _, [%r20], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd0], 256, [%r20];
USE: W: mbarrier.try_wait.parity.shared.b64 %p6, [%r20], 0; @!%p6 bra W;
`, dynamics(1, 64, 1040), Proxy, Error},
	{"a relaxed arrival", `
add.u32 %r20, %r5, 1024; @!%p1 bra MADE; mbarrier.init.shared.b64 [%r20], 64; MADE: bar.sync 0;
st.shared.u32 [%r10], %r0; //?
mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r20];
W: mbarrier.try_wait.parity.shared.b64 %p6, [%r20], 0; @!%p6 bra W;
ld.shared.u32 %r2, [%r11]; st.global.u32 [%rd6], %r2; //!
`, `
add.u32 %r20, %r5, 1024; @!%p1 bra MADE; mbarrier.init.shared.b64 [%r20], 64; MADE: bar.sync 0;
st.shared.u32 [%r10], %r0;
mbarrier.arrive.release.cta.shared::cta.b64 _, [%r20];
W: mbarrier.try_wait.parity.shared.b64 %p6, [%r20], 0; @!%p6 bra W;
ld.shared.u32 %r2, [%r11]; st.global.u32 [%rd6], %r2;`, dynamics(1, 64, 1040), RaceShared, Error},
	{"a peer's memory without a cluster barrier", `
barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r30, %cluster_ctarank; xor.b32 %r31, %r30, 1; mapa.shared::cluster.u32 %r32, %r10, %r31;
st.shared.u32 [%r10], %r0; //?
bar.sync 0; ld.shared::cluster.u32 %r2, [%r32]; //!
barrier.cluster.arrive; barrier.cluster.wait;`, `
barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r30, %cluster_ctarank; xor.b32 %r31, %r30, 1; mapa.shared::cluster.u32 %r32, %r10, %r31;
st.shared.u32 [%r10], %r0;
barrier.cluster.arrive; barrier.cluster.wait; ld.shared::cluster.u32 %r2, [%r32];
barrier.cluster.arrive; barrier.cluster.wait;`, pairOf(64, 256), RaceCluster, Error},
	{"a relaxed cluster barrier", `
barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r30, %cluster_ctarank; xor.b32 %r31, %r30, 1; mapa.shared::cluster.u32 %r32, %r10, %r31;
st.shared::cluster.u32 [%r32], %r0; //?
barrier.cluster.arrive.relaxed; barrier.cluster.wait; ld.shared.u32 %r2, [%r10]; //!
barrier.cluster.arrive; barrier.cluster.wait;`, `
barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r30, %cluster_ctarank; xor.b32 %r31, %r30, 1; mapa.shared::cluster.u32 %r32, %r10, %r31;
st.shared::cluster.u32 [%r32], %r0;
barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r2, [%r10];
barrier.cluster.arrive; barrier.cluster.wait;`, pairOf(64, 256), RaceCluster, Error},
}

func pairOf(x, bytes uint32) LaunchConfig {
	l := dynamics(2, x, bytes)
	l.Cluster, l.HasCluster = [3]uint32{2, 1, 1}, true
	return l
}

// TestAsyncRaces: as TestRaces, in every mode of asynchronous completion.
func TestAsyncRaces(t *testing.T) {
	for _, c := range asyncRaces {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				for _, mode := range allModes {
					c.check(t, Config{Seed: seed, Async: mode})
				}
			}
		})
	}
}

// TestClusterExit: a block whose shared memory a peer reads must not end before it knows of the read.
func TestClusterExit(t *testing.T) {
	body := `barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r30, %cluster_ctarank; xor.b32 %r31, %r30, 1; mapa.shared::cluster.u32 %r32, %r10, %r31;
st.shared::cluster.u32 [%r32], %r0; //!
`
	for seed := range uint64(20) {
		l := pairOf(64, 256)
		newBench(t, Config{Seed: seed}, kernelText(2, racePrologue+body+"barrier.cluster.arrive; barrier.cluster.wait;"), 1024, 256).clean(l, 0)
		text := kernelText(2, racePrologue+body)
		res := newBench(t, Config{Seed: seed}, text, 1024, 256).launch(l, 0)
		if len(res.Findings) == 0 || res.Findings[0].Class != ClusterExit || res.Findings[0].Line != lineWith(text, "//!") {
			t.Errorf("seed %d: findings %v", seed, res.Findings)
		}
	}
}

// TestClusterExitAfterArrivals: a block that waits for the peer's arrivals on its barrier may end then; one that does not
// wait may end before they come.
func TestClusterExitAfterArrivals(t *testing.T) {
	body := `@%p1 mbarrier.init.shared::cta.b64 [%r5], 64; fence.mbarrier_init.release.cluster;
barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r30, %cluster_ctarank; xor.b32 %r31, %r30, 1; mapa.shared::cluster.u32 %r32, %r5, %r31;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r32]; //!
`
	wait := "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r5], 0; @!%p4 bra W;"
	for seed := range uint64(20) {
		l := pairOf(64, 256)
		newBench(t, Config{Seed: seed}, kernelText(2, racePrologue+body+wait), 1024, 256).clean(l, 0)
		text := kernelText(2, racePrologue+body)
		res := newBench(t, Config{Seed: seed}, text, 1024, 256).launch(l, 0)
		if len(res.Findings) == 0 || res.Findings[0].Class != ClusterExit || res.Findings[0].Line != lineWith(text, "//!") {
			t.Errorf("seed %d: findings %v", seed, res.Findings)
		}
	}
}

// TestRacecheckOff: without the checker nothing is said of races.
func TestRacecheckOff(t *testing.T) {
	for _, c := range append(races, asyncRaces...) {
		text := kernelText(2, racePrologue+c.body)
		for _, f := range newBench(t, Config{Off: Racecheck}, text, make([]uint32, 256), make([]uint32, 64)).launch(c.l, 0).Findings {
			if len(f.Accesses) == 2 && f.Class != AsyncCopy && f.Class != AsyncBulk {
				t.Errorf("%s: %v", c.name, f)
			}
		}
	}
}
