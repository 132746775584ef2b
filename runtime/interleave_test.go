package oxrt_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

var long = flag.Bool("long", false, "drive every assignment of regions and streams to up to three scopes through every interleaving")

// pattern says which regions each of up to three scopes uses, on which of two streams, and whether it is dropped instead of submitted.
type pattern struct {
	regions [][]int
	streams []int
	drop    []bool
	poll    bool // ask for every completion as soon as it is done, or only in the end
}

// An action is one step of one scope, or the closing of a region.
type action struct {
	kind byte // 'b': begin and bind, 's': submit or drop, 'f': the device finishes, 'c': close
	n    int  // scope or region
}

func (a action) String() string { return fmt.Sprintf("%c%d", a.kind, a.n) }

func (p *pattern) actions() []action {
	var all []action
	used := map[int]bool{}
	for i, regions := range p.regions {
		all = append(all, action{'b', i}, action{'s', i})
		if !p.drop[i] {
			all = append(all, action{'f', i})
		}
		for _, r := range regions {
			used[r] = true
		}
	}
	for r := range 3 {
		if used[r] {
			all = append(all, action{'c', r})
		}
	}
	return all
}

// commute tells whether two actions touch nothing in common, so that their order cannot matter.
func (p *pattern) commute(a, b action) bool {
	switch {
	case a.kind == 'c' && b.kind == 'c':
		return true
	case a.kind == 'c':
		return !slices.Contains(p.regions[b.n], a.n)
	case b.kind == 'c':
		return !slices.Contains(p.regions[a.n], b.n)
	case a.n == b.n:
		return false
	}
	return a.kind == 'b' || b.kind == 'b' || p.streams[a.n] != p.streams[b.n]
}

// interleavings calls run with every order of the actions that the scopes and streams allow, one of all orders that differ only in
// places where actions commute: the first by the alphabet (Anisimov & Knuth, Inhomogeneous sorting, 1979). An order is the first when no
// action could be moved, over actions that it commutes with, before one that comes later in the alphabet.
func (p *pattern) interleavings(run func([]action)) {
	all := p.actions()
	alphabet := map[action]int{}
	for i, a := range all {
		alphabet[a] = i
	}
	taken := make([]bool, len(all))
	var path []action
	first := func(a action) bool {
		for i := len(path) - 1; i >= 0 && p.commute(path[i], a); i-- {
			if alphabet[path[i]] > alphabet[a] {
				return false
			}
		}
		return true
	}
	var walk func()
	walk = func() {
		if len(path) == len(all) {
			run(path)
			return
		}
		for i, a := range all {
			if taken[i] || !p.enabled(a, path) || !first(a) {
				continue
			}
			taken[i] = true
			path = append(path, a)
			walk()
			path = path[:len(path)-1]
			taken[i] = false
		}
	}
	walk()
}

// enabled tells whether an action may come next: steps of a scope in order, and a stream finishes in the order of its submissions.
func (p *pattern) enabled(a action, path []action) bool {
	switch a.kind {
	case 's':
		return slices.Contains(path, action{'b', a.n})
	case 'f':
		for _, b := range path {
			if b == (action{'s', a.n}) {
				return true
			}
			if b.kind == 's' && !p.drop[b.n] && p.streams[b.n] == p.streams[a.n] && !slices.Contains(path, action{'f', b.n}) {
				return false
			}
		}
		return false
	}
	return true
}

// replay is one run of the real types against what must hold.
type replay struct {
	*pattern
	r       *rig
	streams [2]*oxrt.Stream
	buffers [3]*oxrt.Buffer
	closed  [3]bool
	scopes  [3]*oxrt.Scope
	done    [3]oxrt.Completion
	refused [3]bool    // a region was closed before the scope wanted it
	leased  [3][3]bool // by scope or its submission: region
}

// held tells whether a scope or unfinished submission uses a region.
func (v *replay) held(region int) bool {
	return v.leased[0][region] || v.leased[1][region] || v.leased[2][region]
}

