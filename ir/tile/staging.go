package tile

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// Put rounds values to the tile's format and writes them from column col on: 64 rows, one warpgroup. 16-bit rows go by
// stmatrix, others as pairs. Publish follows before a tensor copy or a product reads the tile.
func (s *Shared) Put(col int, v Values) {
	b := s.b
	n := v.Len() * 2
	if s.l.Rows != productRows || s.l.Major != RowMajor || col < 0 || col+n > s.l.Cols || s.l.Format == lib.E4M3 || n%16 != 0 {
		b.refuse(CodeShape, "use a row-major tile of 64 rows that has these columns, of 16 or 32 bits", "%d columns from %d on into %s", n, col, s.l)
		return
	}
	if s.l.Format == lib.F32 {
		s.putPairs(col, v)
		return
	}
	k, c := b.k, b.u32
	lane := k.LaneID()
	row := k.TIDX().ShiftRight(c(5)).And(c(warpgroupWarps - 1)).ShiftLeft(c(4)).Add(lane.And(c(15)))
	words := v.words(s.l.Format)
	for j := range n / 16 {
		at := Address[ir.U32](s, row, lane.ShiftRight(c(4)).ShiftLeft(c(3)).Add(c(col+16*j)))
		ir.StoreMatrix(at, ir.Vec[ir.U32](words[4*j:4*j+4]))
	}
}

// putPairs writes two columns at a time.
func (s *Shared) putPairs(col int, v Values) {
	for i := 0; i < v.Len(); i += 2 {
		at := Address[ir.F32](s, v.Row(i), v.Col(i).Sub(s.b.u32(v.first-col)))
		at.StoreVec(ir.Vec[ir.F32]{v.v[i], v.v[i+1]})
	}
}

// Publish makes what the warpgroup's threads wrote to shared memory visible to tensor copies and matrix products: a fence
// in each of them, then a barrier (PTX ISA 9.7.13.4).
func (r *Role) Publish() {
	r.b.k.FenceProxyAsync(ir.ProxyShared)
	r.Sync()
}

// Staging is a ring of tiles through which one warpgroup writes to a matrix: it fills one while tensor copies read the
// others. Each warpgroup of the role has its own.
type Staging struct {
	role *Role
	t    *Tensor
	tile *Shared
	next int
}

// Staging takes a tile with as many stages as the warpgroups of a role use together, each the same number, one after the
// other. The tile is that of the tensor.
func (b *Block) Staging(role *Role, tile *Shared, t *Tensor) *Staging {
	if tile.l.stages()%role.warpgroups != 0 {
		b.refuse(CodeShape, "give each warpgroup as many stages", "%d stages for %d warpgroups", tile.l.stages(), role.warpgroups)
	}
	t.fits(tile)
	return &Staging{role: role, t: t, tile: tile}
}

// stages is what each warpgroup has.
func (s *Staging) stages() int { return max(1, s.tile.l.stages()/s.role.warpgroups) }

// Write rounds the values and copies them to the matrix, from that row and column on: 64 rows, as many columns as the tile
// has. Rows and columns outside of the matrix are dropped. It waits only for the copy that used the stage before.
func (s *Staging) Write(v Values, row, col ir.U32) {
	s.write(v, func() { s.t.Store(s.stage(), row, col) })
}

// WriteIf writes where p, equal in the warpgroup, holds. The stage is used up in any case.
func (s *Staging) WriteIf(p ir.Pred, v Values, row, col ir.U32) {
	s.write(v, func() { s.role.b.k.If(p, func() { s.t.Store(s.stage(), row, col) }) })
}

func (s *Staging) stage() *Shared {
	b := s.role.b
	return s.tile.Stage(s.role.Warpgroup().Mul(b.u32(s.stages())).Add(b.u32(s.next)))
}

func (s *Staging) write(v Values, store func()) {
	k := s.role.b.k
	s.role.OneEach(func() { k.BulkWaitRead(s.stages() - 1) })
	s.role.Sync()
	s.stage().Put(0, v)
	s.role.Publish()
	s.role.OneEach(func() {
		store()
		k.BulkCommit()
	})
	s.next = (s.next + 1) % s.stages()
}

// Finish waits until all copies have read their tiles: the kernel may end.
func (s *Staging) Finish() {
	if s.next != 0 {
		s.role.b.refuse(CodeStore, "use every stage equally often in each round of a loop", "the writes leave stage %d as the next, and a loop would begin with stage 0 again", s.next)
	}
	s.role.OneEach(func() { s.role.b.k.BulkWaitRead(0) })
}
