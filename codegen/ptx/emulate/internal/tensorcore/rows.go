package tensorcore

import "encoding/binary"

// blockSize is how many factors of a row are computed together.
const blockSize = 8

// block is a run of factors along k: their values, and their exponents four to a word. Missing ones are zeros.
type block struct {
	value [blockSize]float64
	exp   [blockSize / 4]uint64
}

// Rows is one factor of a product with its elements decoded: A by rows of m, or B by columns of n, each over all k.
// It may be used again for another product.
type Rows struct {
	// Tag, where it is set, gives the elements integer values of its own, below 2^24; products are then integer sums.
	Tag     func(bits uint32) float64
	format  Format
	blocks  int // in a row
	data    []block
	special []bool // the row holds an Inf or a NaN
}

// Reset makes the operand n rows of k elements.
func (r *Rows) Reset(f Format, n, k int) {
	r.format, r.blocks = f, (k+blockSize-1)/blockSize
	if need := n * r.blocks; cap(r.data) < need {
		r.data = make([]block, need)
	}
	r.data = r.data[:n*r.blocks]
	if cap(r.special) < n {
		r.special = make([]bool, n)
	}
	r.special = r.special[:n]
}

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.special) }

// Set decodes row i from its little-endian bytes. negate changes the sign of every element.
func (r *Rows) Set(i int, raw []byte, negate bool) {
	row := r.data[i*r.blocks : (i+1)*r.blocks]
	f := r.format
	size := f.Bytes()
	if len(raw) < r.blocks*blockSize*size {
		clear(row)
	}
	special := false
	for k := 0; (k+1)*size <= len(raw); k++ {
		var bits uint32
		switch size {
		case 1:
			bits = uint32(raw[k])
		case 2:
			bits = uint32(binary.LittleEndian.Uint16(raw[2*k:]))
		default:
			bits = binary.LittleEndian.Uint32(raw[4*k:])
		}
		var v float64
		if r.Tag != nil {
			v = r.Tag(bits)
		} else {
			v = f.value(bits)
		}
		if negate {
			v = -v
		}
		b := &row[k/blockSize]
		b.value[k%blockSize] = v
		if f.Integer() || r.Tag != nil {
			continue
		}
		e, odd := f.exponent(bits)
		special = special || odd
		at := &b.exp[k%blockSize/4]
		shift := k % 4 * 16
		*at = *at&^(0xffff<<shift) | e<<shift
	}
	r.special[i] = special
}
