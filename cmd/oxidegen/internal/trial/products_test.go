package trial

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
)

// measured is testdata/products/times.json: what kernels on tensor cores took on an H200.
type measured struct {
	Device  string
	Kernels []struct {
		Entry     string
		PTXSHA256 string `json:"ptx_sha256"`
		Launch    bundle.Contract
	}
	Cases []struct {
		Entry   string
		M, N, K int
		Grid    uint32
		Args    []string
		Us      []float64
	}
}

func read(t *testing.T) (m measured, kernels map[string]*bundle.Kernel) {
	t.Helper()
	text, err := os.ReadFile("testdata/products/times.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	kernels = map[string]*bundle.Kernel{}
	for _, k := range m.Kernels {
		b := &bundle.Kernel{Algorithm: k.Entry, Target: "sm_90a", Entry: k.Entry, Contract: k.Launch, PTX: unpack(t, k.Entry)}
		if b.PTXSHA256() != k.PTXSHA256 {
			t.Fatalf("the text of %s is not the measured one", k.Entry)
		}
		kernels[k.Entry] = b
	}
	return m, kernels
}

func unpack(t *testing.T, entry string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata/products", entry+".ptx.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var long = flag.Bool("long", false, "estimate all measured products, not only the smallest")

// Shared memory lets one block of each of these kernels on an SM.
const blocksPerSM = 1

// TestProducts compares the time model with products of matrices: rings of tensor copies, wgmma, clusters with multicast,
// persistent blocks. With -long all 45 cases run, which takes a minute and a half.
func TestProducts(t *testing.T) {
	m, kernels := read(t)
	var lines []string
	var errs []float64
	for _, c := range m.Cases {
		if c.M*c.N > 128*4096 && !*long {
			continue
		}
		p, err := Profile(kernels[c.Entry], Call{Grid: [3]uint32{c.Grid, 1, 1}, Dynamic: -1, Args: c.Args, Blocks: 2})
		if err != nil {
			t.Fatal(err)
		}
		e, us := p.Estimate(profile.H200, blocksPerSM, profile.Conditions{}), slices.Min(c.Us)
		miss := e.Seconds*1e6/us - 1
		errs = append(errs, math.Abs(miss))
		lines = append(lines, fmt.Sprintf("%-30s %5d %5d %5d %7.1f µs %7.1f µs %+4.0f%%  %s", strings.TrimPrefix(c.Entry, "OxideSm90MatmulTiled_"), c.M, c.N, c.K, e.Seconds*1e6, us, 100*miss, e.By))
	}
	slices.Sort(errs)
	median := errs[len(errs)/2]
	t.Logf("%-30s %5s %5s %5s %10s %10s %5s  bound by\n%s\n%d cases: median error %.1f %%", "kernel", "m", "n", "k", "estimate", "measured", "error", strings.Join(lines, "\n"), len(errs), 100*median)
	if len(errs) < len(m.Kernels) || median > 0.25 {
		t.Errorf("%d cases, median error %.1f %%; want at least %d and at most 25 %%", len(errs), 100*median, len(m.Kernels))
	}
}
