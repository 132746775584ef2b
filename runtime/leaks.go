package oxrt

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
)

// Leak is an object that nobody can close any more, or that was open when its runtime was closed.
type Leak struct {
	Kind  string // "buffer", "stream", "event", "graph", "scope"
	Name  string
	Bytes int64
	Site  string // file:line of the call that made it
}

func (l Leak) String() string {
	s := l.Kind
	if l.Name != "" {
		s += " " + l.Name
	}
	if l.Bytes > 0 {
		s += fmt.Sprintf(" of %d bytes", l.Bytes)
	}
	return s + " made at " + l.Site
}

// registry knows every object of a runtime that has to be closed, without keeping the object itself reachable.
type registry struct {
	mu     sync.Mutex
	last   uint64
	open   map[uint64]liveObject
	leaks  []Leak
	report func(Leak)
}

// liveObject is a registered object: its lease frees it, and knows whether it was closed and only waits for its last user.
type liveObject struct {
	leak  Leak
	lease *lease
}

func newRegistry(report func(Leak)) *registry {
	return &registry{open: map[uint64]liveObject{}, report: report}
}

func (r *registry) add(l Leak, lease *lease) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	r.open[r.last] = liveObject{l, lease}
	return r.last
}

func (r *registry) remove(id uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, id)
}

// lost records that the object of id was collected without having been closed. It is not freed here: the device may still use it.
func (r *registry) lost(id uint64) {
	r.mu.Lock()
	o, open := r.open[id]
	r.mu.Unlock()
	if open && !o.lease.closed() {
		r.leaked(o.leak)
	}
}

// leaked notes and reports a leak.
func (r *registry) leaked(l Leak) {
	r.mu.Lock()
	r.leaks = append(r.leaks, l)
	r.mu.Unlock()
	if r.report != nil {
		r.report(l)
	}
}

// drain empties the registry, newest object first: children before their parents.
func (r *registry) drain() []liveObject {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := make([]uint64, 0, len(r.open))
	for id := range r.open {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	objects := make([]liveObject, len(ids))
	for i, id := range ids {
		objects[i] = r.open[id]
		delete(r.open, id)
	}
	return objects
}

// watch reports object as a leak if it is collected while its id is still registered. The cleanup's argument is the id, never the
// object, which would keep it alive.
func watch[T any](object *T, r *registry, id uint64) {
	goruntime.AddCleanup(object, r.lost, id)
}

// Leaks returns the objects that were dropped without Close so far. They are reported, not freed, until the runtime is closed.
func (rt *Runtime) Leaks() []Leak {
	rt.live.mu.Lock()
	defer rt.live.mu.Unlock()
	return slices.Clone(rt.live.leaks)
}

// OpenObjects returns the objects that have not been closed yet, in no particular order.
func (rt *Runtime) OpenObjects() []Leak {
	rt.live.mu.Lock()
	all := make([]Leak, 0, len(rt.live.open))
	for _, o := range rt.live.open {
		all = append(all, o.leak)
	}
	rt.live.mu.Unlock()
	rt.mu.Lock()
	defer rt.mu.Unlock()
	for _, d := range rt.devices {
		all = append(all, d.scopes.leaks()...)
	}
	return all
}

// callSite returns file:line of the first caller outside this package.
func callSite() string {
	var pcs [12]uintptr
	frames := goruntime.CallersFrames(pcs[:goruntime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !more || !strings.HasPrefix(f.Function, packagePath+".") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}

const packagePath = "github.com/oxideinfer/oxide/runtime"
