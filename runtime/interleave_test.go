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

var long = flag.Bool("long", false, "drive every assignment of regions and streams through every interleaving")

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

// interleavings calls run with every order of the actions that the scopes and streams allow, one of each that differ only in neighbours
// that commute.
func (p *pattern) interleavings(run func([]action)) {
	all := p.actions()
	taken := make([]bool, len(all))
	var path []action
	var walk func()
	walk = func() {
		if len(path) == len(all) {
			run(path)
			return
		}
		for i, a := range all {
			if taken[i] || !p.enabled(a, path) {
				continue
			}
			if last := len(path) - 1; last >= 0 && p.commute(path[last], a) && slices.Index(all, path[last]) > i {
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

// everyPattern has each scope use any regions on any stream; renaming regions or streams gives nothing new, so the first scope
// is on stream 0 and uses the lowest regions.
func everyPattern() []pattern {
	sets := [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}
	var all []pattern
	for _, first := range [][]int{{0}, {0, 1}, {0, 1, 2}} {
		for _, second := range sets {
			for _, third := range sets {
				for streams := range 4 {
					for variant := range 4 {
						all = append(all, pattern{[][]int{first, second, third}, []int{0, streams & 1, streams >> 1}, []bool{false, variant&1 != 0, false}, variant&2 != 0})
					}
				}
			}
		}
	}
	return all
}

// TestEveryInterleaving drives scopes, regions and streams through every order of begin, bind, submit, drop, finish and close: memory is
// never freed while something uses it, always in the end, and every call says what it must.
func TestEveryInterleaving(t *testing.T) {
	all := patterns()
	switch {
	case *long:
		all = everyPattern()
	case testing.Short():
		all = all[3:]
	}
	r := newRig(t, true)
	other, err := r.dev.NewStream()
	must(t, err)
	var current *replay
	r.drv.OnFree(func(ptr oxrt.DevicePtr) {
		for i, b := range current.buffers {
			if b != nil && b.Ptr() == ptr && (current.held(i) || !current.closed[i]) {
				t.Errorf("region %d freed while it is used or open", i)
			}
		}
	})
	total := 0
	for i := range all {
		p := &all[i]
		p.interleavings(func(path []action) {
			total++
			v := &replay{pattern: p, r: r, streams: [2]*oxrt.Stream{r.stream, other}}
			current = v
			for i := range v.buffers {
				v.buffers[i] = r.buffer(8)
				if !slices.Contains(p.actions(), action{'c', i}) {
					v.closed[i] = true
					must(t, v.buffers[i].Close())
				}
			}
			for n, a := range path {
				if err := v.do(a); err != nil {
					t.Fatalf("%+v: after %v: %v: %v", *p, path[:n], a, err)
				}
			}
			if err := v.settled(); err != nil {
				t.Fatalf("%+v: %v: %v", *p, path, err)
			}
		})
	}
	t.Logf("%d interleavings of %d patterns", total, len(all))
	if total < 1000 {
		t.Errorf("only %d interleavings", total)
	}
}
