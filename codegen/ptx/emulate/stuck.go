package emulate

// When nobody can run, the machine has to give: first operations in flight that somebody waits for, then any, then the
// patience of suspended try_waits. What is left is a deadlock.

// unstick makes something happen. It returns false if nothing can.
func (w *worker) unstick() bool {
	if w.completeAwaited() || w.completeOldest() {
		return true
	}
	if w.patience == w.progress {
		return false // nothing changed since all try_waits gave up the last time
	}
	w.patience = w.progress
	any := false
	for _, c := range w.resident {
		for _, wp := range c.warps {
			for i := range wp.frags {
				if f := &wp.frags[i]; f.state == atMbarrier {
					f.state, f.mbar, f.timeout = ready, nil, true
					any = true
				}
			}
		}
	}
	return any
}

// completeAwaited completes operations, oldest first, on one mbarrier a cluster that somebody waits for, until its
// phase ends.
func (w *worker) completeAwaited() (any bool) {
	for i := 0; i < len(w.resident); {
		cl := w.resident[i].cluster
		i += len(cl.ctas)
		if b := cl.awaited(w); b != nil {
			any = true
			for phase := b.phase; b.phase == phase && len(b.flight) > 0; {
				w.settle(b.flight[0])
			}
		}
	}
	return any
}

// awaited chooses an mbarrier of the cluster that has operations in flight and threads that wait for it.
func (c *cluster) awaited(w *worker) *mbarrier {
	var list []*mbarrier
	for _, x := range c.ctas {
		for _, wp := range x.warps {
			for i := range wp.frags {
				if b := wp.frags[i].mbar; b != nil && wp.frags[i].state == atMbarrier && len(b.flight) > 0 {
					list = append(list, b)
				}
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[w.choose(0, len(list))]
}

// completeOldest completes the oldest operation that any CTA has in flight.
func (w *worker) completeOldest() bool {
	for _, c := range w.resident {
		if len(c.flight) > 0 {
			w.settle(c.flight[0])
			return true
		}
	}
	return false
}
