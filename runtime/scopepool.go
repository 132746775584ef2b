package oxrt

import (
	goruntime "runtime"
	"sync"
)

// scopePool hands out scopes with reused cores, and knows the open ones. Scopes themselves are made by the dozen: one allocation of
// a few hundred bytes in so many calls.
type scopePool struct {
	dev   *Device
	mu    sync.Mutex
	idle  []*scopeCore
	open  *scopeCore // a list
	batch *scopeBatch
	track *scopeTrack
}

const scopesInBatch = 32

// scopeBatch are scopes that are made, and collected, together.
type scopeBatch struct{ scopes [scopesInBatch]Scope }

// scopeTrack remembers what the scopes of a batch were given, for the time when the batch has been collected.
type scopeTrack struct {
	pool *scopePool
	used int
	all  [scopesInBatch]Scope
}

// get returns a scope and notes it as open.
func (p *scopePool) get() *Scope {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.core()
	if c.after = p.open; p.open != nil {
		p.open.before = c
	}
	p.open = c
	if p.batch == nil {
		p.batch, p.track = &scopeBatch{}, &scopeTrack{pool: p}
		goruntime.AddCleanup(p.batch, (*scopeTrack).collected, p.track)
	}
	s := &p.batch.scopes[p.track.used]
	s.c, s.gen = c, c.gen.Add(1)
	p.track.all[p.track.used] = *s
	if p.track.used++; p.track.used == scopesInBatch {
		p.batch, p.track = nil, nil
	}
	return s
}

func (p *scopePool) core() *scopeCore {
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c
	}
	c := &scopeCore{dev: p.dev}
	c.batch.Commands = make([]Command, 0, 4)
	c.batch.Params = make([]byte, 0, 512)
	c.batch.Offsets = make([]uint16, 0, 64)
	c.leases = make([]*lease, 0, 16)
	c.names = make([]string, 0, 4)
	c.touches = make([]touch, 0, 16)
	return c
}

// borrow returns a core for one call inside this package; nobody else sees it, so that it needs no scope.
func (p *scopePool) borrow(s *Stream) *scopeCore {
	p.mu.Lock()
	c := p.core()
	p.mu.Unlock()
	c.stream, c.err = s, nil
	return c
}

// giveBack returns a borrowed core. The leases must have gone before.
func (c *scopeCore) giveBack() {
	c.empty()
	p := &c.dev.scopes
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
}

// put takes back the core of a scope that has ended.
func (p *scopePool) put(c *scopeCore) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.gen.Add(1)
	if c.before != nil {
		c.before.after = c.after
	} else {
		p.open = c.after
	}
	if c.after != nil {
		c.after.before = c.before
	}
	c.before, c.after = nil, nil
	p.idle = append(p.idle, c)
}

// leaks names the scopes that were neither submitted nor dropped.
func (p *scopePool) leaks() []Leak {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Leak
	for c := p.open; c != nil; c = c.after {
		all = append(all, Leak{Kind: "scope", Name: c.op, Site: "unknown"})
	}
	return all
}

// collected runs when nobody holds a scope of the batch any more. The methods of a scope keep it alive until they return: the
// collector may take a scope whose last use was to find its core. One that is still open was abandoned: it is reported, and its leases
// are given back, as nothing was submitted.
func (t *scopeTrack) collected() {
	for i := range t.all[:t.used] {
		s := &t.all[i]
		if s.ended() {
			continue
		}
		op := s.c.op
		s.Drop()
		t.pool.dev.rt.live.leaked(Leak{Kind: "scope", Name: op, Site: "unknown"})
	}
}
