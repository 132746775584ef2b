package emulate

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/internal/tensorcore"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

const (
	warpgroupWarps = 4
	warpgroupRows  = 64
)

// wgmmaOp is a decoded wgmma.mma_async.
type wgmmaOp struct {
	n, k             int
	fa, fb           tensorcore.Format
	sum              tensorcore.Sum
	halves           bool
	negateA, negateB bool
	mnA, mnB         bool // MN-major in shared memory
	d                []int32
	dSrc             []src
	a                registers // of A in registers; empty: by descriptor
	descA, descB     src
	descAID, descBID int32
	scale            predOperand
}

// decodeWgmma is wgmma.mma_async and the instructions around it (manual 9.7.15).
func decodeWgmma(b *build) {
	b.d.k.warpgroups = true
	switch {
	case b.has("fence"):
		b.wholeWarp(func(w *warp, _ *inst, _ uint32) { w.matrices().epoch++ })
	case b.has("commit_group"):
		b.wholeWarp(func(w *warp, _ *inst, _ uint32) { w.commitMatrices() })
	case b.has("wait_group"):
		n, ok := constantBits(b.need("N"), isa.B32)
		if !ok {
			b.fail("the number of groups is no constant")
		}
		b.wholeWarp(func(w *warp, _ *inst, _ uint32) { w.awaitMatrices(int(n)) })
		b.post = append(b.post, inst{ctl: holdForMatrices, guard: noGuard, line: int32(b.in.Line), text: b.in})
	default:
		decodeMmaAsync(b)
	}
}

