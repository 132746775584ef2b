package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

const memoryBytes = 1 << 20

// run profiles a body whose %rd0 points to memoryBytes of global memory, %r0 is the thread, and dyn is dynamic shared memory.
func run(t *testing.T, body string, l emulate.LaunchConfig, cfg emulate.Config) *Profile {
	t.Helper()
	text := `.version 9.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 dyn[];
.visible .entry k(.param .u64 k_param_0)
{
.reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<64>; .reg .pred %p<8>;
ld.param.u64 %rd0, [k_param_0]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, dyn;
` + strings.ReplaceAll(body, "; ", ";\n") + "\nret;\n}\n"
	m, err := ptx.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := emulate.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	rec := New()
	cfg.Workers, cfg.Observe = 1, rec.Observe
	dev := emulate.NewDevice(cfg)
	at, err := dev.Alloc("memory", memoryBytes)
	if err == nil {
		err = dev.Write(at, make([]byte, memoryBytes))
	}
	if err != nil {
		t.Fatal(err)
	}
	params := make([]byte, 8)
	for i := range params {
		params[i] = byte(at >> (8 * i))
	}
	res, err := dev.Launch(prog.Kernel("k"), l, params)
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	return rec.Profiles()[0]
}

func launchOf(blocks, threads, dynamic uint32) emulate.LaunchConfig {
	return emulate.LaunchConfig{Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{threads, 1, 1}, Dynamic: dynamic}
}

// op returns what the lines of an opcode did together.
func op(p *Profile, prefix string) Counts {
	var c Counts
	for i := range p.Lines {
		if strings.HasPrefix(p.Lines[i].Op, prefix) {
			c.Add(&p.Lines[i].Counts)
		}
	}
	return c
}

func TestInstructions(t *testing.T) {
	// Two warps run a loop of three rounds; the guard holds in lanes 0 to 15 of each.
	p := run(t, `mov.u32 %r3, 0; and.b32 %r4, %r0, 31; setp.lt.u32 %p1, %r4, 16;
LOOP:
@%p1 add.u32 %r5, %r3, 1;
@!%p1 bra NEXT;
xor.b32 %r6, %r3, %r4;
NEXT:
add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 3; @%p2 bra LOOP;
bar.sync 0;`, launchOf(3, 64, 0), emulate.Config{})
	const blocks, warps, rounds = 3, 2, 3
	for _, w := range []struct {
		op           string
		warp, thread uint64
	}{
		{"xor", blocks * warps * rounds, blocks * warps * rounds * 16},
		{"add", blocks * warps * rounds * 2, blocks * warps * rounds * (16 + 32)},
		{"and", blocks * warps, blocks * 64},
		{"bar", blocks * warps, blocks * 64},
	} {
		if c := op(p, w.op); c.Warp != w.warp || c.Thread != w.thread {
			t.Errorf("%s: %d warp and %d thread instructions, want %d and %d", w.op, c.Warp, c.Thread, w.warp, w.thread)
		}
	}
	if c := op(p, "bar"); c.Barriers != blocks*warps {
		t.Errorf("%d barriers, want %d", c.Barriers, blocks*warps)
	}
	if p.Blocks != blocks || p.GridBlocks() != blocks || p.Scale() != 1 {
		t.Errorf("%d of %d blocks, scale %g", p.Blocks, p.GridBlocks(), p.Scale())
	}
	var sum Counts
	for i := range p.Lines {
		sum.Add(&p.Lines[i].Counts)
	}
	if sum != p.Total {
		t.Errorf("lines add up to %+v, the total is %+v", sum, p.Total)
	}
}

