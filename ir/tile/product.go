package tile

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir"
)

// Accumulator is the sum of matrix products of a warpgroup, m rows by n columns of F32 in its threads' registers. It has an
// identity: products change it in place while the threads go on.
type Accumulator struct {
	b    *Block
	name string
	m, n int
	rows []ir.Fragment[ir.F32] // 64 rows each
}

// productRows is the number of rows of one wgmma.
const productRows = 64

// Accumulator declares one. m is a multiple of 64, n one of 8 up to 256.
func (b *Block) Accumulator(name string, m, n int) *Accumulator {
	a := &Accumulator{b: b, name: name, m: m, n: n}
	if m < 1 || m%productRows != 0 || n < 8 || n > 256 || n%8 != 0 {
		b.refuse(CodeShape, "use multiples of 64 and of 8, at most 256 columns", "an accumulator of %d×%d", m, n)
		a.m, a.n = productRows, 8
	}
	for i := range a.m / productRows {
		a.rows = append(a.rows, ir.NewFragment[ir.F32](b.k, fmt.Sprintf("%s%d", name, i), a.n/2))
	}
	return a
}

// Group is a product in flight.
type Group struct {
	b      *Block
	role   *Role
	seq    int
	slots  []*Slot
	at     ir.Pos
	waited bool
}

func (g *Group) reads(s *Slot) bool {
	for _, have := range g.slots {
		if have == s {
			return true
		}
	}
	return false
}

// MulAdd starts acc += x·yᵀ: x has the accumulator's rows, y its columns as rows, both are summed over their columns. The
// tiles and the accumulator must not be touched until a wait has covered the group. All threads of the warpgroup do it.
func (a *Accumulator) MulAdd(x, y *Shared) *Group { return a.issue(x, y, nil) }

// Mul is MulAdd that drops what the accumulator held.
func (a *Accumulator) Mul(x, y *Shared) *Group { return a.issue(x, y, ir.ZeroD) }

// MulAddWhere drops what the accumulator held where p, equal in the warpgroup, does not hold.
func (a *Accumulator) MulAddWhere(p ir.Pred, x, y *Shared) *Group {
	return a.issue(x, y, ir.AddWhere(p))
}

// issue is fence, one wgmma for 32 bytes of each row, commit. first is an option of the first wgmma of each 64 rows.
func (a *Accumulator) issue(x, y *Shared, first ir.WGMMAOption) *Group {
	b := a.b
	g := b.group(x.slot, y.slot)
	if x.l.Rows != a.m || y.l.Rows != a.n || x.l.Cols != y.l.Cols || x.l.Format != y.l.Format || x.l.Cols*x.l.Format.Bytes()%sumBytes != 0 {
		b.refuse(CodeShape, "x has the accumulator's rows, y its columns; both the same columns, a multiple of 32 bytes", "%d×%d += %s · %sᵀ", a.m, a.n, x.l, y.l)
		return g
	}
	if x.l.Format.Bytes() != 2 && (x.l.Major == ColumnMajor || y.l.Major == ColumnMajor) {
		b.refuse(CodeShape, "store it with the summed dimension contiguous", "only tiles of 16-bit elements can be column-major factors: %s, %s", x.l, y.l)
		return g
	}
	dx, dy := x.descriptor(), y.descriptor()
	t := matrixType(x.l.Format)
	b.k.WGMMAFence()
	for step := range x.l.steps() {
		for i, d := range a.rows {
			var opts []ir.WGMMAOption
			if step == 0 && first != nil {
				opts = append(opts, first)
			}
			opts = append(opts, transposes(x, y)...)
			ir.WGMMA(d, dx.AddConst(x.whole.step(step)+x.rowOffset(productRows*i)), dy.AddConst(y.whole.step(step)), t, t, opts...)
		}
	}
	b.k.WGMMACommit()
	return g
}

func transposes(x, y *Shared) []ir.WGMMAOption {
	var opts []ir.WGMMAOption
	if x.l.Major == ColumnMajor {
		opts = append(opts, ir.TransposeA)
	}
	if y.l.Major == ColumnMajor {
		opts = append(opts, ir.TransposeB)
	}
	return opts
}

// group notes a product in flight.
func (b *Block) group(slots ...*Slot) *Group {
	g := &Group{b: b, role: b.role, seq: len(b.products), at: trimmed()}
	for _, s := range slots {
		if s != nil {
			g.slots = append(g.slots, s)
		}
	}
	b.products = append(b.products, g)
	return g
}

// Wait waits for the group and those before it. Later groups stay in flight: their number follows from the order in which
// they were started.
func (g *Group) Wait() {
	if g.role != g.b.role {
		g.b.refuse(CodeGroup, "wait in the role that started it", "a group of another role, started at %s", g.at)
		return
	}
	g.b.Newest(len(g.b.products) - 1 - g.seq)
}

// maxGroups is the largest number of groups that a wait can leave in flight (PTX ISA 9.7.15.7.3).
const maxGroups = 7

// Newest waits until at most n products, the newest, are in flight.
func (b *Block) Newest(n int) {
	b.k.WGMMAWait(min(n, maxGroups))
	for i, g := range b.products {
		g.waited = g.waited || i < len(b.products)-n
	}
}