func decodeMmaAsync(b *build) {
	b.ignore("mma_async")
	o := &wgmmaOp{}
	_, o.n, o.k = matrixShape(b.shape())
	ts := b.types()
	if len(ts) != 3 || b.has("popc") {
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
	o.sumOf(ts[0], b)
	o.d = b.results("d")
	o.dSrc = b.registers("d", isa.B32).src
	if a := b.need("a"); len(operandList(a)) > 1 {
		o.a = b.registers("a", isa.B32)
	} else {
		o.descA, o.descAID = b.value(a, isa.B64)
	}
	o.descB, o.descBID = b.value(b.need("b-desc"), isa.B64)
	o.scale = b.predSrc(b.need("scale-d"))
	o.negateA, o.negateB = b.immediate("imm-scale-a") == -1, b.immediate("imm-scale-b") == -1
	o.mnA, o.mnB = b.immediate("imm-trans-a") == 1, b.immediate("imm-trans-b") == 1
	b.wholeWarp(o.enter)
}

// sumOf chooses how the products are added.
func (o *wgmmaOp) sumOf(t isa.Type, b *build) {
	o.halves = t == isa.F16
	switch {
	case o.fa.Integer():
		o.sum = tensorcore.S32
		if b.has("satfinite") {
			o.sum = tensorcore.S32Sat
		}
	case o.fa.FP8() && o.halves:
		o.sum = tensorcore.F16Short
	case o.fa.FP8():
		o.sum = tensorcore.F32Short
	case o.halves:
		o.sum = tensorcore.F16Sum
	}
}

// immediate is the value of a constant operand, or 0 where the instruction has none.
func (b *build) immediate(name string) int64 {
	o := b.arg(name)
	if o == nil {
		return 0
	}
	v, ok := constantBits(o, isa.B32)
	if !ok {
		b.fail("operand %s is no constant", name)
	}
	return int64(int32(v))
}

// matrixOp is one wgmma.mma_async of a warpgroup.
type matrixOp struct {
	*wgmmaOp
	in           *inst
	number       int // in the order of the warpgroup
	cta          *cta
	group        *warpgroup
	warps        []*warp // of the warpgroup
	arrived      int     // warps that executed it, one bit each
	descA, descB tensorcore.Descriptor
	scaleD       bool
	async        *asyncOp // once all four warps executed it
	rowsA, rowsB tensorcore.Rows
	def          matrixDefined
	saved        []uint32 // C, where the registers were made undefined at the issue
	savedDef     [warpgroupWarps][]uint32
	held         bool // its sources are marked
}

// enter runs wgmma.mma_async for one warp. The operation starts when the fourth warp of the warpgroup gets here.
func (o *wgmmaOp) enter(w *warp, in *inst, _ uint32) {
	g := w.warpgroup()
	if g == nil {
		w.find(SyncDiverged, in, fullMask, fmt.Sprintf("%s is for a warpgroup: four warps of which the first is a multiple of 4; warp %d has no such neighbours in a block of %d warps",
			in.name(), w.index, len(w.cta.warps)))
		w.run.stopped = true
		return
	}
	mx := w.matrices()
	a, okA := tensorcore.Descriptor(0), true
	if len(o.a.src) == 0 {
		a, okA = o.descriptor(w, in, o.descA, o.descAID)
	}
	b, okB := o.descriptor(w, in, o.descB, o.descBID)
	scale, okS := o.scaleD(w, in)
	if !okA || !okB || !okS {
		w.run.stopped = true
		return
	}
	op := g.op(mx.issued, w, o, in)
	mx.issued++
	if op.arrived == 0 {
		op.descA, op.descB, op.scaleD = a, b, scale
	} else if !op.agrees(w, in, a, b, scale) {
		w.run.stopped = true
		return
	}
	mx.use(w, op)
	op.arrived |= 1 << (w.index % warpgroupWarps)
	w.run.progress++
	if op.arrived == 1<<warpgroupWarps-1 {
		op.start(w, g)
	}
}

// descriptor reads a matrix descriptor, which must be the same in all lanes.
func (o *wgmmaOp) descriptor(w *warp, in *inst, s src, id int32) (tensorcore.Descriptor, bool) {
	w.needDefined(id, in, fullMask, "is a matrix descriptor")
	v := w.val(s)
	for lane := range v {
		if v[lane] != v[0] {
			w.find(BadOperand, in, 1<<lane|1, fmt.Sprintf("%s: the descriptor is %#x in lane 0 and %#x in lane %d; all threads of a warpgroup must name the same matrix", in.name(), v[0], v[lane], lane))
			return 0, false
		}
	}
	return tensorcore.Descriptor(v[0]), true
}

func (o *wgmmaOp) scaleD(w *warp, in *inst) (bool, bool) {
	v, def := w.pred(o.scale)
	if bad := ^def; bad != 0 && w.run.initcheck {
		w.undefined(o.scale.id(w.k), bad, in, "decides whether the accumulator counts")
	}
	if v != 0 && v != fullMask {
		w.find(BadOperand, in, v, fmt.Sprintf("%s: scale-d is true in lanes %s and false in lanes %s", in.name(), laneList(v), laneList(^v)))
		return false, false
	}
	return v != 0, true
}

// agrees checks that a further warp of the warpgroup executes the same instruction with the same operands.
func (op *matrixOp) agrees(w *warp, in *inst, a, b tensorcore.Descriptor, scale bool) bool {
	switch {
	case op.in != in:
		w.find(SyncDiverged, in, fullMask, fmt.Sprintf("%s: warp %d executes it where another warp of its warpgroup executes line %d; the four warps must execute the same wgmma instructions",
			in.name(), w.index, op.in.line))
	case op.descA != a || op.descB != b:
		w.find(BadOperand, in, fullMask, fmt.Sprintf("%s: the descriptors of warp %d are %#x and %#x, another warp of its warpgroup has %#x and %#x",
			in.name(), w.index, uint64(a), uint64(b), uint64(op.descA), uint64(op.descB)))
	case op.scaleD != scale:
		w.find(BadOperand, in, fullMask, fmt.Sprintf("%s: scale-d differs between the warps of the warpgroup", in.name()))
	default:
		return true
	}
	return false
}

// start puts the operation in flight.
func (op *matrixOp) start(w *warp, g *warpgroup) {
	op.async = &asyncOp{kind: asyncMatrix, warp: w, lanes: fullMask, in: op.in, take: op.take, give: op.give, sources: op.sources}
	if before := g.before(op); before != nil {
		op.async.after = []*asyncOp{before.async}
	}
	if w.run.async != AsyncEarly {
		op.save(w.run, g)
	}
	w.run.issue(op.async)
	if w.run.async != AsyncEarly && w.run.asynccheck {
		op.hold()
	}
	for _, wp := range op.warps {
		wp.wake()
	}
}

// before is the operation that was issued before op and is still in flight, or nil.
func (g *warpgroup) before(op *matrixOp) *matrixOp {
	if i := op.number - g.first - 1; i >= 0 {
		if p := g.ops[i]; p.async != nil && p.async.stage != asyncDone {
			return p
		}
	}
	return nil
}