func TestSectors(t *testing.T) {
	for _, w := range []struct {
		name           string
		code           string // leaves an offset in %r3
		access         string
		sectors, bytes uint64
	}{
		{"neighbours", "shl.b32 %r3, %r0, 2;", "ld.global.u32 %r4, [%rd1];", 4, 128},
		{"neighbours, one word off", "shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, 4;", "ld.global.u32 %r4, [%rd1];", 5, 128},
		{"every second word", "shl.b32 %r3, %r0, 3;", "ld.global.u32 %r4, [%rd1];", 8, 128},
		{"a sector a lane", "shl.b32 %r3, %r0, 5;", "ld.global.u32 %r4, [%rd1];", 32, 128},
		{"one word for all", "mov.u32 %r3, 64;", "ld.global.u32 %r4, [%rd1];", 1, 4},
		{"packets of 16 bytes", "shl.b32 %r3, %r0, 4;", "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd1];", 16, 512},
		{"backwards", "sub.u32 %r3, 31, %r0; shl.b32 %r3, %r3, 2;", "ld.global.u32 %r4, [%rd1];", 4, 128},
		{"stores of halves", "shl.b32 %r3, %r0, 1;", "st.global.u16 [%rd1], %h0;", 2, 64},
	} {
		p := run(t, ".reg .b16 %h<2>; mov.b16 %h0, 0; "+w.code+" cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd0, %rd2;\n"+w.access, launchOf(1, 32, 0), emulate.Config{})
		m := p.Total.Load
		if strings.HasPrefix(w.access, "st") {
			m = p.Total.Store
		}
		if m != (Memory{1, w.sectors, w.bytes}) {
			t.Errorf("%s: %+v, want 1 request, %d sectors, %d bytes", w.name, m, w.sectors, w.bytes)
		}
		moved := p.Total.L2ToSM + p.Total.SMToL2
		if moved != 32*w.sectors {
			t.Errorf("%s: %d bytes between L2 and SM, want %d", w.name, moved, 32*w.sectors)
		}
		if got, want := m.Efficiency(), float64(w.bytes)/float64(32*w.sectors); got != want {
			t.Errorf("%s: efficiency %g, want %g", w.name, got, want)
		}
	}
}

// swizzled is code that turns the row %r3 and the chunk %r4 of a 128-byte swizzled tile into an address %r5.
const swizzled = "and.b32 %r6, %r3, 7; xor.b32 %r6, %r6, %r4; shl.b32 %r5, %r3, 7; shl.b32 %r6, %r6, 4; add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r2;\n"

func TestBankConflicts(t *testing.T) {
	load, word := "ld.shared.u32 %r7, [%r5];", func(shift int) string {
		return fmt.Sprintf("shl.b32 %%r5, %%r0, %d; add.u32 %%r5, %%r5, %%r2;\n", shift)
	}
	wide := "ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r5];"
	matrix := "ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%r7, %r8, %r9, %r10}, [%r5];"
	for _, w := range []struct {
		name                    string
		code                    string
		requests, phases, least uint64
	}{
		{"neighbours", word(2) + load, 1, 1, 1},
		{"every second word", word(3) + load, 1, 2, 1},
		{"every fourth word", word(4) + load, 1, 4, 1},
		{"a column of 32 words a row", word(7) + load, 1, 32, 1},
		{"the same word", "mov.u32 %r5, %r2;\n" + load, 1, 1, 1},
		{"a column of 33 words a row", "mad.lo.u32 %r5, %r0, 132, %r2;\n" + load, 1, 1, 1},
		{"packets", word(4) + wide, 1, 4, 4},
		{"packets, a row of 128 bytes each", word(7) + wide, 1, 32, 4},
		{"packets of a swizzled column", "mov.u32 %r3, %r0; mov.u32 %r4, 3;\n" + swizzled + wide, 1, 4, 4},
		{"atomics on one word", "mov.u32 %r5, %r2;\nred.shared.add.u32 [%r5], 1;", 1, 32, 1},
		// Lane l gives row l mod 8 of matrix l / 8, each matrix the next column of 16 bytes.
		{"ldmatrix without a swizzle", "and.b32 %r3, %r0, 7; shr.u32 %r4, %r0, 3; shl.b32 %r5, %r3, 7; shl.b32 %r6, %r4, 4; add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r2;\n" + matrix, 1, 32, 4},
		{"ldmatrix of a swizzled tile", "and.b32 %r3, %r0, 7; shr.u32 %r4, %r0, 3;\n" + swizzled + matrix, 1, 4, 4},
	} {
		p := run(t, w.code, launchOf(1, 32, 8192), emulate.Config{Off: emulate.AllChecks})
		b := p.Total.SharedLoad
		b.add(p.Total.SharedStore)
		if b.Requests != w.requests || b.Phases != w.phases || b.Conflicts() != w.phases-min(w.phases, b.Least) || !strings.HasPrefix(w.name, "atomics") && b.Least != w.least {
			t.Errorf("%s: %+v, want %d phases, %d without conflicts", w.name, b, w.phases, w.least)
		}
	}
}

