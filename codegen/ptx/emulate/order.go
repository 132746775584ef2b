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

// tells is what the race checker hears of a fence; nil: nothing.
func (o *fenceOp) tells() func(t *tracker, w *warp, m uint32) {
	switch o.kind {
	case "membar", "fence", "fence.sync_restrict":
		s := map[string]sem{"acquire": semAcquire, "release": semRelease, "acq_rel": semAcqRel, "sc": semAcqRel}[o.sem]
		sc := map[string]scope{"cta": scopeCTA, "cluster": scopeCluster, "gpu": scopeGPU, "sys": scopeGPU}[o.scope]
		return func(t *tracker, w *warp, m uint32) { t.fence(w, m, s, sc) }
	case "fence.mbarrier_init":
		return func(t *tracker, w *warp, m uint32) { t.proxyFence(w, m, true, false, true) }
	case "fence.proxy.async":
		shared, global := o.space != "global", o.space == "" || o.space == "global"
		return func(t *tracker, w *warp, m uint32) { t.proxyFence(w, m, shared, global, false) }
	}
	return nil
}
