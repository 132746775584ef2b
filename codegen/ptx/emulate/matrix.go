package emulate

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/internal/tensorcore"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// matrixScratch is the memory in which a worker computes matrix products.
type matrixScratch struct {
	a, b       tensorcore.Rows
	rawA, rawB [][32]byte
	c, d       []uint32
}

// sized returns a slice of n elements, on the memory of s where that is enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// wholeWarp makes the instruction one that all 32 threads of a warp execute together: .sync.aligned matrix
// instructions. A warp with missing threads is reported; the instruction then does nothing.
func (b *build) wholeWarp(exec execFn) {
	b.ignore("sync", "aligned")
	b.inst.visible = true
	b.inst.outs = nil
	b.inst.ctl = rendezvous(b.d.p.constant(uint64(fullMask)), -1, func(w *warp, in *inst, m uint32) {
		if m == fullMask {
			exec(w, in, m)
			return
		}
		w.find(SyncDiverged, in, m, fmt.Sprintf("%s needs all 32 threads of the warp; lanes %s have exited or do not exist", in.name(), laneList(^m)))
		w.run.stopped = true
	})
}

// registers is a vector operand: a register or constant for each element, and its id for initcheck.
type registers struct {
	src []src
	id  []int32
}

func (b *build) registers(name string, t isa.Type) (r registers) {
	for _, o := range operandList(b.need(name)) {
		s, id := b.value(o, t)
		r.src, r.id = append(r.src, s), append(r.id, id)
	}
	return r
}

// results are the destination registers of a vector operand.
func (b *build) results(name string) (d []int32) {
	for _, o := range operandList(b.need(name)) {
		d = append(d, b.result(o))
	}
	return d
}

// factorFormat is the tensor core's name of an element type.
func factorFormat(t isa.Type) (tensorcore.Format, bool) {
	f, ok := map[isa.Type]tensorcore.Format{isa.F16: tensorcore.F16, isa.BF16: tensorcore.BF16, isa.TF32: tensorcore.TF32,
		isa.E4M3: tensorcore.E4M3, isa.E5M2: tensorcore.E5M2, isa.S8: tensorcore.S8, isa.U8: tensorcore.U8}[t]
	return f, ok
}

// matrixShape reads mXnYkZ.
func matrixShape(s string) (m, n, k int) {
	_, _ = fmt.Sscanf(s, "m%dn%dk%d", &m, &n, &k)
	return m, n, k
}

// shape returns the modifier that is a matrix shape.
func (b *build) shape() string {
	for i, m := range b.mods {
		if _, n, _ := matrixShape(m); n > 0 {
			b.used |= 1 << i
			return m
		}
	}
	b.fail("the shape is missing")
	return ""
}

// matrixDefined says which elements of the factors of a product have a value, by row of A and column of B.
type matrixDefined struct {
	rows, cols []bool
	all        bool
	from       origin // of the first undefined one
}

func (k *matrixDefined) reset(rows, cols int) {
	k.rows, k.cols, k.all = sized(k.rows, rows), sized(k.cols, cols), true
	for i := range k.rows {
		k.rows[i] = true
	}
	for i := range k.cols {
		k.cols[i] = true
	}
}

// lose notes that an element of a row or column has no value.
func (k *matrixDefined) lose(list []bool, i int, from origin) {
	if k.all {
		k.all, k.from = false, from
	}
	list[i] = false
}