// The copy engine brings 4 KB in, and a quarter of it goes back; each warp waits for the barrier.
const bulk = `mov.u32 %r3, dyn; add.u32 %r4, %r3, 4096; setp.ne.u32 %p1, %r0, 0; @%p1 bra READY;
mbarrier.init.shared::cta.b64 [%r4], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r4], 4096;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd0], 4096, [%r4];
READY: bar.sync 0;
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0; @!%p2 bra WAIT;
@%p1 bra END;
add.u64 %rd2, %rd0, 8192;
cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 1024; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END:`

func TestCopies(t *testing.T) {
	p := run(t, bulk, launchOf(1, 64, 8192), emulate.Config{})
	c := p.Total
	if c.Copies != 2 || c.CopyIn != 4096 || c.CopyOut != 1024 || c.L2ToSM != 4096 || c.SMToL2 != 1024 {
		t.Errorf("%d copies, %d in, %d out, %d from L2, %d to L2", c.Copies, c.CopyIn, c.CopyOut, c.L2ToSM, c.SMToL2)
	}
	if c.Waits != 2+1 { // each warp for the barrier, one for the group
		t.Errorf("%d waits, want 3", c.Waits)
	}
	if c.Mbarriers != 1+1+2 {
		t.Errorf("%d operations on mbarriers, want 4", c.Mbarriers)
	}
	if r, w := p.Footprint.Read.Grid, p.Footprint.Write.Grid; r != 4096 || w != 1024 {
		t.Errorf("footprint %g read, %g written", r, w)
	}
}

func TestMatrices(t *testing.T) {
	acc := make([]string, 32)
	for i := range acc {
		acc[i] = fmt.Sprintf("%%f%d", i)
	}
	p := run(t, `shr.u32 %r3, %r2, 4; cvt.u64.u32 %rd1, %r3; or.b64 %rd1, %rd1, 0x4000004000010000;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {`+strings.Join(acc, ", ")+`}, %rd1, %rd1, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;`, launchOf(2, 256, 16384), emulate.Config{Off: emulate.AllChecks})
	c := p.Total
	const instructions = 2 * 2 // blocks, warpgroups
	if c.Matrix != instructions || c.MatrixFlop != instructions*2*64*64*16 || c.MatrixBytes != instructions*(64+64)*32 {
		t.Errorf("%d matrix instructions, %d operations, %d bytes", c.Matrix, c.MatrixFlop, c.MatrixBytes)
	}
	if c.Slots.Tensor != float64(c.MatrixFlop) { // 16-bit factors
		t.Errorf("%g operations in time", c.Slots.Tensor)
	}
	if c.Waits != instructions*4 { // of each warp
		t.Errorf("%d waits, want %d", c.Waits, instructions*4)
	}
}

func TestLocalMemory(t *testing.T) {
	p := run(t, `.local .align 4 .b8 own[128]; mov.u32 %r3, own; st.local.u32 [%r3], %r0; ld.local.u32 %r4, [%r3];`, launchOf(1, 64, 0), emulate.Config{})
	if p.Total.Local != 2*2 {
		t.Errorf("%d requests to local memory, want 4", p.Total.Local)
	}
}
