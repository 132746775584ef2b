package opprofile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/operators"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
	"github.com/oxideinfer/oxide/evidence"
	genactivation "github.com/oxideinfer/oxide/gen/activation"
	gennormalization "github.com/oxideinfer/oxide/gen/normalization"
)

// recorded is a time in the evidence: one algorithm at one size.
type recorded struct {
	operator, spec, algorithm string
	dims                      []int
	inPlace                   bool  // how the records' fixtures call the operator
	cold                      int64 // bytes that calls go round
	us                        []float64
}

func (r *recorded) key() string {
	return fmt.Sprint(r.operator, r.spec, r.dims, r.algorithm)
}

// times lists what the records of a real H200 hold for the library's present kernels in replayed graphs. A case that several records
// have is one, with all their medians.
func times(t *testing.T) []*recorded {
	stored, err := evidence.Store{Dir: "../../../../evidence"}.Load()
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]*recorded{}
	var all []*recorded
	for _, s := range stored {
		if s.Record == nil || s.Record.Level != evidence.Performance || s.Record.Device.Name != profile.H200.Name {
			continue
		}
		for _, c := range s.Record.Cases {
			if !current(s.Record, c) {
				continue
			}
			for _, tm := range c.Timings {
				if !strings.HasPrefix(tm.Region, "replay of a graph") {
					continue
				}
				for _, k := range tm.Contenders {
					if !k.Ours || k.MedianUs == 0 {
						continue
					}
					r := &recorded{operator: s.Record.Operator, spec: c.Spec, dims: c.Dims, algorithm: k.Algorithm,
						inPlace: s.Record.Operator == "normalization.add_rms_norm", cold: tm.ColdBytes}
					if have := byKey[r.key()]; have != nil {
						r = have
					} else {
						byKey[r.key()] = r
						all = append(all, r)
					}
					r.us = append(r.us, k.MedianUs)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b *recorded) int { return cmp.Compare(a.key(), b.key()) })
	return all
}

// current reports whether the kernels of a case are what gen/ holds now.
func current(r *evidence.Record, c evidence.Case) bool {
	hashes := map[string]string{}
	for _, a := range slices.Concat(gennormalization.Artifacts(), genactivation.Artifacts()) {
		hashes[a.Entry] = a.CubinSHA256
	}
	return !slices.ContainsFunc(c.Artifacts, func(i int) bool {
		a := r.Artifacts[i]
		return hashes[a.Entry] != a.CubinSHA256
	})
}

// Calls of larger operands, or that compute more, are left out to keep the test small.
const (
	maxTestBytes = 150 << 20
	maxTestFlops = 2e9
)

// small reports whether a case is within these limits.
func small(t *testing.T, b catalog.Binding, spec any, dims []int) bool {
	tensors, err := b.Operator.Tensors(spec, dims...)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, x := range tensors {
		if x.Present {
			n += x.Span() * x.DType.Size()
		}
	}
	_, flops, err := b.Operator.Work(spec, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return n <= maxTestBytes && float64(flops) <= maxTestFlops
}

// estimated is a case beside what the model says.
type estimated struct {
	*recorded
	kernel string
	profile.Estimate
}

func (e *estimated) measured() float64 { return evidence.Median(e.us) }

func (e *estimated) miss() float64 { return e.Seconds*1e6/e.measured() - 1 }

func estimates(t *testing.T) (all []estimated, large int) {
	bindings := map[string]catalog.Binding{}
	for _, b := range operators.Bindings() {
		bindings[b.Operator.Name] = b
	}
	for _, r := range times(t) {
		b, ok := bindings[r.operator]
		if !ok {
			t.Fatalf("no operator %s", r.operator)
		}
		spec, err := b.ParseSpec([]byte(r.spec))
		if err != nil {
			t.Fatal(err)
		}
		if !small(t, b, spec, r.dims) {
			large++
			continue
		}
		pages, err := Run(Job{Binding: b, Spec: spec, Dims: r.dims, Algorithm: r.algorithm, InPlace: r.inPlace, Blocks: 8,
			Conditions: profile.Conditions{WorkingSet: float64(r.cold)}})
		if err != nil {
			t.Fatalf("%s %v: %v", r.operator, r.dims, err)
		}
		if len(pages) != 1 {
			t.Fatalf("%s %v launches %d kernels: the time of a call is not that of one", r.operator, r.dims, len(pages))
		}
		all = append(all, estimated{r, pages[0].Kernel, pages[0].Estimate})
	}
	return all, large
}

// What the median case of the recorded ones may be off, in either direction, and how many kernels there have to be.
const (
	maxMedianError = 0.25
	minKernels     = 20
)

// TestEstimate compares the time model with every time of a kernel in the evidence. The model has constants of the machine
// (profile.H200) and none of a kernel. Run with -v, it prints the table.
func TestEstimate(t *testing.T) {
	all, large := estimates(t)
	var errs []float64
	byKernel := map[string][]float64{}
	t.Logf("%-52s %10s %9s %9s %6s  %s", "kernel", "sizes", "estimate", "measured", "error", "bound by")
	for i := range all {
		e := &all[i]
		miss := math.Abs(e.miss())
		errs = append(errs, miss)
		byKernel[e.kernel] = append(byKernel[e.kernel], miss)
		t.Logf("%-52s %10s %6.2f µs %6.2f µs %+5.0f%%  %s", strings.TrimPrefix(e.kernel, "OxideSm90"), fmt.Sprint(e.dims), e.Seconds*1e6, e.measured(), 100*e.miss(), e.By)
	}
	var kernels []float64
	for _, list := range byKernel {
		kernels = append(kernels, evidence.Median(list))
	}
	t.Logf("%d cases of %d kernels (%d larger ones left out): median error %.1f %%; of the kernels' medians %.1f %%", len(errs), len(kernels), large, 100*evidence.Median(errs), 100*evidence.Median(kernels))
	if len(kernels) < minKernels {
		t.Errorf("%d kernels, want at least %d", len(kernels), minKernels)
	}
	if m := max(evidence.Median(errs), evidence.Median(kernels)); m > maxMedianError {
		t.Errorf("median error %.1f %%, want at most %.0f %%", 100*m, 100*maxMedianError)
	}
}
