package tile

import (
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// Values are 64 rows and some columns of an accumulator, as each thread of the warpgroup holds them: two columns of two
// rows out of every eight (PTX ISA 9.7.15.5.1.1). Lane l of warp w has rows 16w + l/4 and 8 more, columns 2·(l mod 4) and
// one more. They are snapshots: changing them makes new ones.
type Values struct {
	b        *Block
	first    int // column of the accumulator
	v        []ir.F32
	row, col func(i int) ir.U32 // where the values lie otherwise
}

// ValuesAt is values that lie elsewhere: row and col say where the i-th is. The functions that combine values by place take
// them as they come.
func (b *Block) ValuesAt(v []ir.F32, row, col func(i int) ir.U32) Values {
	return Values{b: b, v: v, row: row, col: col}
}

// Values reads n columns from the first on, multiples of 8, of the accumulator's i-th 64 rows. The products that make them
// must be done: the verifier follows the groups in flight.
func (a *Accumulator) Values(i, first, n int) Values {
	if i < 0 || i >= len(a.rows) || first%8 != 0 || n%8 != 0 || first < 0 || n < 8 || first+n > a.n {
		a.b.refuse(CodeShape, "read groups of eight columns inside of the accumulator", "columns %d to %d of row block %d of %d×%d", first, first+n-1, i, a.m, a.n)
		i, first, n = 0, 0, 8
	}
	return Values{b: a.b, first: first, v: a.rows[i].Get(first/2, n/2)}
}

// Places is Values without their values: for Row and Col alone.
func (a *Accumulator) Places(first, n int) Values {
	return Values{b: a.b, first: first, v: make([]ir.F32, n/2)}
}

// Set writes values back to the accumulator's i-th 64 rows.
func (a *Accumulator) Set(i int, v Values) { a.rows[i].Set(v.first/2, v.v) }

// Fill sets the whole accumulator.
func (a *Accumulator) Fill(x ir.F32) {
	for _, r := range a.rows {
		r.Fill(x)
	}
}

// Len is the number of values a thread has.
func (v Values) Len() int { return len(v.v) }

// At is the i-th value.
func (v Values) At(i int) ir.F32 { return v.v[i] }

// Row is the row of the i-th value in the 64.
func (v Values) Row(i int) ir.U32 {
	if v.row != nil {
		return v.row(i)
	}
	k, c := v.b.k, v.b.u32
	warp := k.TIDX().ShiftRight(c(5)).And(c(warpgroupWarps - 1))
	return warp.ShiftLeft(c(4)).Add(k.LaneID().ShiftRight(c(2))).Add(c(8 * (i >> 1 & 1)))
}

// Col is the column of the i-th value in the accumulator.
func (v Values) Col(i int) ir.U32 {
	if v.col != nil {
		return v.col(i)
	}
	c := v.b.u32
	return v.b.k.LaneID().And(c(3)).ShiftLeft(c(1)).Add(c(v.first + 8*(i>>2) + i&1))
}

// Map applies f to every value.
func (v Values) Map(f func(x ir.F32) ir.F32) Values {
	return v.MapAt(func(_ int, x ir.F32) ir.F32 { return f(x) })
}

// MapAt is Map with the value's index, for Row and Col.
func (v Values) MapAt(f func(i int, x ir.F32) ir.F32) Values {
	out := make([]ir.F32, len(v.v))
	for i, x := range v.v {
		out[i] = f(i, x)
	}
	v.v = out
	return v
}

// MapPairs applies f to neighbouring columns, the first of them even; i is the index of the first.
func (v Values) MapPairs(f func(i int, x [2]ir.F32) [2]ir.F32) Values {
	out := make([]ir.F32, len(v.v))
	for i := 0; i+1 < len(v.v); i += 2 {
		y := f(i, [2]ir.F32{v.v[i], v.v[i+1]})
		out[i], out[i+1] = y[0], y[1]
	}
	v.v = out
	return v
}

// Zip combines values of the same places.
func (v Values) Zip(w Values, f func(x, y ir.F32) ir.F32) Values {
	if len(v.v) != len(w.v) {
		v.b.refuse(CodeShape, "read the same columns of both", "%d values with %d", len(v.v), len(w.v))
		return v
	}
	return v.MapAt(func(i int, x ir.F32) ir.F32 { return f(x, w.v[i]) })
}

// If applies f where p, equal in the warpgroup, holds, as a branch.
func (v Values) If(p ir.Pred, f func(Values) Values) Values {
	vars := make([]ir.Var[ir.F32], len(v.v))
	for i, x := range v.v {
		vars[i] = ir.NewVar(x)
	}
	v.b.k.If(p, func() {
		for i, x := range f(v).v {
			vars[i].Set(x)
		}
	})
	return v.MapAt(func(i int, _ ir.F32) ir.F32 { return vars[i].Get() })
}

// Rows is a number for each of the two rows of which a thread has values; the four threads of a row have the same.
type Rows [2]ir.F32

// Reduce combines the values of each row.
func (v Values) Reduce(f func(x, y ir.F32) ir.F32) Rows {
	var rows Rows
	for half := range rows {
		var row []ir.F32
		for i, x := range v.v {
			if i>>1&1 == half {
				row = append(row, x)
			}
		}
		for len(row) > 1 { // pairwise
			row = append(row[2:], f(row[0], row[1]))
		}
		rows[half] = f(row[0], row[0].ShflBfly(1))
		rows[half] = f(rows[half], rows[half].ShflBfly(2))
	}
	return rows
}

// WithRows combines every value with its row's number.
func (v Values) WithRows(r Rows, f func(x, row ir.F32) ir.F32) Values {
	return v.MapAt(func(i int, x ir.F32) ir.F32 { return f(x, r[i>>1&1]) })
}

// Groups combines columns in groups of eight: the first eight with the next, the third with the fourth, into half as many.
// A thread has the same places of both. Gates and values whose columns alternate in groups of eight meet so.
func (v Values) Groups(f func(x, y ir.F32) ir.F32) Values {
	if len(v.v)%8 != 0 || v.first%16 != 0 {
		v.b.refuse(CodeShape, "read a multiple of sixteen columns", "%d columns from %d on are no pairs of groups", 2*len(v.v), v.first)
		return v
	}
	out := Values{b: v.b, first: v.first / 2}
	for i := 0; i < len(v.v); i += 8 {
		for j := range 4 {
			out.v = append(out.v, f(v.v[i+j], v.v[i+4+j]))
		}
	}
	return out
}

// words packs neighbouring columns into words of a 16-bit format: word 2j + h holds columns 8j + 2t and one more of row half
// h. Words 4j to 4j+3 are the A factor of the j-th 16 columns, and what stmatrix stores as a block of 16×16.
func (v Values) words(f lib.Format) []ir.U32 {
	var out []ir.U32
	for i := 0; i+1 < len(v.v); i += 2 {
		if f == lib.F16 {
			out = append(out, v.v[i].ConvertToF16x2(v.v[i+1]).AsU32())
		} else {
			out = append(out, v.v[i].ConvertToBF16x2(v.v[i+1]).AsU32())
		}
	}
	return out
}

// Factor is a matrix of 64 rows in the registers of a warpgroup, the first factor of a product.
type Factor struct {
	b      *Block
	format lib.Format
	cols   int
	f      ir.Fragment[ir.U32]
}

// Factor declares registers for 64 rows and cols columns of a 16-bit format.
func (b *Block) Factor(name string, f lib.Format, cols int) *Factor {
	if f.Bytes() != 2 || cols < 16 || cols%16 != 0 {
		b.refuse(CodeShape, "use a 16-bit format and a multiple of 16 columns", "a factor of %d columns of %s in registers", cols, f)
		f, cols = lib.BF16, 16
	}
	return &Factor{b, f, cols, ir.NewFragment[ir.U32](b.k, name, cols/4)}
}

// Set rounds values and makes them the factor's columns from col on. Products that read the factor must be done.
func (f *Factor) Set(col int, v Values) {
	f.f.Set(col/4, v.words(f.format))
}

// MulAddFactor is MulAdd with x in registers, for an accumulator of 64 rows.
func (a *Accumulator) MulAddFactor(x *Factor, y *Shared) *Group { return a.issueFactor(x, y, nil) }

// MulFactor is MulAddFactor that drops what the accumulator held.
func (a *Accumulator) MulFactor(x *Factor, y *Shared) *Group { return a.issueFactor(x, y, ir.ZeroD) }

func (a *Accumulator) issueFactor(x *Factor, y *Shared, first ir.WGMMAOption) *Group {
	b := a.b
	g := b.group(y.slot)
	if a.m != productRows || y.l.Rows != a.n || y.l.Cols != x.cols || y.l.Format != x.format {
		b.refuse(CodeShape, "y has the accumulator's columns as rows, and x's columns", "%d×%d += %d columns of %s in registers · %sᵀ", a.m, a.n, x.cols, x.format, y.l)
		return g
	}
	d, t := y.descriptor(), matrixType(x.format)
	b.k.WGMMAFence()
	for step := range y.l.steps() {
		opts := transposes(&Shared{}, y)
		if step == 0 && first != nil {
			opts = append(opts, first)
		}
		ir.WGMMARegisters(a.rows[0], x.f, 4*step, d.AddConst(y.whole.step(step)), t, t, opts...)
	}
	b.k.WGMMACommit()
	return g
}
