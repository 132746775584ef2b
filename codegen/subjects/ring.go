package subjects

import "github.com/oxideinfer/oxide/ir"

// A ring passes stages of shared memory from a producer to consumers: full tells that a stage has its data, empty that it
// may be filled again.
type ring struct {
	k           *ir.Kernel
	depth       int
	full, empty ir.MBarrier
}

func newRing(k *ir.Kernel, depth int) ring {
	return ring{k, depth, ir.MBarriers(k, "full", depth), ir.MBarriers(k, "empty", depth)}
}

// init prepares the barriers: one thread arrives at full, so many at empty.
func (r ring) init(consumers int) {
	r.k.If(r.k.TIDX().Equal(r.k.ConstU32(0)), func() {
		for i := range r.depth {
			r.full.AtConst(i).Init(r.k.ConstU32(1))
			r.empty.AtConst(i).Init(r.k.ConstU32(uint32(consumers)))
		}
		r.k.FenceMBarrierInit()
	})
}

// A cursor is a role's place in the ring: the stage, and the parity of the phase that it waits for there.
type cursor struct {
	ring
	stage, parity ir.Var[ir.U32]
}

// producer starts with parity 1: the empty barriers of the first lap let it pass.
func (r ring) producer() cursor {
	return cursor{r, ir.NewVar(r.k.ConstU32(0)), ir.NewVar(r.k.ConstU32(1))}
}

func (r ring) consumer() cursor { return r.consumerAt(0) }

// consumerAt starts so many stages on.
func (r ring) consumerAt(n int) cursor {
	return cursor{r, ir.NewVar(r.k.ConstU32(uint32(n % r.depth))), ir.NewVar(r.k.ConstU32(uint32(n / r.depth % 2)))}
}

func (c cursor) waitFull()  { c.full.At(c.stage.Get()).Wait(c.parity.Get()) }
func (c cursor) waitEmpty() { c.empty.At(c.stage.Get()).Wait(c.parity.Get()) }

// advance goes to the next stage; the parity flips with each lap.
func (c cursor) advance() {
	k := c.k
	next := c.stage.Get().Add(k.ConstU32(1))
	wrap := next.Equal(k.ConstU32(uint32(c.depth)))
	c.parity.Set(ir.Select(wrap, c.parity.Get().Xor(k.ConstU32(1)), c.parity.Get()))
	c.stage.Set(ir.Select(wrap, k.ConstU32(0), next))
}

// oneOf runs body in one thread of a warp.
func oneOf(k *ir.Kernel, warp int, body func()) {
	k.If(k.InWarps(warp, 1), func() { k.If(k.Elect(), body) })
}

// perWarp runs body in one thread of each warp, after all of its lanes have come: what they did before is done.
func perWarp(k *ir.Kernel, body func()) {
	k.SyncWarp()
	k.If(k.Elect(), body)
}

// signed converts an index that is a coordinate of a tensor.
func signed(x ir.U32) ir.S32 { return x.AsS32() }
