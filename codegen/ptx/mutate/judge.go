package mutate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// Subject is a kernel with inputs.
type Subject struct {
	Name string
	Text []byte
	// Run runs a module made from Text: what the checkers saw, and whether the outputs are right. An error says that
	// the module could not be run at all.
	Run func(m *ptx.Module, c emulate.Config) (found []emulate.Finding, right bool, err error)
}

// Verdict is what became of a mutant.
type Verdict string

// The verdicts.
const (
	Named      Verdict = "named"      // found by a checker, with a class that names the mistake
	Found      Verdict = "found"      // found by a checker, with another class
	Numbers    Verdict = "numbers"    // only the outputs are wrong
	Equivalent Verdict = "equivalent" // by a stated rule
	Unreached  Verdict = "unreached"  // the case does not come where it makes a difference: no mutant of this case
	Refused    Verdict = "refused"    // the mutant is no program any more
	Survived   Verdict = "survived"
)

// Result is one judged mutant.
type Result struct {
	Subject string
	Kind    Kind
	Line    int
	What    string
	Verdict Verdict
	Class   emulate.Class // of the first finding
	Why     string        // of an equivalent or refused mutant
}

// String is one line for people.
func (r Result) String() string {
	s := fmt.Sprintf("%s, %s, line %d, %s: %s", r.Kind, r.Subject, r.Line, r.What, r.Verdict)
	if r.Class != "" {
		s += " by " + string(r.Class)
	}
	if r.Why != "" {
		s += " (" + r.Why + ")"
	}
	return s
}

// Schedules are the configurations under which a mutant runs until it is found: both extremes of asynchronous
// completion, and chance.
var Schedules = []emulate.Config{
	{}, {Async: emulate.AsyncEarly}, {Async: emulate.AsyncRandom, Seed: 1}, {Seed: 2}, {Async: emulate.AsyncEarly, Seed: 3}, {Async: emulate.AsyncRandom, Seed: 4},
}

// Judge plants and judges every mistake that pick chooses; nil chooses all. steps bounds the warp instructions of a
// launch: a mutant may not end.
func Judge(s Subject, steps uint64, pick func(i int, site Site) bool) ([]Result, error) {
	m, err := ptx.Parse(s.Text)
	if err != nil {
		return nil, err
	}
	known, err := s.baseline(steps)
	if err != nil {
		return nil, err
	}
	var out []Result
	for i, site := range Sites(m) {
		if pick != nil && !pick(i, site) {
			continue
		}
		out = append(out, s.judge(i, site, steps, known))
	}
	return out, nil
}

// seen is a finding that the unchanged kernel has: a listed one.
type seen struct {
	class emulate.Class
	line  int
}

// baseline demands that the unchanged kernel is right, and returns what the checkers say of it all the same.
func (s Subject) baseline(steps uint64) ([]seen, error) {
	var known []seen
	for _, c := range Schedules {
		m, err := ptx.Parse(s.Text)
		if err != nil {
			return nil, err
		}
		c.MaxSteps = steps
		found, right, err := s.Run(m, c)
		if err != nil || !right {
			return nil, fmt.Errorf("%s: the unchanged kernel fails: right %t, %w", s.Name, right, err)
		}
		for _, f := range found {
			known = append(known, seen{f.Class, f.Line})
		}
	}
	return known, nil
}

func (s Subject) judge(i int, site Site, steps uint64, known []seen) Result {
	r := Result{Subject: s.Name, Kind: site.Kind, Line: site.Line, What: site.What, Verdict: Survived}
	for _, c := range Schedules {
		c.MaxSteps = steps
		found, right, err := s.planted(i, c, func(x Site) { x.Plant() })
		if err != nil {
			r.Verdict, r.Why = Refused, err.Error()
			return r
		}
		for _, f := range found {
			if f.Severity != emulate.Error || slices.Contains(known, seen{f.Class, f.Line}) {
				continue
			}
			if r.Kind.Names(f.Class) {
				r.Verdict, r.Class = Named, f.Class
				return r
			}
			if r.Class == "" {
				r.Verdict, r.Class = Found, f.Class
			}
		}
		if !right && r.Verdict == Survived {
			r.Verdict = Numbers
		}
	}
	if r.Verdict == Survived {
		r.Verdict, r.Why = s.excuse(i, site, steps)
	}
	return r
}

// planted runs a fresh module that f changed at a site.
func (s Subject) planted(i int, c emulate.Config, f func(Site)) ([]emulate.Finding, bool, error) {
	m, err := ptx.Parse(s.Text)
	if err != nil {
		return nil, false, err
	}
	f(Sites(m)[i])
	return s.Run(m, c)
}

// excuse returns why nothing can be seen of a mutant, if a rule says so.
func (s Subject) excuse(i int, site Site, steps uint64) (Verdict, string) {
	if site.Redundant {
		return Equivalent, "one that does the same stands next to it, or there is nothing that it orders"
	}
	found, _, err := s.planted(i, emulate.Config{MaxSteps: steps}, func(x Site) { x.Reach() })
	if err != nil || slices.ContainsFunc(found, func(f emulate.Finding) bool { return f.Class == emulate.Trap }) {
		return Survived, ""
	}
	if site.Kind == BoundsOffByOne || site.Kind == StageCount {
		return Unreached, "the operands are never equal in this case"
	}
	return Unreached, "never executed in this case"
}

// Table counts verdicts by kind, as text.
func Table(results []Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %8s %6s %6s %8s %11s %8s %9s\n", "kind", "mutants", "named", "found", "numbers", "equivalent", "survived", "unreached")
	total := map[Verdict]int{}
	for _, k := range Kinds {
		n := map[Verdict]int{}
		all := 0
		for _, r := range results {
			if r.Kind == k {
				n[r.Verdict]++
				total[r.Verdict]++
				all++
			}
		}
		if all > 0 {
			row(&b, string(k), n)
		}
	}
	row(&b, "total", total)
	return b.String()
}

func row(b *strings.Builder, name string, n map[Verdict]int) {
	all := 0
	for v, c := range n {
		if v != Unreached && v != Refused {
			all += c
		}
	}
	fmt.Fprintf(b, "%-28s %8d %6d %6d %8d %11d %8d %9d\n", name, all, n[Named], n[Found], n[Numbers], n[Equivalent], n[Survived], n[Unreached]+n[Refused])
}

// Rate is the share of mutants that are found, of those that are not equivalent: by a checker alone,
// or, for kinds of data shape, by a checker or wrong numbers. Without such mutants it is 1.
func Rate(results []Result, shape bool) float64 {
	hit, all := 0, 0
	for _, r := range results {
		if r.Kind.Shape() != shape || r.Verdict == Equivalent || r.Verdict == Refused || r.Verdict == Unreached {
			continue
		}
		all++
		if r.Verdict == Named || r.Verdict == Found || shape && r.Verdict == Numbers {
			hit++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(hit) / float64(all)
}