func (v *replay) do(a action) error {
	switch a.kind {
	case 'b':
		return v.begin(a.n)
	case 's':
		return v.end(a.n)
	case 'f':
		return v.finish(a.n)
	}
	v.closed[a.n] = true
	err := v.buffers[a.n].Close()
	if want := v.held(a.n); want != errors.Is(err, oxrt.ErrLeased) || (!want && err != nil) {
		return fmt.Errorf("held %v, closed with %v", want, err)
	}
	return nil
}

func (v *replay) begin(i int) error {
	var err error
	if v.scopes[i], err = v.streams[v.pattern.streams[i]].Begin(); err != nil {
		return err
	}
	var operands []oxrt.Operand
	for _, r := range v.regions[i] {
		v.refused[i] = v.refused[i] || v.closed[r]
		v.leased[i][r] = !v.closed[r] // also by a refused scope, until it ends
		operands = append(operands, oxrt.Operand{Name: "y", Region: v.buffers[r].All(oxrt.U8), Access: oxrt.Write})
	}
	err = v.scopes[i].Bind("op", operands...)
	if v.refused[i] != errors.Is(err, oxrt.ErrClosed) {
		return fmt.Errorf("bound with %v", err)
	}
	if err == nil {
		return v.r.launch(v.scopes[i])
	}
	return nil
}

func (v *replay) end(i int) error {
	if v.drop[i] || v.refused[i] {
		v.leased[i] = [3]bool{}
	}
	if v.drop[i] {
		v.scopes[i].Drop()
		return nil
	}
	var err error
	v.done[i], err = v.scopes[i].Submit()
	if v.refused[i] != errors.Is(err, oxrt.ErrClosed) || (!v.refused[i] && err != nil) {
		return fmt.Errorf("submitted with %v", err)
	}
	if v.refused[i] {
		return nil
	}
	if ok, err := v.done[i].Poll(); ok {
		return fmt.Errorf("done before the device is: %v", err)
	}
	return nil
}

func (v *replay) finish(i int) error {
	if v.refused[i] {
		return nil
	}
	if n := v.r.drv.Advance(v.streams[v.pattern.streams[i]].Handle(), 1, oxrt.CodeSuccess); n != 1 {
		return errors.New("nothing in flight")
	}
	v.leased[i] = [3]bool{}
	if !v.poll {
		return nil
	}
	if ok, err := v.done[i].Poll(); !ok || err != nil {
		return fmt.Errorf("the device is done: %v, %v", ok, err)
	}
	return nil
}

// settled checks the end: every completion is nil, every region freed once.
func (v *replay) settled() error {
	for i := range v.regions {
		if !v.drop[i] && !v.refused[i] {
			if err := v.done[i].Wait(context.Background()); err != nil {
				return err
			}
		}
	}
	if n := v.r.drv.LiveBytes(); n != 0 {
		return fmt.Errorf("%d bytes live in the end", n)
	}
	return nil
}

// patterns are the assignments that CI runs: shared, chained, separate, one stream and two, with drops.
func patterns() []pattern {
	no := []bool{false, false, false}
	return []pattern{
		{[][]int{{0, 1}, {1, 2}, {2, 0}}, []int{0, 1, 0}, []bool{false, true, false}, true},
		{[][]int{{0}, {0}, {0}}, []int{0, 0, 1}, no, false},
		{[][]int{{0}, {0, 1}, {1}}, []int{0, 1, 1}, no, true},
		{[][]int{{0}, {1}, {2}}, []int{0, 0, 0}, no, false},
		{[][]int{{0, 1, 2}, {2}}, []int{0, 1}, no[:2], true},
	}
}

// sets are the regions that a scope may use.
var sets = [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}

// allPatterns calls yield with every pattern of n scopes: any regions, any streams, any of them dropped.
func allPatterns(n int, yield func(pattern)) {
	p := pattern{make([][]int, n), make([]int, n), make([]bool, n), false}
	var choose func(i int)
	choose = func(i int) {
		if i == n {
			for _, p.poll = range []bool{false, true} {
				yield(pattern{slices.Clone(p.regions), slices.Clone(p.streams), slices.Clone(p.drop), p.poll})
			}
			return
		}
		for _, p.regions[i] = range sets {
			for p.streams[i] = range 2 {
				for _, p.drop[i] = range []bool{false, true} {
					choose(i + 1)
				}
			}
		}
	}
	choose(0)
}

