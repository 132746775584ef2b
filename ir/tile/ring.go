package tile

import (
	"github.com/oxideinfer/oxide/ir"
)

// Ring passes stages of tiles from one thread that copies to warps that read. Each stage has two barriers in shared memory:
// full counts the bytes that come, empty the warps that have left.
type Ring struct {
	b           *Block
	name        string
	stages      int
	tiles       []*Shared
	bytes       int // of a stage
	from, to    *Role
	blocks      int // of the cluster, whose readers share what is copied
	readers     int // warps of a block that leave a stage
	full, empty ir.MBarrier
	fills, uses *Cursor
}

// Ring makes a ring of the tiles' stages, filled by one thread of a role and read by another role. What every block of the
// cluster copies may be for all of them: then a stage is empty when the readers of all blocks have left it. Tiles of a ring
// lie in their stages together and are read through slots.
func (b *Block) Ring(name string, from, to *Role, tiles ...*Shared) *Ring {
	r := &Ring{b: b, name: name, from: from, to: to, tiles: tiles, blocks: b.clusterBlocks(), readers: to.warps()}
	for _, t := range tiles {
		if r.stages == 0 {
			r.stages = t.l.stages()
		}
		if t.l.stages() != r.stages {
			b.refuse(CodeShape, "give all tiles of a ring as many stages", "tile %s has %d stages, the ring's others %d", t.name, t.l.stages(), r.stages)
		}
		r.bytes += t.l.StageBytes()
	}
	if r.stages == 0 {
		b.refuse(CodeShape, "name the tiles that it passes", "the ring %s has no tiles", name)
		r.stages = 1
	}
	r.full = ir.MBarrierAt(ir.DynamicArray[ir.U64](b.k, name+"_full", r.stages, 8))
	r.empty = ir.MBarrierAt(ir.DynamicArray[ir.U64](b.k, name+"_empty", r.stages, 8))
	b.rings = append(b.rings, r)
	return r
}

func (b *Block) clusterBlocks() int {
	c := b.k.Contract.Cluster
	return max(1, c[0]) * max(1, c[1]) * max(1, c[2])
}

// ByTurns says that each stage is read by one warpgroup of the role, the same one in every block, and not by all.
func (r *Ring) ByTurns() *Ring {
	r.readers = warpgroupWarps
	return r
}

// Alone says that the blocks of the cluster copy and read each for itself.
func (r *Ring) Alone() *Ring {
	r.blocks = 1
	return r
}

// arrivals is what a phase of an empty barrier takes: one lane of each reading warp, of every block.
func (r *Ring) arrivals() int { return r.readers * r.blocks }

// Ready initialises the barriers of all rings and turns, and waits until every thread of the block, or of the cluster, may
// use them. It stands before Run.
func (b *Block) Ready() {
	k := b.k
	k.If(k.InWarps(0, 1), func() {
		k.If(k.Elect(), func() {
			for _, r := range b.rings {
				for i := range r.stages {
					r.full.AtConst(i).Init(b.u32(1))
					r.empty.AtConst(i).Init(b.u32(r.arrivals()))
				}
			}
			for _, t := range b.turns {
				for i := range t.role.warpgroups {
					t.bar.AtConst(i).Init(b.u32(warpgroupWarps))
				}
			}
			k.FenceMBarrierInit()
		})
	})
	if k.Contract.Cluster != [3]int{} {
		k.SyncWarp()
		k.ClusterBarrier()
	} else {
		k.Barrier()
	}
	b.ready = true
}

// Cursor is a role's place in a ring: a stage, and the parity of the phase that it waits for there.
type Cursor struct {
	r             *Ring
	fills         bool
	stage, parity ir.Var[ir.U32]
	held          ir.Var[ir.U32] // the stage that products in flight read; the number of stages for none
	slot          *Slot
	drained       bool
	retires       bool
}

// Fill is the place of the thread that copies. The empty barriers of the first lap let it pass.
func (r *Ring) Fill() *Cursor {
	r.fills = r.cursor(true, 1)
	return r.fills
}

// Use is the place of a warp that reads.
func (r *Ring) Use() *Cursor {
	r.uses = r.cursor(false, 0)
	r.uses.held = ir.NewVar(r.b.u32(r.stages))
	return r.uses
}

