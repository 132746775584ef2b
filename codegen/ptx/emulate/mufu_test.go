package emulate

import (
	"crypto/sha256"
	"encoding/binary"
	commandline "flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/oxideinfer/oxide/internal/numfmt"
)

var everyBlock = commandline.Bool("mufu.all", false, "compare the approximate functions on all 2^32 arguments, not on a sample")

// blockResults is how many results one recorded hash covers.
const blockResults = 1 << 20

// TestRecordedFunctions compares every approximate function with hashes recorded on an H200
// (internal/mufu/record/record.cu): of a sample of the blocks of 2^20 arguments, or of all.
func TestRecordedFunctions(t *testing.T) {
	for name, f := range map[string]func(x float32, ftz bool) float32{"ex2": ex2Approx, "lg2": lg2Approx, "rcp": rcpApprox, "rsqrt": rsqrtApprox,
		"sqrt": sqrtApprox, "sin": sinApprox, "cos": cosApprox, "tanh": tanhApprox} {
		compareHashes(t, name+"_f32", unary(approxUnary32(f, false)))
		if name != "tanh" {
			compareHashes(t, name+"_ftz_f32", unary(approxUnary32(f, true)))
		}
	}
}

func unary(f func(a uint64) uint64) func(x uint32) uint32 {
	return func(x uint32) uint32 { return uint32(f(uint64(x))) }
}

// TestRecordedQuotients compares the quotients of mixed bit patterns.
func TestRecordedQuotients(t *testing.T) {
	for _, name := range []string{"div_full_f32", "div_full_ftz_f32", "div_approx_f32", "div_approx_ftz_f32"} {
		f := quotient(strings.Contains(name, "full"), strings.Contains(name, "ftz"))
		compareHashes(t, name, func(x uint32) uint32 { return uint32(f(uint64(mix(x)), uint64(mix(^x)))) })
	}
}

// mix is the hash that the recorder draws operands with.
func mix(x uint32) uint32 {
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}

// compareHashes recomputes recorded blocks of one function, one a processor at a time.
func compareHashes(t *testing.T, name string, f func(x uint32) uint32) {
	t.Run(name, func(t *testing.T) {
		sums, err := os.ReadFile(filepath.Join("testdata", "mufu", name+".sums"))
		if err != nil {
			t.Fatal(err)
		}
		step := 127 // odd, so that every part of an octave has its turn
		if *everyBlock {
			step = 1
		}
		var wg sync.WaitGroup
		blocks := make(chan int)
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				out := make([]byte, 0, 4*blockResults)
				for b := range blocks {
					first := uint32(b) * blockResults
					if got, want := blockSum(out, f, first, blockResults, 4), [8]byte(sums[8*b:]); got != want {
						t.Errorf("arguments from %#08x on: hash %x, recorded %x", first, got, want)
					}
				}
			})
		}
		for b := 0; b < len(sums)/8; b += step {
			blocks <- b
		}
		close(blocks)
		wg.Wait()
	})
}

// blockSum is the beginning of the SHA-256 over n results of 2 or 4 bytes.
func blockSum(out []byte, f func(x uint32) uint32, first uint32, n, size int) [8]byte {
	for i := range n {
		y := f(first + uint32(i))
		if size == 2 {
			out = binary.LittleEndian.AppendUint16(out, uint16(y))
		} else {
			out = binary.LittleEndian.AppendUint32(out, y)
		}
	}
	sum := sha256.Sum256(out)
	return [8]byte(sum[:8])
}

// TestRecordedHalfFunctions compares the 16-bit functions on every argument.
func TestRecordedHalfFunctions(t *testing.T) {
	for _, c := range []struct {
		name, op string
		f        numfmt.Format
	}{{"ex2_f16", "ex2", numfmt.F16}, {"ex2_ftz_bf16", "ex2", numfmt.BF16}, {"tanh_f16", "tanh", numfmt.F16}, {"tanh_bf16", "tanh", numfmt.BF16}} {
		sums, err := os.ReadFile(filepath.Join("testdata", "mufu", c.name+".sums"))
		if err != nil {
			t.Fatal(err)
		}
		if got := blockSum(nil, unary(halfFunction(c.op, c.f)), 0, 1<<16, 2); got != [8]byte(sums) {
			t.Errorf("%s: hash %x, recorded %x", c.name, got, sums)
		}
	}
}

var approximateResult uint64

func BenchmarkApproximate(b *testing.B) {
	for name, f := range map[string]func(x float32, ftz bool) float32{"ex2": ex2Approx, "rsqrt": rsqrtApprox, "sin": sinApprox, "tanh": tanhApprox} {
		g := approxUnary32(f, true)
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				approximateResult += g(uint64(math.Float32bits(float32(i&0xffff)*1e-3 + 0.5)))
			}
		})
	}
}
