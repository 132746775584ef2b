package mufu

const (
	offsetBits = 17 // of the argument within a segment
	offsetMask = 1<<offsetBits - 1

	truncatedColumns = 19 // that the squarer leaves out
)

// quadratic is one segment of a function: c0 + c1·x + c2·square(x) for the offset x. The coefficients are aligned to the
// sum's unit, and c0 holds the rounding constant.
type quadratic struct{ c0, c1, c2 int64 }

func (q quadratic) at(x uint32) uint64 {
	return uint64(q.c0 + q.c1*int64(x) + q.c2*int64(Square(x)))
}

// Square is x² without the columns of partial products below 2^19. The array is folded: row i is bit i times the bits
// above it, doubled, and the bit's own square. Ten rows reach into the left-out columns.
func Square(x uint32) uint64 {
	lost := lostRow(x, 0) + lostRow(x, 1) + lostRow(x, 2) + lostRow(x, 3) + lostRow(x, 4) +
		lostRow(x, 5) + lostRow(x, 6) + lostRow(x, 7) + lostRow(x, 8) + lostRow(x, 9)
	return uint64(x)*uint64(x) - uint64(lost)
}

// lostRow is what the squarer leaves out of row i; inlined, its shifts are constants.
func lostRow(x uint32, i int) uint32 {
	const columns = 1<<truncatedColumns - 1
	row := x<<(i+1)&columns&^(1<<(2*i+2)-1) | 1<<(2*i)
	return row & -(x >> i & 1)
}