func (r *Ring) cursor(fills bool, parity int) *Cursor {
	if !r.b.ready {
		r.b.refuse(CodeNotReady, "call Ready before Run", "the barriers of ring %s are not initialised", r.name)
	}
	if want := map[bool]*Role{true: r.from, false: r.to}[fills]; r.b.role != want {
		r.b.refuse(CodeRole, "name the role in Ring", "role %s is to do this, and another does: arrival counts would be wrong", want.name)
	}
	return &Cursor{r: r, fills: fills, stage: ir.NewVar(r.b.u32(0)), parity: ir.NewVar(r.b.u32(parity))}
}

// Slot is a stage that a role holds.
type Slot struct {
	c          *Cursor
	stage      ir.U32
	copied     int // bytes, of what is to come
	released   bool
	releasedAt ir.Pos
}

// Acquire waits for the stage: until it is empty, and announces the bytes to come, or until it is full.
func (c *Cursor) Acquire() *Slot {
	r := c.r
	stage := c.stage.Get()
	if c.fills {
		r.empty.At(stage).Wait(c.parity.Get())
		r.full.At(stage).ArriveExpect(r.b.u32(r.bytes))
	} else {
		r.full.At(stage).Wait(c.parity.Get())
	}
	c.slot = &Slot{c: c, stage: stage}
	return c.slot
}

// Tile is a tile of the ring in the stage.
func (s *Slot) Tile(t *Shared) *Shared {
	for _, have := range s.c.r.tiles {
		if have == t {
			u := t.Stage(s.stage)
			u.slot = s
			return u
		}
	}
	s.c.r.b.refuse(CodeShape, "name the tile in Ring", "tile %s is not in the ring %s", t.name, s.c.r.name)
	return t
}

// Load starts copying a tile, or a part of one, from that row and column of a matrix on. What lies outside of the matrix
// comes as zeros.
func (s *Slot) Load(dst *Shared, t *Tensor, row, col ir.U32, opts ...ir.BulkOption) {
	s.load(dst, t, row, col, 1, opts)
}

// LoadAll is Load into every block of the cluster, at the same place. Each block copies a part of the tile for all.
func (s *Slot) LoadAll(dst *Shared, t *Tensor, row, col ir.U32, opts ...ir.BulkOption) {
	n := s.c.r.blocks
	if n > 1 {
		opts = append(opts, ir.Multicast(s.c.r.b.k.ConstU16(uint16(1<<n-1))))
	}
	s.load(dst, t, row, col, n, opts)
}

func (s *Slot) load(dst *Shared, t *Tensor, row, col ir.U32, times int, opts []ir.BulkOption) {
	r := s.c.r
	if !t.fits(dst) {
		s.copied = -1
		return
	}
	if dst.slot != s {
		r.b.refuse(CodeShape, "take the tile from the slot", "tile %s is not in the stage that is being filled", dst.name)
	}
	for i := range dst.l.panels() {
		ir.TensorLoad(dst.panel(i), t.m, r.full.At(s.stage), t.corner(row, col, i), opts...)
	}
	if s.copied >= 0 {
		s.copied += times * dst.l.StageBytes()
	}
}

// Release gives the stage back to the copying thread, one lane of each warp for it. Products that read it must be done.
func (s *Slot) Release() {
	r := s.c.r
	if s.released {
		r.b.refuse(CodeSlotReleased, "release it once", "the stage was given back at %s already", s.releasedAt)
	}
	for _, g := range r.b.products {
		if g.reads(s) && !g.waited {
			r.b.refuse(CodeInFlight, "wait for the product first, or use Retire", "the stage is given back while the product at %s may still read it", g.at)
		}
	}
	r.arrive(s.stage)
	s.released, s.releasedAt = true, trimmed()
}

// arrive tells all blocks that share what is copied. The order needs to reach no further than the block: what is handed back
// are reads that wgmma's wait has completed, not stores. The cluster's scope would cost two MEMBARs a stage.
func (r *Ring) arrive(stage ir.U32) {
	k := r.b.k
	if r.blocks == 1 {
		k.If(k.Elect(), func() { r.empty.At(stage).Arrive() })
		return
	}
	lane := k.LaneID()
	k.If(lane.Less(r.b.u32(r.blocks)), func() { r.empty.At(stage).InBlock(lane).Arrive(ir.ScopeBlock) })
}

