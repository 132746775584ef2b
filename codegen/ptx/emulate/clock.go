package emulate

// clock is what somebody knows of the 32 lanes of one actor: how far each lane's time had come. It is a value; what
// each points to never changes.
type clock struct {
	all  uint32            // all lanes, if each is nil
	each *[warpSize]uint32 // where lanes differ
}

func (c clock) at(lane int) uint32 {
	if c.each != nil {
		return c.each[lane&31]
	}
	return c.all
}

// join returns the later of both, lane by lane.
func (c clock) join(d clock) clock {
	switch {
	case c.each == nil && d.each == nil:
		return clock{all: max(c.all, d.all)}
	case c.each == d.each:
		return c
	}
	var each [warpSize]uint32
	moreC, moreD := false, false
	for l := range each {
		a, b := c.at(l), d.at(l)
		moreC, moreD = moreC || a > b, moreD || b > a
		each[l] = max(a, b)
	}
	switch {
	case !moreD:
		return c
	case !moreC:
		return d
	}
	return clock{each: &each}
}

// with returns the clock with the lanes in m at least at t.
func (c clock) with(m, t uint32) clock {
	if m == fullMask && (c.each == nil && c.all <= t || c.each != nil && t >= c.latest()) {
		return clock{all: t}
	}
	if c.each == nil && c.all >= t || m == 0 {
		return c
	}
	var each [warpSize]uint32
	for l := range each {
		each[l] = c.at(l)
		if m>>l&1 != 0 {
			each[l] = max(each[l], t)
		}
	}
	return clock{each: &each}
}

func (c clock) latest() uint32 {
	if c.each == nil {
		return c.all
	}
	t := uint32(0)
	for _, v := range c.each {
		t = max(t, v)
	}
	return t
}

// reaches reports whether the lanes in m are known up to time t.
func (c clock) reaches(m, t uint32) bool {
	if c.each == nil {
		return c.all >= t
	}
	for l := range c.each {
		if m>>l&1 != 0 && c.each[l] < t {
			return false
		}
	}
	return true
}

// know is a vector clock: what happened before a point in a thread's life (manual 8.9.5). It never changes once it
// is shared. Actors of the own cluster are numbered from 0; what is known of another cluster is kept apart.
type know struct {
	cluster uint32
	own     []clock
	far     []farKnow // ascending clusters
}

type farKnow struct {
	cluster uint32
	own     []clock
}

// of returns what is known of an actor of the own cluster.
func (k *know) of(actor uint32) clock {
	if int(actor) < len(k.own) {
		return k.own[actor]
	}
	return clock{}
}

// beyond returns what is known of an actor of another cluster.
func (k *know) beyond(cluster, actor uint32) clock {
	for i := range k.far {
		if f := &k.far[i]; f.cluster == cluster && int(actor) < len(f.own) {
			return f.own[actor]
		}
	}
	return clock{}
}

// join returns a vector clock with the knowledge of both, from k's cluster's point of view. It is one of them where
// that one knows everything.
func (k *know) join(o *know) *know {
	switch {
	case o == nil || k == o:
		return k
	case k.cluster != o.cluster:
		return k.joinFar(o)
	}
	own, all, none := joinClocks(k.own, o.own)
	far := joinFars(k.far, o.far)
	if all && sameFar(far, k.far) {
		return k
	}
	if none && sameFar(far, o.far) {
		return o
	}
	return &know{cluster: k.cluster, own: own, far: far}
}

// joinFar takes over the knowledge of a thread of another cluster.
func (k *know) joinFar(o *know) *know {
	out := &know{cluster: k.cluster, own: k.own, far: joinFars(k.far, []farKnow{{o.cluster, o.own}})}
	for _, f := range o.far {
		if f.cluster == k.cluster {
			out.own, _, _ = joinClocks(out.own, f.own)
		} else {
			out.far = joinFars(out.far, []farKnow{f})
		}
	}
	return out
}

// joinClocks returns the join of two lists. all: a knows everything, so the result is a; none: the result is b.
func joinClocks(a, b []clock) (out []clock, all, none bool) {
	if len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) {
		return a, true, true
	}
	if len(b) > len(a) {
		out, none, all = joinClocks(b, a)
		return out, all, none
	}
	all, none = true, len(a) == len(b)
	for i, c := range a {
		var d clock
		if i < len(b) {
			d = b[i]
		}
		j := c.join(d)
		if j != c && all {
			all = false
			out = append(make([]clock, 0, len(a)), a[:i]...)
		}
		none = none && j == d
		if !all {
			out = append(out, j)
		}
	}
	if all {
		return a, true, none
	}
	if none {
		return b, false, true
	}
	return out, false, false
}

func joinFars(a, b []farKnow) []farKnow {
	if len(b) == 0 || sameFar(a, b) {
		return a
	}
	if len(a) == 0 {
		return b
	}
	out := make([]farKnow, 0, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].cluster < b[j].cluster:
			out = append(out, a[i])
			i++
		case i == len(a) || b[j].cluster < a[i].cluster:
			out = append(out, b[j])
			j++
		default:
			own, _, _ := joinClocks(a[i].own, b[j].own)
			out = append(out, farKnow{a[i].cluster, own})
			i, j = i+1, j+1
		}
	}
	return out
}

func sameFar(a, b []farKnow) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// gather collects the knowledge of those who arrive at a barrier.
type gather struct {
	base *know   // what all had in common, nil: nobody came yet
	own  []clock // being built
	far  []farKnow
}

// add joins what the lanes of one actor publish: its vector clock and its own time.
func (g *gather) add(k *know, actor uint32, self clock) {
	switch {
	case g.base == nil:
		g.base, g.far = k, k.far
		g.own = append(g.own[:0], k.own...)
	case g.base != k:
		if g.base.cluster != k.cluster {
			k = (&know{cluster: g.base.cluster}).joinFar(k)
		}
		for i, c := range k.own {
			g.set(uint32(i), c)
		}
		g.far = joinFars(g.far, k.far)
	}
	if g.base.cluster == k.cluster {
		g.set(actor, self)
	}
}

func (g *gather) set(actor uint32, c clock) {
	for int(actor) >= len(g.own) {
		g.own = append(g.own, clock{})
	}
	g.own[actor] = g.own[actor].join(c)
}

// take returns what came together and starts anew; nil if nobody came.
func (g *gather) take() *know {
	if g.base == nil {
		return nil
	}
	k := &know{cluster: g.base.cluster, own: append([]clock(nil), g.own...), far: g.far}
	*g = gather{own: g.own[:0]}
	return k
}
