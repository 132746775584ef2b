package irtest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// Grid is the number of CTAs in x, y and z; zero counts as 1.
type Grid [3]uint32

// Option changes a run. Options stand among the arguments, anywhere.
type Option func(*setup)

// Config sets the virtual device: multiprocessors, checkers, limits. Mode and seed are chosen by Schedules.
func Config(c emulate.Config) Option { return func(s *setup) { s.config = c } }

// Schedules replaces the asynchronous modes and seeds under which the kernel runs.
func Schedules(list ...Schedule) Option { return func(s *setup) { s.schedules = list } }

// Unordered says that results may depend on the order of threads, as with floating-point atomics: the bytes of different
// schedules are not compared, and the arguments keep those of the last.
func Unordered() Option { return func(s *setup) { s.unordered = true } }

// Schedule is one way in which a run may go.
type Schedule struct {
	Async emulate.AsyncMode
	Seed  uint64 // 0 is round robin
}

// defaultSchedules are both extremes and chance: what a missing wait or fence cannot survive.
var defaultSchedules = []Schedule{
	{emulate.AsyncLate, 0}, {emulate.AsyncEarly, 0}, {emulate.AsyncRandom, 1}, {emulate.AsyncRandom, 2}, {emulate.AsyncLate, 3},
}

// setup is what the arguments of Run say.
type setup struct {
	grid      Grid
	config    emulate.Config
	schedules []Schedule
	unordered bool
	args      []any
}

func newSetup(args []any) *setup {
	s := &setup{schedules: defaultSchedules}
	for _, a := range args {
		switch v := a.(type) {
		case Grid:
			s.grid = v
		case Option:
			v(s)
		default:
			s.args = append(s.args, a)
		}
	}
	return s
}

// Run runs a kernel and fails the test at the first finding of a checker.
//
// kernel is an ir.Algorithm with one variant, an ir.Instance, or a *ir.Kernel. The arguments are the kernel's parameters in
// order. A slice of integers or floats is device memory: it holds the input and, after Run, what the kernel left there under the
// last schedule; nil is a null pointer. Scalars have the Go type of the parameter's width. Grid and Options may stand among them.
//
// What a run proves: results are the bits of an H200 for all that package emulate lists as exact, races are found in any schedule that
// runs both accesses, and waits, fences and barriers are tried with early, late and random completion. What it does not: time, and
// what that package lists as not modelled; an instruction of that list fails the test with its line. A finding of severity warning is
// logged and does not fail it.
func Run(t testing.TB, kernel any, args ...any) {
	t.Helper()
	s := newSetup(args)
	p := load(t, kernel)
	var first []memory
	for i, at := range s.schedules {
		found, left := p.launch(t, s, at)
		for _, f := range found {
			if f.Severity == emulate.Error {
				t.Fatalf("%v, seed %d: %v", at.Async, at.Seed, f)
			}
			t.Logf("%v, seed %d: %v", at.Async, at.Seed, f)
		}
		if i == 0 {
			first = left
		} else if !s.unordered {
			same(t, first, left, at)
		}
		if i == len(s.schedules)-1 {
			for _, m := range left {
				m.store()
			}
		}
	}
}

// Findings runs a kernel as Run does and returns what the checkers saw under all schedules, once for each class and line.
// It is for tests of kernels that are wrong on purpose; the arguments' memory is left as it was.
func Findings(t testing.TB, kernel any, args ...any) []emulate.Finding {
	t.Helper()
	s := newSetup(args)
	p := load(t, kernel)
	var all []emulate.Finding
	for _, at := range s.schedules {
		found, _ := p.launch(t, s, at)
		for _, f := range found {
			if !slices.ContainsFunc(all, func(o emulate.Finding) bool { return o.Class == f.Class && o.Line == f.Line }) {
				all = append(all, f)
			}
		}
	}
	return all
}

func same(t testing.TB, first, left []memory, at Schedule) {
	t.Helper()
	for i := range first {
		if !bytes.Equal(first[i].data, left[i].data) {
			t.Fatalf("%v, seed %d: parameter %q differs from the first schedule's at byte %d", at.Async, at.Seed, left[i].name,
				mismatch(first[i].data, left[i].data))
		}
	}
}

func mismatch(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}
