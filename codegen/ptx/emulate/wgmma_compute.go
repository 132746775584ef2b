package emulate

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/internal/tensorcore"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// matrixPoison fills the accumulators of a wgmma in flight.
const matrixPoison = 0xc9c9c9c9

// save takes the addend out of the registers and makes them undefined until the operation is done: a program that
// touches them in flight gets wrong numbers. Operations that chain on the same accumulators leave them as they are.
func (op *matrixOp) save(r *worker, g *warpgroup) {
	for p := g.before(op); p != nil; p = g.before(p) {
		if slices.Equal(p.d, op.d) {
			return
		}
		if slices.ContainsFunc(p.d, func(s int32) bool { return slices.Contains(op.d, s) }) {
			r.settle(p.async)
			break
		}
	}
	if op.scaleD {
		op.saved = make([]uint32, warpgroupRows*op.n)
	}
	for i, w := range op.warps {
		if op.scaleD {
			w.gatherSums(op.saved, op.n, 16*i, op.dSrc, op.halves)
			op.savedDef[i] = w.definedOf(op.d)
		}
		for _, s := range op.d {
			broadcast(&w.regs[s], matrixPoison)
		}
	}
}

// definedOf returns the definedness of registers.
func (w *warp) definedOf(ids []int32) []uint32 {
	def := make([]uint32, len(ids))
	for i, id := range ids {
		def[i] = w.def[id]
	}
	return def
}

// take reads the factors.
func (op *matrixOp) take() {
	op.letGo()
	if op.warps[0].k.prog.ring {
		ringFactors(&op.rowsA, op.fa)
		ringFactors(&op.rowsB, op.fb)
	}
	op.def.reset(warpgroupRows, op.n)
	if len(op.a.src) > 0 {
		op.takeRegisters()
	} else {
		op.takeShared(&op.rowsA, op.matrixA(), op.negateA, op.def.rows)
	}
	op.takeShared(&op.rowsB, op.matrixB(), op.negateB, op.def.cols)
}

func (op *matrixOp) matrixA() tensorcore.Matrix {
	return tensorcore.Matrix{Descriptor: op.descA, Format: op.fa, Rows: warpgroupRows, K: op.k, MNMajor: op.mnA}
}

func (op *matrixOp) matrixB() tensorcore.Matrix {
	return tensorcore.Matrix{Descriptor: op.descB, Format: op.fb, Rows: op.n, K: op.k, MNMajor: op.mnB}
}

// takeRegisters reads A from the registers of the four warps.
func (op *matrixOp) takeRegisters() {
	var raw [warpgroupRows][32]byte
	for i, w := range op.warps {
		for r, s := range op.a.src {
			v, def := w.val(s), w.defOf(op.a.id[r])
			for lane := range warpSize {
				row, at := tensorcore.ARegister(lane, r)
				binary.LittleEndian.PutUint32(raw[16*i+row][at:], uint32(v[lane]))
				if def>>lane&1 == 0 {
					op.def.lose(op.def.rows, 16*i+row, w.originOf(op.a.id[r]))
				}
			}
		}
	}
	op.rowsA.Reset(op.fa, warpgroupRows, op.k)
	for i := range raw {
		op.rowsA.Set(i, raw[i][:], op.negateA)
	}
}

// takeShared reads a factor from shared memory. Chunks outside it are reported and read as zeros.
func (op *matrixOp) takeShared(rows *tensorcore.Rows, m tensorcore.Matrix, negate bool, list []bool) {
	w := op.async.warp
	var zero [chunkBytes]byte
	outside := false
	m.Gather(rows, negate, func(addr uint32) *[chunkBytes]byte {
		if c := op.read(addr); c != nil {
			return c
		}
		if !outside {
			outside = true
			p := place{space: isa.Shared, bytes: chunkBytes}
			w.badAccess(op.in, &p, op.sharedAddr(addr), 0, "read of a matrix through its descriptor")
		}
		return &zero
	})
	if w.run.initcheck || w.run.asynccheck {
		op.judge(w, m, list)
	}
}

// readsTarget reports a factor that a copy in flight still has to write.
func (op *matrixOp) readsTarget(w *warp, addr uint64) {
	p := place{space: isa.Shared, bytes: chunkBytes}
	_, shadow := op.cta.sharedAt(addr, chunkBytes)
	for i := 0; i < chunkBytes; i += 8 {
		w.readable(op.in, &p, addr+uint64(i), binary.LittleEndian.Uint64(shadow[i:]), 8, 0)
	}
}

// give computes the product and writes the accumulators of the four warps, or hands them to the operation that goes
// on with them: the registers stay undefined until the last one of a chain.
func (op *matrixOp) give() {
	s := &op.async.warp.run.matrix
	s.d = sized(s.d, warpgroupRows*op.n)
	c := op.saved
	if op.scaleD && c == nil {
		s.c = sized(s.c, warpgroupRows*op.n)
		c = s.c
		for i, w := range op.warps {
			w.gatherSums(c, op.n, 16*i, op.dSrc, op.halves)
			op.savedDef[i] = w.definedOf(op.d)
		}
	}
	if op.warps[0].k.prog.ring && !op.fa.Integer() {
		ringMultiply(s.d, &op.rowsA, &op.rowsB, c, op.halves)
	} else {
		tensorcore.Multiply(s.d, &op.rowsA, &op.rowsB, c, op.sum)
	}
	if next := op.next(); next != nil {
		if next.scaleD {
			next.saved, s.d = s.d, op.saved
			for i := range op.warps {
				next.savedDef[i] = sumsDefined(len(op.d), 16*i, op.halves, &op.def, op.savedDef[i])
			}
		}
	} else {
		for i, w := range op.warps {
			w.scatterSums(s.d, op.n, 16*i, op.d, op.halves)
			if w.run.initcheck {
				w.defineSums(op.d, 16*i, op.halves, &op.def, op.savedDef[i], op.d)
			}
		}
	}
	op.rowsA, op.rowsB, op.saved = tensorcore.Rows{}, tensorcore.Rows{}, nil
}

// next is the operation in flight that goes on with the same accumulators, or nil.
func (op *matrixOp) next() *matrixOp {
	g := op.group
	if i := op.number - g.first + 1; i < len(g.ops) && g.ops[i].async != nil && slices.Equal(g.ops[i].d, op.d) {
		return g.ops[i]
	}
	return nil
}

// checkDescriptor reports a swizzled matrix that starts inside the swizzle's pattern and says nothing of it.
func (op *matrixOp) checkDescriptor(w *warp, d tensorcore.Descriptor, name string) {
	width := d.Swizzle()
	if width == 0 || !w.run.memcheck {
		return
	}
	if phase := d.Start() % d.Pattern() / 128; phase != 0 && d.BaseOffset() == 0 && !w.known(Misaligned, op.in) {
		w.find(Misaligned, op.in, fullMask, fmt.Sprintf("the descriptor of %s starts at shared address %#x: a matrix with a %d-byte swizzle and no base offset begins at a multiple of %d",
			name, d.Start(), width, d.Pattern()))
	}
}
