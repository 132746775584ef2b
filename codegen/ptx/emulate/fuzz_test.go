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
	f.Add([]byte(rowNormText()), uint16(64))
	f.Add([]byte(kernelText(2, gridBarrier)), uint16(64))
	f.Fuzz(func(t *testing.T, text []byte, threads uint16) { runAny(text, threads) })
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
		dev := NewDevice(Config{MaxSteps: 20_000, MaxBytes: 1 << 20, Workers: 1})
		buf, err := dev.Alloc("buf", 4096)
		if err != nil {
			return false
		}
		params := make([]byte, k.ParamBytes())
		for _, q := range k.Params {
			switch q.Size {
			case 8:
				binary.LittleEndian.PutUint64(params[q.Offset:], buf)
			case 4:
				binary.LittleEndian.PutUint32(params[q.Offset:], 100)
			}
		}
		l := LaunchConfig{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{1 + uint32(threads)%128, 1, 1}, Dynamic: uint32(threads)}
		if _, err := dev.Launch(k, l, params); err == nil {
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
	texts := [][]byte{[]byte(kernelText(2, gridBarrier)), []byte(rowNormText())}
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
