package emulate

// warpgroup is what four warps of a CTA have in flight together.
type warpgroup struct {
	warps []*warp
	ops   []*matrixOp // in issue order, without those that all warps have waited for
	first int         // number of ops[0]
}

// warpMatrices is a warp's view of the matrix operations of its warpgroup.
type warpMatrices struct {
	issued  int   // operations that the warp executed
	groups  []int // for each committed group that was not waited for: the number after its last operation
	retired int   // operations that the warp has waited for
	want    int   // the wait in progress ends when the operations before this one are done
	discipline
}

// warpgroup returns the warpgroup of a warp, or nil where the CTA has no four warps there.
func (w *warp) warpgroup() *warpgroup {
	c := w.cta
	i := w.index / warpgroupWarps
	if (i+1)*warpgroupWarps > len(c.warps) {
		return nil
	}
	for len(c.warpgroups) <= i {
		n := len(c.warpgroups) * warpgroupWarps
		c.warpgroups = append(c.warpgroups, &warpgroup{warps: c.warps[n : n+warpgroupWarps]})
	}
	return c.warpgroups[i]
}

// matrices returns the warp's view, made at first use.
func (w *warp) matrices() *warpMatrices {
	if w.matrix == nil {
		w.matrix = &warpMatrices{}
		w.matrix.discipline.reset(w.k.nregs)
	}
	return w.matrix
}

// op returns the operation of that number in the order of the warpgroup; the first warp that executes it makes it.
func (g *warpgroup) op(number int, w *warp, o *wgmmaOp, in *inst) *matrixOp {
	if i := number - g.first; i < len(g.ops) {
		return g.ops[i]
	}
	op := &matrixOp{wgmmaOp: o, in: in, number: number, cta: w.cta, group: g, warps: g.warps}
	g.ops = append(g.ops, op)
	return op
}

// commitMatrices closes the group of the operations since the last commit.
func (w *warp) commitMatrices() {
	m := w.matrices()
	m.groups = append(m.groups, m.issued)
	if t := w.run.track; t != nil {
		t.commit(w, fullMask, matrixGroup)
	}
}

// awaitMatrices begins a wait that leaves at most n groups in flight.
func (w *warp) awaitMatrices(n int) {
	if t := w.run.track; t != nil {
		t.waitGroup(w, fullMask, matrixGroup, n, false)
	}
	m := w.matrices()
	if k := len(m.groups) - n; k > 0 {
		m.want = m.groups[k-1]
		m.groups = append(m.groups[:0], m.groups[k:]...)
	}
}

// holdForMatrices is the second half of wgmma.wait_group: it stays until the operations are done. They complete when
// every warp of the warpgroup has executed them.
func holdForMatrices(w *warp, _ *inst, _ uint32) bool {
	f := &w.frags[w.cur]
	m := w.matrices()
	g := w.warpgroup()
	if g == nil || m.want <= m.retired {
		f.pc++
		return false
	}
	for n := max(m.retired, g.first); n < m.want; n++ {
		if g.ops[n-g.first].async == nil {
			f.state = atMatrix
			return true
		}
	}
	for n := max(m.retired, g.first); n < m.want; n++ {
		w.run.settle(g.ops[n-g.first].async)
	}
	m.retired = m.want
	g.trim()
	f.pc++
	return false
}

// trim forgets the operations that all warps have waited for.
func (g *warpgroup) trim() {
	done := g.first + len(g.ops)
	for _, w := range g.warps {
		if w.matrix == nil {
			return
		}
		done = min(done, w.matrix.retired)
	}
	if n := done - g.first; n > 0 {
		g.ops = append(g.ops[:0], g.ops[n:]...)
		g.first = done
	}
}

// wake lets fragments that wait for operations of the warpgroup look again.
func (w *warp) wake() {
	for i := range w.frags {
		if w.frags[i].state == atMatrix {
			w.frags[i].state = ready
		}
	}
}