// Advance goes to the next stage; the parity flips with each lap.
func (c *Cursor) Advance() {
	c.check(c.r.bytes)
	r := c.r
	next := c.stage.Get().Add(r.b.u32(1))
	wrap := next.Equal(r.b.u32(r.stages))
	c.parity.Set(ir.Select(wrap, c.parity.Get().Xor(r.b.u32(1)), c.parity.Get()))
	c.stage.Set(ir.Select(wrap, r.b.u32(0), next))
	c.slot = nil
}

// Lead fills the first n stages of a new cursor, at most as many as there are, in two passes: early loads tile t, which must
// be constant, before the kernel waits for the launches that it depends on, late the other tiles after it has. i counts the
// stages.
func (c *Cursor) Lead(n ir.U32, t *Shared, early, late func(i ir.U32, s *Slot)) {
	r, k := c.r, c.r.b.k
	zero, one, part := r.b.u32(0), r.b.u32(1), t.l.StageBytes()
	pass := func(s *Slot, bytes int, load func(ir.U32, *Slot)) {
		c.slot = s
		load(s.stage, s)
		c.check(bytes)
	}
	for i := range k.Loop(zero, n, one, ir.NoUnroll) {
		r.full.At(i).ExpectBytes(r.b.u32(part))
		pass(&Slot{c: c, stage: i}, part, early)
	}
	k.GridDependencyWait()
	for i := range k.Loop(zero, n, one, ir.NoUnroll) {
		r.full.At(i).ArriveExpect(r.b.u32(r.bytes - part))
		pass(&Slot{c: c, stage: i}, r.bytes-part, late)
	}
	c.slot = nil
	c.Skip(n)
}

// check looks at what was done with the stage, into which so many bytes are copied.
func (c *Cursor) check(bytes int) {
	s, b := c.slot, c.r.b
	switch {
	case s == nil:
	case c.fills && s.copied >= 0 && s.copied != bytes:
		b.refuse(ir.CodeTxBytes, "load every tile of the ring, all of it, once", "a stage of ring %s takes %d bytes, and %d are copied: readers would wait for ever", c.r.name, bytes, s.copied)
	case !c.fills && !s.released && !c.retires:
		b.refuse(CodeSlotHeld, "call Release or Retire before Advance", "the stage is never given back")
	}
}

// Skip goes n stages on, which others fill or use.
func (c *Cursor) Skip(n ir.U32) {
	r := c.r
	at := c.stage.Get().Add(n)
	laps := at.Div(r.b.u32(r.stages))
	c.stage.Set(at.Sub(laps.Mul(r.b.u32(r.stages))))
	c.parity.Set(c.parity.Get().Xor(laps.And(r.b.u32(1))))
}

// Retire keeps the newest product in flight, gives the stage of the one before back, and goes to the next stage. It follows
// one MulAdd in a loop; Finish follows the loop.
func (c *Cursor) Retire() {
	b := c.r.b
	b.Newest(1)
	held := c.held.Get()
	b.k.If(held.NotEqual(b.u32(c.r.stages)), func() { c.r.arrive(held) })
	c.held.Set(c.stage.Get())
	c.retires = true
	c.Advance()
}

// Finish waits for the last product and gives its stage back.
func (c *Cursor) Finish() {
	b := c.r.b
	b.Newest(0)
	held := c.held.Get()
	b.k.If(held.NotEqual(b.u32(c.r.stages)), func() { c.r.arrive(held) })
	c.held.Set(b.u32(c.r.stages))
}

// Drain waits until every stage has been left: no other block will signal this one any more, so it may end.
func (c *Cursor) Drain() {
	for range c.r.stages {
		c.r.empty.At(c.stage.Get()).Wait(c.parity.Get())
		c.Advance()
	}
	c.drained = true
}

// left checks what a role leaves behind.
func (r *Ring) left(role *Role) {
	if c := r.fills; role == r.from && c != nil && r.blocks > 1 && !c.drained {
		r.b.refuse(ir.CodeClusterExit, "call Drain after the last Load", "nothing keeps the block until others have left its ring %s", r.name)
	}
}
