package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// special is an instruction that reads a special register into a slot (manual 10).
func (b *build) special(s ptx.SReg, slot int32) inst {
	in := inst{guard: noGuard, line: int32(b.in.Line), text: b.in, outs: []int32{slot}}
	f := specialLane(s)
	if f == nil {
		b.fail("%s is not modelled", s.Name())
		return in
	}
	in.exec = func(w *warp, _ *inst, m uint32) {
		rd := &w.regs[slot]
		for ; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			rd[l&31] = f(w, l)
		}
	}
	return in
}

// axis returns the component of a vector register: s counts from its .x.
func axis(v func(w *warp, l int) [3]uint32, i ptx.SReg) func(w *warp, l int) uint64 {
	return func(w *warp, l int) uint64 { return uint64(v(w, l)[i]) }
}

func specialLane(s ptx.SReg) func(w *warp, l int) uint64 {
	switch {
	case s <= ptx.TIDZ:
		return axis(func(w *warp, l int) [3]uint32 { return w.thread(l).Thread }, s-ptx.TIDX)
	case s <= ptx.NTIDZ:
		return axis(func(w *warp, _ int) [3]uint32 { return w.run.l.Block }, s-ptx.NTIDX)
	case s <= ptx.CTAIDZ:
		return axis(func(w *warp, _ int) [3]uint32 { return w.cta.id }, s-ptx.CTAIDX)
	case s <= ptx.NCTAIDZ:
		return axis(func(w *warp, _ int) [3]uint32 { return w.run.l.Grid }, s-ptx.NCTAIDX)
	case s <= ptx.ClusterIDZ:
		return axis(func(w *warp, _ int) [3]uint32 { return zip(w.cta.id, w.run.l.Cluster, div) }, s-ptx.ClusterIDX)
	case s <= ptx.NClusterIDZ:
		return axis(func(w *warp, _ int) [3]uint32 { return zip(w.run.l.Grid, w.run.l.Cluster, div) }, s-ptx.NClusterIDX)
	case s <= ptx.ClusterCTAIDZ:
		return axis(func(w *warp, _ int) [3]uint32 { return zip(w.cta.id, w.run.l.Cluster, mod) }, s-ptx.ClusterCTAIDX)
	case s <= ptx.ClusterNCTAIDZ:
		return axis(func(w *warp, _ int) [3]uint32 { return w.run.l.Cluster }, s-ptx.ClusterNCTAIDX)
	}
	return specialScalar(s)
}

func div(a, b uint32) uint32 { return a / b }
func mod(a, b uint32) uint32 { return a % b }

func zip(a, b [3]uint32, f func(a, b uint32) uint32) [3]uint32 {
	return [3]uint32{f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])}
}

func specialScalar(s ptx.SReg) func(w *warp, l int) uint64 {
	switch s {
	case ptx.LaneID:
		return func(_ *warp, l int) uint64 { return uint64(l) }
	case ptx.WarpID:
		return func(w *warp, _ int) uint64 { return uint64(w.index) }
	case ptx.NWarpID:
		return func(*warp, int) uint64 { return MaxThreadsPerSM / warpSize }
	case ptx.SMID:
		return func(w *warp, _ int) uint64 { return uint64(w.cta.index % w.run.l.dev.cfg.SMs) }
	case ptx.NSMID:
		return func(w *warp, _ int) uint64 { return uint64(w.run.l.dev.cfg.SMs) }
	case ptx.GridID, ptx.CurrentGraphExec:
		return func(*warp, int) uint64 { return 0 }
	case ptx.ClusterCTARank:
		return func(w *warp, _ int) uint64 {
			c := w.run.l.Cluster
			id := zip(w.cta.id, c, mod)
			return uint64(id[0] + c[0]*(id[1]+c[1]*id[2]))
		}
	case ptx.ClusterNCTARank:
		return func(w *warp, _ int) uint64 { return volume(w.run.l.Cluster) }
	case ptx.TotalSmemSize, ptx.AggrSmemSize:
		return func(w *warp, _ int) uint64 { return uint64(len(w.cta.shared)) }
	case ptx.DynamicSmemSize:
		return func(w *warp, _ int) uint64 { return uint64(w.run.l.Dynamic) }
	}
	if f := specialTime(s); f != nil {
		return f
	}
	return specialMask(s)
}

// specialTime counts the instructions of the worker: it only ever grows, and differs between seeds.
func specialTime(s ptx.SReg) func(w *warp, l int) uint64 {
	now := func(w *warp, _ int) uint64 { return w.run.steps + w.steps }
	switch s {
	case ptx.Clock64, ptx.GlobalTimer:
		return now
	case ptx.Clock, ptx.GlobalTimerLo:
		return func(w *warp, l int) uint64 { return uint64(uint32(now(w, l))) }
	case ptx.ClockHi, ptx.GlobalTimerHi:
		return func(w *warp, l int) uint64 { return now(w, l) >> 32 }
	}
	return nil
}

func specialMask(s ptx.SReg) func(w *warp, l int) uint64 {
	switch s {
	case ptx.LanemaskEQ:
		return func(_ *warp, l int) uint64 { return 1 << l }
	case ptx.LanemaskLT:
		return func(_ *warp, l int) uint64 { return 1<<l - 1 }
	case ptx.LanemaskLE:
		return func(_ *warp, l int) uint64 { return 2<<l - 1 }
	case ptx.LanemaskGE:
		return func(_ *warp, l int) uint64 { return uint64(^uint32(1<<l - 1)) }
	case ptx.LanemaskGT:
		return func(_ *warp, l int) uint64 { return uint64(^uint32(2<<l - 1)) }
	}
	return nil
}
