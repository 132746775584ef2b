package emulate

import "math/bits"

// CTAs that cannot see each other run on several workers, each with a shadow of its own. Whatever two workers touched,
// one of them writing, is a race: nothing orders their CTAs.

// hash is a hash of what a store puts into one cell; never 0.
func (a *access) hash(s uint64) int32 {
	h := uint64(14695981039346656037)
	for m := stampLanes(s, a.unit); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		for _, v := range a.store.val {
			h = (h ^ mask(a.w.val(v)[l], 8*a.store.elem)) * 1099511628211
		}
	}
	return int32((h>>32^h)&(1<<(31-lineBits)-1) | 1)
}

// mergeRaces compares the shadows of the workers of a launch.
func mergeRaces(workers []*worker) {
	for i, w := range workers {
		for _, v := range workers[:i] {
			if w.track != nil && v.track != nil {
				w.track.compare(v.track)
			}
		}
	}
}

func (t *tracker) compare(o *tracker) {
	for _, x := range t.run.l.dev.allocs {
		a, b := t.global[x], o.global[x]
		if a == nil || b == nil {
			continue
		}
		for i, p := range a.pages {
			if q := b.pages[i]; p != nil && q != nil {
				t.comparePages(o, x, uint64(i)<<pageShift, p, q)
			}
		}
	}
}

func (t *tracker) comparePages(o *tracker, x *alloc, base uint64, p, q *page) {
	p.fit(0, 1<<q.unit, &t.readers)
	q.fit(0, 1<<p.unit, &o.readers)
	for i := range p.cells {
		c, d := &p.cells[i], &q.cells[i]
		off := base + uint64(i)<<p.unit
		switch {
		case c.w|d.w == 0:
		case c.w != 0 && d.w != 0:
			if c.wline>>lineBits == 0 || c.wline>>lineBits != d.wline>>lineBits {
				t.collide(x, off, p.unit, conflicting{c.w, c.wline & lineMask, true}, conflicting{d.w, d.wline & lineMask, true})
			}
		case c.w != 0 && d.r != 0:
			s, line := o.readers.top(d.r, d.rline)
			t.collide(x, off, p.unit, conflicting{s, line, false}, conflicting{c.w, c.wline & lineMask, true})
		case d.w != 0 && c.r != 0:
			s, line := t.readers.top(c.r, c.rline)
			t.collide(x, off, p.unit, conflicting{s, line, false}, conflicting{d.w, d.wline & lineMask, true})
		}
	}
}

// top is the latest reader of a cell.
func (s *readerSets) top(r uint64, line int32) (uint64, int32) {
	if r&uint64(isSet) != 0 {
		n := s.nodes[r>>8]
		return n.stamp, n.line
	}
	return r, line
}

// collide reports accesses of two workers, the one of the lower block first where they are alike.
func (t *tracker) collide(x *alloc, off uint64, unit uint32, a, b conflicting) {
	if a.write == b.write && stampActor(b.stamp) > stampActor(a.stamp) {
		a, b = b, a
	}
	if t.run.rep.repeat(RaceGlobal, int(a.line)) {
		return
	}
	one := access{t: t, alloc: x, unit: unit}
	mine, other := one.other(a, off), one.other(b, off)
	index := int(stampActor(a.stamp) / t.warps)
	t.run.report(&cta{index: index}, raceFinding(RaceGlobal, Error, mine, other, "nothing orders their blocks"))
}
