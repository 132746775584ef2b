package emulate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// FuzzRun loads any PTX and launches what loads, with pointers into a small buffer and everything else at random: no
// panic, no hang, no unbounded memory.
func FuzzRun(f *testing.F) {
	paths, err := filepath.Glob("../testdata/foreign/*.ptx")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(33))
	}
	for _, text := range ownTexts() {
		f.Add(text, uint16(64))
	}
	f.Fuzz(func(t *testing.T, text []byte, threads uint16) { runAny(text, threads) })
}

// FuzzLoad decodes any PTX that parses: every kernel, with every operand and modifier.
func FuzzLoad(f *testing.F) {
	for _, text := range launchable(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ptx.Parse(text)
		if err != nil {
			return
		}
		if p, err := Load(m); err == nil && p == nil {
			t.Error("neither a program nor an error")
		}
	})
}

// FuzzLaunch launches kernels that are right with everything around them wrong: shapes, dynamic shared memory, schedule,
// parameters that are any bytes or addresses near one of three tiny allocations, and content of any bits.
func FuzzLaunch(f *testing.F) {
	texts := launchable(f)
	for i := range texts {
		f.Add(uint16(i), uint64(i), []byte{1, 2, 3})
	}
	f.Fuzz(func(t *testing.T, which uint16, seed uint64, raw []byte) {
		launchAny(t, texts[int(which)%len(texts)], rand.New(rand.NewPCG(seed, 1)), raw)
	})
}

// launchable are the foreign kernels and those of the tests.
func launchable(f *testing.F) [][]byte {
	paths, err := filepath.Glob("../testdata/foreign/*.ptx")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	texts := ownTexts()
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		texts = append(texts, b)
	}
	return texts
}

// launchAny launches every kernel of a text once.
func launchAny(t *testing.T, text []byte, rng *rand.Rand, raw []byte) {
	m, err := ptx.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(m)
	if err != nil {
		return // the case wants another target or shows what is not modelled
	}
	dev := NewDevice(Config{MaxSteps: 20_000, MaxBytes: 1 << 18, Workers: 1 + rng.IntN(2), SMs: rng.IntN(3), Async: AsyncMode(rng.IntN(3)), Seed: uint64(rng.IntN(4)), Ring: rng.IntN(8) == 0})
	var at [3]uint64
	for i := range at {
		size := 1 + rng.Uint64N(64)<<rng.IntN(6)
		if at[i], err = dev.Alloc("buf", size); err != nil {
			t.Fatal(err)
		}
		if err := dev.Write(at[i], raw[:min(len(raw), int(size))]); err != nil {
			t.Fatal(err)
		}
	}
	small := func(n uint32) uint32 { return rng.Uint32N(n) << rng.IntN(4) }
	var list []StreamLaunch
	for _, k := range p.Kernels() {
		l := LaunchConfig{Grid: [3]uint32{1 + small(3), small(2), small(2)}, Block: [3]uint32{small(70), small(4), small(2)}, Dynamic: small(9000), Dependent: rng.IntN(2) == 0}
		if l.HasCluster = rng.IntN(2) == 0; l.HasCluster {
			l.Cluster = [3]uint32{1 + rng.Uint32N(4), rng.Uint32N(3), rng.Uint32N(2)}
		}
		if want := k.fn.Directives.ReqNTID; want[0] != 0 && rng.IntN(4) > 0 {
			l.Block = [3]uint32{uint32(want[0]), uint32(max(1, want[1])), uint32(max(1, want[2]))}
		}
		list = append(list, StreamLaunch{k, l, anyParams(k, at, rng, raw)})
	}
	// A launch that is refused is fine; one that panics or does not end is not.
	_, _ = dev.LaunchAll(list)
}

// anyParams fills a parameter block with maps and addresses near the allocations, small numbers and raw bytes.
func anyParams(k *Kernel, at [3]uint64, rng *rand.Rand, raw []byte) []byte {
	params := make([]byte, k.ParamBytes())
	for i := range params {
		if len(raw) > 0 {
			params[i] = raw[rng.IntN(len(raw))]
		}
	}
	for _, q := range k.Params {
		near := at[rng.IntN(3)] + uint64(rng.IntN(3))*16 - uint64(rng.IntN(2))*4
		switch c := rng.IntN(4); {
		case c == 0:
		case q.Size == TensorMapBytes:
			tm := plainMap()
			tm.Address, tm.Rank = near&^15, 1+rng.IntN(5)
			for i := range tm.Dims {
				tm.Dims[i], tm.Box[i], tm.ElementStrides[i] = 1+rng.Uint64N(40), 1+rng.Uint32N(20), 1+rng.Uint32N(2)
			}
			if b, err := tm.Encode(); err == nil {
				copy(params[q.Offset:], b[:])
			}
		case q.Size == 8:
			binary.LittleEndian.PutUint64(params[q.Offset:], near)
		case q.Size == 4:
			binary.LittleEndian.PutUint32(params[q.Offset:], rng.Uint32N(300))
		}
	}
	return params
}

