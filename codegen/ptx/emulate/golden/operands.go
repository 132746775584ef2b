package golden

// Tile is what a matrix descriptor says of an operand, in bytes; Start counts from the start of the case's shared memory.
type Tile struct {
	Start, LeadingBytes, StrideBytes, BaseOffset int
}

// Tiles tells where the operands of a case's instruction lie in its shared memory.
func (w *Wgmma) Tiles() (a, b Tile) {
	la, lb := w.operand(wgmmaRows, w.MNMajorA), w.operand(w.N, w.MNMajorB)
	tile := func(l layout, region int) Tile {
		return Tile{Start: region + l.start, LeadingBytes: l.leading, StrideBytes: l.stride, BaseOffset: l.base}
	}
	return tile(la, 0), tile(lb, la.bytes())
}

// SharedBytes is the size of the shared memory that holds both operands.
func (w *Wgmma) SharedBytes() int {
	a, b := w.operand(wgmmaRows, w.MNMajorA), w.operand(w.N, w.MNMajorB)
	return a.bytes() + b.bytes()
}

// Accumulators is how many registers a thread holds of D.
func (w *Wgmma) Accumulators() int { return w.registersD() }

// Registers are how many registers a thread holds of A, B and D.
func (m *Mma) Registers() (a, b, d int) { return m.counts() }

// MmaShapes are the forms of mma.sync, WgmmaTypes the types D, A and B of wgmma.
func MmaShapes() []*Mma       { return mmaShapes() }
func WgmmaTypes() [][3]string { return wgmmaTypes() }

// Kinds are the kinds of inputs for factors of a type.
func Kinds(typ string) []Kind { return kindsOf(typ) }
