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
