package tile

import "github.com/oxideinfer/oxide/ir"

// Tensor is a matrix in global memory behind a tensor map, a parameter of the kernel. It is made for tiles of one layout:
// the box that the host encodes is that tile's.
type Tensor struct {
	b    *Block
	name string
	l    Layout
	turn int // rows of one kind that lie together in the tile where kinds alternate row by row in memory; 0: no kinds
	m    ir.TensorMap
}

// Tensor declares the parameter. ir.Constant and ir.Writes speak of the matrix.
func (b *Block) Tensor(name string, l Layout, opts ...ir.ParamOption) *Tensor {
	return &Tensor{b: b, name: name, l: l, m: ir.TensorMapParam(b.k, name, append(opts, l.Box())...)}
}

// ByTurns declares a matrix whose rows belong to two kinds by turns, gates and values. In the tile turn rows of the first
// kind lie together, then turn of the second: see Values.Groups. The map has four dimensions: columns, rows of a kind in a
// group (every second row of the matrix), the kinds, and groups of 2·turn rows.
func (b *Block) ByTurns(name string, l Layout, turn int, opts ...ir.ParamOption) *Tensor {
	t := &Tensor{b: b, name: name, l: l, turn: turn}
	if l.Major != RowMajor || l.Rows%(2*turn) != 0 {
		b.refuse(CodeShape, "use a row-major tile of whole groups", "%s in groups of %d rows", l, 2*turn)
	}
	t.m = ir.TensorMapParam(b.k, name, append(opts, t.box())...)
	return t
}

// box is that of one copy.
func (t *Tensor) box() ir.Box {
	box := t.l.Box()
	if t.turn > 0 {
		box.Dims = []int{box.Dims[0], t.turn, 2, t.l.Rows / (2 * t.turn)}
	}
	return box
}

// Prefetch brings the map to the descriptor cache. One thread does it.
func (t *Tensor) Prefetch() { t.m.Prefetch() }

// fits reports a tile for which the map was not made.
func (t *Tensor) fits(s *Shared) bool {
	if t.l.Box().Equal(s.l.Box()) && t.l.Major == s.l.Major {
		return true
	}
	t.b.refuse(CodeMap, "make the tensor with the layout of the tile that is copied", "the map of %s copies boxes for %s, the tile %s is %s", t.name, t.l, s.name, s.l)
	return false
}

// corner is the coordinates of a panel of the tile whose first element is in that row and column of the matrix.
func (t *Tensor) corner(row, col ir.U32, panel int) []ir.S32 {
	inner, line := col, row
	if t.l.Major == ColumnMajor {
		inner, line = row, col
	}
	if panel > 0 {
		inner = inner.Add(t.b.u32(panel * t.l.perPanel()))
	}
	if t.turn > 0 {
		zero := t.b.k.ConstS32(0)
		return []ir.S32{inner.AsS32(), zero, zero, line.Div(t.b.u32(2 * t.turn)).AsS32()}
	}
	return []ir.S32{inner.AsS32(), line.AsS32()}
}

// Store starts copying a tile to the matrix, from that row and column on; what lies outside is not written. One thread does
// it. The writers of the tile have called Publish before. The copy belongs to the thread's next bulk group.
func (t *Tensor) Store(s *Shared, row, col ir.U32, opts ...ir.BulkOption) {
	if !t.fits(s) {
		return
	}
	for i := range s.l.panels() {
		ir.TensorStore(t.m, s.panel(i), t.corner(row, col, i), opts...)
	}
}

// PrefetchTile asks for a tile to be brought to L2.
func (t *Tensor) PrefetchTile(row, col ir.U32, opts ...ir.BulkOption) {
	for i := range t.l.panels() {
		t.m.PrefetchBox(t.corner(row, col, i), opts...)
	}
}