// orders are all permutations of 0 to n-1.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, o := range orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(o), at, n-1))
		}
	}
	return all
}

// renamed is the pattern with scope i called scopes[i], region r called regions[r], and the streams exchanged or not.
func (p *pattern) renamed(scopes, regions []int, exchange bool) pattern {
	q := pattern{make([][]int, len(p.regions)), make([]int, len(p.streams)), make([]bool, len(p.drop)), p.poll}
	for i, to := range scopes {
		for _, r := range p.regions[i] {
			q.regions[to] = append(q.regions[to], regions[r])
		}
		slices.Sort(q.regions[to])
		q.streams[to], q.drop[to] = p.streams[i], p.drop[i]
		if exchange {
			q.streams[to] = 1 - p.streams[i]
		}
	}
	return q
}

// renamings are all patterns that differ from p in names only.
func (p *pattern) renamings() []pattern {
	var all []pattern
	for _, scopes := range orders(len(p.regions)) {
		for _, regions := range orders(3) {
			all = append(all, p.renamed(scopes, regions, false), p.renamed(scopes, regions, true))
		}
	}
	return all
}

func (p *pattern) String() string { return fmt.Sprint(p.regions, p.streams, p.drop, p.poll) }

// everyPattern has one pattern of all that differ in names only: the first of them as text.
func everyPattern() []pattern {
	var all []pattern
	for n := 1; n <= 3; n++ {
		seen := map[string]bool{}
		allPatterns(n, func(p pattern) {
			if seen[p.String()] {
				return
			}
			all = append(all, p)
			for _, q := range p.renamings() {
				seen[q.String()] = true
			}
		})
	}
	return all
}

// driven runs orders of actions on one runtime.
type driven struct {
	t       *testing.T
	r       *rig
	other   *oxrt.Stream
	current *replay
}

func newDriven(t *testing.T) *driven {
	t.Helper()
	d := &driven{t: t, r: newRig(t, true)}
	var err error
	d.other, err = d.r.dev.NewStream()
	must(t, err)
	d.r.drv.OnFree(func(ptr oxrt.DevicePtr) {
		for i, b := range d.current.buffers {
			if b != nil && b.Ptr() == ptr && (d.current.held(i) || !d.current.closed[i]) {
				t.Errorf("region %d freed while it is used or open", i)
			}
		}
	})
	return d
}

func (d *driven) run(p *pattern, path []action) {
	d.t.Helper()
	v := &replay{pattern: p, r: d.r, streams: [2]*oxrt.Stream{d.r.stream, d.other}}
	d.current = v
	for i := range v.buffers {
		v.buffers[i] = d.r.buffer(8)
		if !slices.ContainsFunc(p.regions, func(regions []int) bool { return slices.Contains(regions, i) }) {
			v.closed[i] = true
			must(d.t, v.buffers[i].Close())
		}
	}
	for n, a := range path {
		if err := v.do(a); err != nil {
			d.t.Fatalf("%v: after %v: %v: %v", p, path[:n], a, err)
		}
	}
	if err := v.settled(); err != nil {
		d.t.Fatalf("%v: %v: %v", p, path, err)
	}
}

// TestEveryInterleaving drives scopes, regions and streams through every order of begin, bind, submit, drop, finish and close: memory is
// never freed while something uses it, always in the end, and every call says what it must. With -long they are all orders of up to three
// scopes, three regions and two streams, but for names and for neighbours that commute.
func TestEveryInterleaving(t *testing.T) {
	all := patterns()
	if *long {
		all = everyPattern()
	}
	d, total := newDriven(t), 0
	for i := range all {
		all[i].interleavings(func(path []action) {
			total++
			d.run(&all[i], path)
		})
	}
	t.Logf("%d interleavings of %d patterns", total, len(all))
	if total < 7000 {
		t.Errorf("only %d interleavings", total)
	}
}

