package emulate

// order decodes the ordering of ld, st, atom and red (manual 8.4, 8.5). Volatile accesses are relaxed ones of system
// scope (manual 8.4.1).
func (b *build) order() order {
	o := order{nc: b.has("nc")}
	switch {
	case b.has("volatile"), b.has("mmio"):
		b.oneOf("relaxed")
		return order{sem: semRelaxed, scope: scopeGPU}
	case b.has("relaxed"):
		o.sem = semRelaxed
	case b.has("acquire"):
		o.sem = semAcquire
	case b.has("release"):
		o.sem = semRelease
	case b.has("acq_rel"):
		o.sem = semAcqRel
	default:
		return o
	}
	o.scope = b.scope(scopeGPU)
	return o
}

// scope returns the scope modifier, or what holds where there is none.
func (b *build) scope(none scope) scope {
	switch b.oneOf("cta", "cluster", "gpu", "sys", "gl") {
	case "cta":
		return scopeCTA
	case "cluster":
		return scopeCluster
	case "gpu", "sys", "gl":
		return scopeGPU
	}
	return none
}

// decodeFence is membar and fence (manual 9.7.13.4). Values are sequentially consistent here whatever it says; it
// tells the race checker what is ordered.
func decodeFence(b *build) {
	b.inst.visible = true
	exec := func(f func(t *tracker, w *warp, m uint32)) {
		b.inst.exec = func(w *warp, _ *inst, m uint32) {
			if t := w.run.track; t != nil {
				f(t, w, m)
			}
		}
	}
	switch {
	case b.has("mbarrier_init"):
		b.ignore("release", "cluster")
		exec(func(t *tracker, w *warp, m uint32) { t.proxyFence(w, m, true, false, true) })
	case b.has("proxy"):
		if b.has("async::generic") || b.has("tensormap::generic") || b.has("alias") {
			b.used = ^uint64(0)
			b.inst.exec = func(*warp, *inst, uint32) {}
			return
		}
		b.has("async")
		global, shared := b.has("global"), b.has("shared::cta") || b.has("shared::cluster")
		if !global && !shared {
			global, shared = true, true
		}
		exec(func(t *tracker, w *warp, m uint32) { t.proxyFence(w, m, shared, global, false) })
	default:
		s := semAcqRel
		switch b.oneOf("sc", "acq_rel", "acquire", "release") {
		case "acquire":
			s = semAcquire
		case "release":
			s = semRelease
		}
		b.ignore("sync_restrict::*")
		sc := b.scope(scopeGPU)
		exec(func(t *tracker, w *warp, m uint32) { t.fence(w, m, s, sc) })
	}
}
