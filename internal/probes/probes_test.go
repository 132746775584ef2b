package probes

import (
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"sync"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// -long runs every probe, early and at random too; without it a fixed sample runs.
var long = flag.Bool("long", false, "run every probe, in all asynchronous modes")

// sample is the distance of the probes that run without -long, a prime number.
const sample = 7

// unrecorded are the probes that no device has run yet. They must run without a finding, and their bits are compared with nothing.
var unrecorded = regexp.MustCompile(`^wgmma_|^(bulk|tensor)_multicast_|^tensor_reduce_(.d_x?or|signed)_|_steps$`)

// modes are the asynchronous modes of -long; without it only the first.
var modes = []emulate.Config{{}, {Async: emulate.AsyncEarly, Seed: 1}, {Async: emulate.AsyncRandom, Seed: 2}}

// TestProbes demands the bits of an H200 and no finding of any checker.
func TestProbes(t *testing.T) {
	r, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	groups := make(chan []*Probe)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for list := range groups {
				for _, err := range runGroup(list, r) {
					t.Error(err)
				}
			}
		})
	}
	ran := 0
	for _, list := range chosen() {
		ran += len(list)
		groups <- list
	}
	close(groups)
	wg.Wait()
	t.Logf("%d probes ran; %d are recorded, on %v by an %s", ran, len(r.Hashes), r.Header["date"], r.Header["gpu"])
}

// chosen are the probes to run, by kernels.
func chosen() (groups [][]*Probe) {
	kernel := ""
	for i, p := range All() {
		if !*long && i%sample != 0 {
			continue
		}
		if p.Kernel.Name != kernel {
			kernel = p.Kernel.Name
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], p)
	}
	return groups
}

// runGroup runs probes of one kernel.
func runGroup(list []*Probe, r *Recording) (errs []error) {
	text, err := Text(list[0].Kernel)
	if err != nil {
		return []error{err}
	}
	prog, err := Load(text)
	if err != nil {
		return []error{fmt.Errorf("%s: %w", list[0].Kernel.Name, err)}
	}
	for _, p := range list {
		for i, mode := range modes {
			if i > 0 && !*long {
				break
			}
			mode.Workers = 1
			got, err := p.Emulate(prog, mode)
			switch {
			case err != nil:
				errs = append(errs, fmt.Errorf("%s, %v: %w", p.Name, mode.Async, err))
			case unrecorded.MatchString(p.Name):
			case Hash(got) != r.Hashes[p.Name]:
				errs = append(errs, fmt.Errorf("%s, %v: other bits than an H200's", p.Name, mode.Async))
			}
		}
	}
	return errs
}

// TestRecording: every probe but those that say so was recorded, on a device.
func TestRecording(t *testing.T) {
	r, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gpu", "driver", "ptxas", "date", "maps"} {
		if r.Header[name] == "" {
			t.Errorf("the recording does not say its %s", name)
		}
	}
	seen := map[string]bool{}
	for _, p := range All() {
		if seen[p.Name] {
			t.Errorf("two probes are called %s", p.Name)
		}
		seen[p.Name] = true
		if recorded := r.Hashes[p.Name] != ""; recorded == unrecorded.MatchString(p.Name) {
			t.Errorf("%s is recorded: %t", p.Name, recorded)
		}
	}
	if len(seen) < 8000 || len(r.Hashes) < 2700 {
		t.Errorf("%d probes, %d recorded", len(seen), len(r.Hashes))
	}
}

// TestMaps: the emulator takes and refuses the tensor maps that the driver takes and refuses.
func TestMaps(t *testing.T) {
	r, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	answers, refused := r.Header["maps"], 0
	for i, m := range Maps() {
		if i >= len(answers) {
			t.Fatalf("only %d maps are recorded", len(answers))
		}
		mine := m.Check()
		if answer(accepts(mine)) != answers[i] {
			t.Errorf("map %d: the driver says %c, the emulator %v: %+v", i, answers[i], mine, *m)
		}
		if answers[i] == '0' {
			refused++
		}
	}
	if refused < 500 {
		t.Errorf("only %d of %d maps are refused", refused, len(answers))
	}
}