// TestPatternsStandForAll: every pattern differs in names only from exactly one of those that are driven, and has as many interleavings.
func TestPatternsStandForAll(t *testing.T) {
	stands := map[string]int{}
	reps := everyPattern()
	for i := range reps {
		for _, q := range reps[i].renamings() {
			if other, ok := stands[q.String()]; ok && other != i {
				t.Fatalf("%v stands for %v and so does %v", &reps[i], &q, &reps[other])
			}
			stands[q.String()] = i
		}
	}
	all := 0
	for n := 1; n <= 3; n++ {
		allPatterns(n, func(p pattern) {
			all++
			if _, ok := stands[p.String()]; !ok {
				t.Errorf("nothing stands for %v", &p)
			}
			if i := stands[p.String()]; all%1500 == 0 && count(&p) != count(&reps[i]) {
				t.Errorf("%v has %d interleavings and %v, which stands for it, %d", &p, count(&p), &reps[i], count(&reps[i]))
			}
		})
	}
	if want := 7*4*2 + 49*16*2 + 343*64*2; all != want || len(stands) != want {
		t.Errorf("%d patterns, and %d are stood for, want %d", all, len(stands), want)
	}
}

func count(p *pattern) (n int) {
	p.interleavings(func([]action) { n++ })
	return n
}

// TestOneOrderOfEach: of all orders that exchanges of commuting neighbours make of each other, exactly one is among the interleavings;
// and the orders that are left out go well too.
func TestOneOrderOfEach(t *testing.T) {
	d := newDriven(t)
	for _, p := range []pattern{
		{[][]int{{0}, {0}}, []int{0, 0}, []bool{false, false}, true},
		{[][]int{{0}, {0}}, []int{0, 1}, []bool{false, false}, false},
		{[][]int{{0}, {0, 1}}, []int{0, 1}, []bool{false, true}, true},
		{[][]int{{0}, {1}}, []int{0, 0}, []bool{false, false}, true},
		{[][]int{{0}, {0}, {0}}, []int{0, 1, 0}, []bool{true, false, true}, true},
	} {
		reduced := map[string]bool{}
		p.interleavings(func(path []action) { reduced[fmt.Sprint(path)] = true })
		all := map[string][]action{}
		p.everyOrder(nil, func(path []action) {
			all[fmt.Sprint(path)] = slices.Clone(path)
			d.run(&p, path)
		})
		classes, seen := 0, map[string]bool{}
		for text, path := range all {
			if seen[text] {
				continue
			}
			classes++
			members := 0
			for todo := [][]action{path}; len(todo) > 0; {
				path, todo = todo[0], todo[1:]
				text := fmt.Sprint(path)
				if seen[text] {
					continue
				}
				seen[text] = true
				if all[text] == nil {
					t.Fatalf("%v: an exchange makes %s, which cannot be", &p, text)
				}
				if reduced[text] {
					members++
				}
				for i := range len(path) - 1 {
					if p.commute(path[i], path[i+1]) {
						next := slices.Clone(path)
						next[i], next[i+1] = next[i+1], next[i]
						todo = append(todo, next)
					}
				}
			}
			if members != 1 {
				t.Errorf("%v: %d interleavings for the orders that are %v with neighbours exchanged", &p, members, path)
			}
		}
		if classes != len(reduced) || classes >= len(all) {
			t.Errorf("%v: %d orders in %d classes, %d interleavings", &p, len(all), classes, len(reduced))
		}
	}
}

// everyOrder calls run with every order that the scopes and streams allow.
func (p *pattern) everyOrder(path []action, run func([]action)) {
	all := p.actions()
	if len(path) == len(all) {
		run(path)
		return
	}
	for _, a := range all {
		if !slices.Contains(path, a) && p.enabled(a, path) {
			p.everyOrder(append(slices.Clone(path), a), run)
		}
	}
}
