package emulate

import (
	"encoding/binary"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/internal/tensorcore"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// mmaOp is a decoded mma.sync.
type mmaOp struct {
	m, n, k int
	fa, fb  tensorcore.Format
	sum     tensorcore.Sum
	halves  bool // C and D hold two f16 to a register
	d       []int32
	a, b, c registers
}

// decodeMma is mma.sync (manual 9.7.14.5.14).
func decodeMma(b *build) {
	o := &mmaOp{}
	o.m, o.n, o.k = matrixShape(b.shape())
	b.ignore("row", "col")
	ts := b.types()
	if len(ts) != 4 || b.has("popc") {
		b.fail("binary matrices are not modelled")
		return
	}
	var okA, okB bool
	o.fa, okA = factorFormat(ts[1])
	o.fb, okB = factorFormat(ts[2])
	if !okA || !okB {
		b.fail("matrices of type .%s are not modelled", ts[1])
		return
	}
	switch ts[0] {
	case isa.F16:
		o.sum, o.halves = tensorcore.F16Sum, true
	case isa.S32:
		o.sum = tensorcore.S32
		if b.has("satfinite") {
			o.sum = tensorcore.S32Sat
		}
	}
	o.a, o.b, o.c = b.registers("a", isa.B32), b.registers("b", isa.B32), b.registers("c", isa.B32)
	o.d = b.results("d")
	b.wholeWarp(o.exec)
}

func (o *mmaOp) exec(w *warp, in *inst, _ uint32) {
	s := &w.run.matrix
	s.rawA, s.rawB = sized(s.rawA, o.m), sized(s.rawB, o.n)
	bytes := o.k * o.fa.Bytes()
	var def matrixDefined
	def.reset(o.m, o.n)
	o.gather(w, s.rawA, &def, def.rows, o.a, tensorcore.ARegister)
	o.gather(w, s.rawB, &def, def.cols, o.b, tensorcore.BRegister)
	s.c, s.d = sized(s.c, o.m*o.n), sized(s.d, o.m*o.n)
	w.gatherSums(s.c, o.n, 0, o.c.src, o.halves)
	ringed := w.k.prog.ring && !o.fa.Integer()
	s.a.Tag, s.b.Tag = nil, nil
	if ringed {
		ringFactors(&s.a, o.fa)
		ringFactors(&s.b, o.fb)
	}
	if o.fa.FP8() && !ringed {
		tensorcore.MultiplyFP8(s.d, rowSlices(s.rawA, bytes), rowSlices(s.rawB, bytes), o.fa, o.fb, s.c, o.sum)
	} else {
		setRows(&s.a, o.fa, s.rawA, o.k)
		setRows(&s.b, o.fb, s.rawB, o.k)
		if ringed {
			ringMultiply(s.d, &s.a, &s.b, s.c, o.halves)
		} else {
			tensorcore.Multiply(s.d, &s.a, &s.b, s.c, o.sum)
		}
	}
	defC := o.definedSums(w)
	w.scatterSums(s.d, o.n, 0, o.d, o.halves)
	if w.run.initcheck {
		w.defineSums(o.d, 0, o.halves, &def, defC, o.c.id)
	}
}

// gather collects the rows of a factor from the registers of a warp.
func (o *mmaOp) gather(w *warp, raw [][32]byte, def *matrixDefined, list []bool, r registers, at func(lane, r int) (int, int)) {
	for i, s := range r.src {
		v := w.val(s)
		for lane := range warpSize {
			row, first := at(lane, i)
			binary.LittleEndian.PutUint32(raw[row][first:], uint32(v[lane]))
		}
		if bad := ^w.defOf(r.id[i]); bad != 0 && w.run.initcheck {
			for lane := range warpSize {
				if bad>>lane&1 != 0 {
					row, _ := at(lane, i)
					def.lose(list, row, w.originOf(r.id[i]))
				}
			}
		}
	}
}

// definedSums returns the definedness of C before D, which may be the same registers, is written.
func (o *mmaOp) definedSums(w *warp) []uint32 {
	def := make([]uint32, len(o.c.id))
	for i, id := range o.c.id {
		def[i] = w.defOf(id)
	}
	return def
}

func setRows(r *tensorcore.Rows, f tensorcore.Format, raw [][32]byte, k int) {
	r.Reset(f, len(raw), k)
	for i := range raw {
		r.Set(i, raw[i][:k*f.Bytes()], false)
	}
}

func rowSlices(raw [][32]byte, n int) [][]byte {
	out := make([][]byte, len(raw))
	for i := range raw {
		out[i] = raw[i][:n]
	}
	return out
}

// gatherSums collects the rows [first, first+16) of C from a warp's registers into a matrix of n columns.
func (w *warp) gatherSums(c []uint32, n, first int, regs []src, halves bool) {
	for i, s := range regs {
		v := w.val(s)
		for lane := range warpSize {
			if !halves {
				row, col := tensorcore.DElement(lane, i)
				c[(first+row)*n+col] = uint32(v[lane])
				continue
			}
			row, col := tensorcore.DElement(lane, 2*i)
			at := (first+row)*n + col
			c[at], c[at+1] = uint32(v[lane]&0xffff), uint32(v[lane]>>16&0xffff)
		}
	}
}

// scatterSums is the inverse of gatherSums.
func (w *warp) scatterSums(d []uint32, n, first int, regs []int32, halves bool) {
	for i, r := range regs {
		v := &w.regs[r]
		for lane := range warpSize {
			if !halves {
				row, col := tensorcore.DElement(lane, i)
				v[lane] = uint64(d[(first+row)*n+col])
				continue
			}
			row, col := tensorcore.DElement(lane, 2*i)
			at := (first+row)*n + col
			v[lane] = uint64(d[at]&0xffff | d[at+1]<<16)
		}
	}
}

// defineSums gives D the definedness of its factors and of C. id holds C's registers, for their origins; C may be
// absent.
func (w *warp) defineSums(d []int32, first int, halves bool, def *matrixDefined, defC []uint32, id []int32) {
	for i, ok := range sumsDefined(len(d), first, halves, def, defC) {
		var from origin
		switch {
		case defC != nil && defC[i] != fullMask:
			from = w.originOf(id[i])
		case ok != fullMask:
			from = def.from
		}
		w.setDef(d[i], fullMask, ok, from)
	}
}

// sumsDefined is the definedness of the n registers of D of one warp, whose rows begin at first.
func sumsDefined(n, first int, halves bool, def *matrixDefined, defC []uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = fullMask
		if defC != nil {
			out[i] = defC[i]
		}
		if def.all {
			continue
		}
		j := i
		if halves {
			j = 2 * i
		}
		for lane := range warpSize {
			row, col := tensorcore.DElement(lane, j)
			if !def.rows[first+row] || !def.cols[col] || halves && !def.cols[col+1] {
				out[i] &^= 1 << lane
			}
		}
	}
	return out
}