// ownTexts are kernels of the tests, for what the foreign ones do not use.
func ownTexts() [][]byte {
	remote := "mov.u32 %r2, %cluster_ctarank; mov.u32 %r8, dyn; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r8], 1; fence.mbarrier_init.release.cluster;\n" + clusterSync +
		"mapa.shared::cluster.u32 %r9, %r8, 0; @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 8; @%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r9+8], %rd0, [%r9];\n" +
		waitFor("W", "%r8", "0") + clusterSync
	var out [][]byte
	for _, text := range []string{
		rowNormText(), kernelText(2, gridBarrier), kernelText(2, remote), kernelText(3, gridSecond), tmaKernel(2, tmaInit+tmaLoad+tmaDump), tmaKernel(3, tmaFill+tmaInit+tmaLoad),
		kernelText(2, bar("1")+"add.u32 %r9, %r8, 16; @!%p0 bra S; mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 256; "+bulkLoad+"\nS:"+waitFor("W", "%r8", "0")+
			"@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r9], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;"),
		roles("setmaxnreg.dec.sync.aligned.u32 24;", "setmaxnreg.inc.sync.aligned.u32 240;"),
	} {
		out = append(out, []byte(text))
	}
	return out
}

// runAny runs what it can of a text and reports whether something was launched.
func runAny(text []byte, threads uint16) (launched bool) {
	m, err := ptx.Parse(text)
	if err != nil {
		return false
	}
	p, err := Load(m)
	if err != nil {
		return false
	}
	for _, k := range p.Kernels() {
		mode := AsyncMode(threads % 3)
		dev := NewDevice(Config{MaxSteps: 20_000, MaxBytes: 1 << 20, Workers: 1, Async: mode, Seed: uint64(threads) % 4})
		buf, err := dev.Alloc("buf", 4096)
		if err != nil {
			return false
		}
		params := make([]byte, k.ParamBytes())
		for _, q := range k.Params {
			switch q.Size {
			case TensorMapBytes:
				tm := plainMap()
				tm.Address = buf
				if b, err := tm.Encode(); err == nil {
					copy(params[q.Offset:], b[:])
				}
			case 8:
				binary.LittleEndian.PutUint64(params[q.Offset:], buf)
			case 4:
				binary.LittleEndian.PutUint32(params[q.Offset:], 100)
			}
		}
		l := LaunchConfig{Grid: [3]uint32{4, 1, 1}, Cluster: [3]uint32{1 << (threads % 3), 1, 1}, HasCluster: threads%3 != 0, Block: [3]uint32{1 + uint32(threads)%128, 1, 1}, Dynamic: uint32(threads)}
		if k.fn.Directives.ReqNTID[0] == 384 {
			l.Block[0] = 384
		}
		next := l
		next.Dependent = true
		if _, err := dev.LaunchAll([]StreamLaunch{{k, l, params}, {k, next, params}}); err == nil {
			launched = true
		}
	}
	return launched
}

// TestMutatedText deletes, doubles and swaps statements of real kernels: whatever comes out must run to an end.
func TestMutatedText(t *testing.T) {
	paths, err := filepath.Glob("../testdata/foreign/*.ptx")
	if err != nil {
		t.Fatal(err)
	}
	texts := ownTexts()
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if runAny(b, 64) {
			texts = append(texts, b)
		}
	}
	rng := rand.New(rand.NewPCG(11, 12))
	launched := 0
	for range mutations {
		stmts := bytes.SplitAfter(texts[rng.IntN(len(texts))], []byte(";"))
		for range 1 + rng.IntN(3) {
			i, j := rng.IntN(len(stmts)), rng.IntN(len(stmts))
			switch rng.IntN(3) {
			case 0:
				stmts[i] = nil
			case 1:
				stmts[i], stmts[j] = stmts[j], stmts[i]
			default:
				stmts[i] = append(bytes.Clone(stmts[i]), stmts[j]...)
			}
		}
		if runAny(bytes.Join(stmts, nil), uint16(rng.Uint32())) {
			launched++
		}
	}
	if launched < mutations/10 {
		t.Errorf("only %d of %d mutants could be launched", launched, mutations)
	}
}

const mutations = 300
