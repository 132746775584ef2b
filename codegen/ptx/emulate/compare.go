package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// comparison returns the test of a CmpOp on values of a type (manual 9.3.1), or nil.
func comparison(op string, t isa.Type, ftz bool) func(a, b uint64) bool {
	switch {
	case t == isa.F32:
		return floatComparison(op, func(v uint64) float64 {
			if ftz {
				v = uint64(flush(uint32(v)))
			}
			return float64(f32(uint32(v)))
		})
	case t == isa.F64:
		return floatComparison(op, f64)
	case isPackedFloat(t):
		f, _ := halfFormat(t)
		m := halfMods{ftz: ftz}
		return floatComparison(op, func(v uint64) float64 { return m.load(f, v) })
	}
	n := t.Bits()
	if t.Class() == isa.ClassSigned {
		return map[string]func(a, b uint64) bool{
			"eq": func(a, b uint64) bool { return a == b },
			"ne": func(a, b uint64) bool { return a != b },
			"lt": func(a, b uint64) bool { return signed(a, n) < signed(b, n) },
			"le": func(a, b uint64) bool { return signed(a, n) <= signed(b, n) },
			"gt": func(a, b uint64) bool { return signed(a, n) > signed(b, n) },
			"ge": func(a, b uint64) bool { return signed(a, n) >= signed(b, n) },
		}[op]
	}
	switch op {
	case "eq":
		return func(a, b uint64) bool { return a == b }
	case "ne":
		return func(a, b uint64) bool { return a != b }
	case "lt", "lo":
		return func(a, b uint64) bool { return a < b }
	case "le", "ls":
		return func(a, b uint64) bool { return a <= b }
	case "gt", "hi":
		return func(a, b uint64) bool { return a > b }
	case "ge", "hs":
		return func(a, b uint64) bool { return a >= b }
	}
	return nil
}

// floatComparison: the plain operators are false with a NaN (ne too), those that end in u are true.
func floatComparison(op string, val func(uint64) float64) func(a, b uint64) bool {
	test := map[string]func(x, y float64) bool{
		"eq":  func(x, y float64) bool { return x == y },
		"ne":  func(x, y float64) bool { return x < y || x > y },
		"lt":  func(x, y float64) bool { return x < y },
		"le":  func(x, y float64) bool { return x <= y },
		"gt":  func(x, y float64) bool { return x > y },
		"ge":  func(x, y float64) bool { return x >= y },
		"equ": func(x, y float64) bool { return !(x < y || x > y) },
		"neu": func(x, y float64) bool { return x != y },
		"ltu": func(x, y float64) bool { return !(x >= y) },
		"leu": func(x, y float64) bool { return !(x > y) },
		"gtu": func(x, y float64) bool { return !(x <= y) },
		"geu": func(x, y float64) bool { return !(x < y) },
		"num": func(x, y float64) bool { return x == x && y == y },
		"nan": func(x, y float64) bool { return x != x || y != y },
	}[op]
	if test == nil {
		return nil
	}
	return func(a, b uint64) bool { return test(val(a), val(b)) }
}

var cmpOps = []string{"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}

// combine applies BoolOp to a comparison and a predicate.
func combine(op string, v, c uint32) uint32 {
	switch op {
	case "and":
		return v & c
	case "or":
		return v | c
	case "xor":
		return v ^ c
	}
	return v
}

func decodeSetp(b *build) {
	t := b.typ()
	op, boolOp := b.oneOf(cmpOps...), b.oneOf("and", "or", "xor")
	test := comparison(op, t, b.has("ftz"))
	if test == nil {
		b.fail("comparison .%s of type .%s is not modelled", op, t)
		return
	}
	x, y := b.src(b.need("a"), t), b.src(b.need("b"), t)
	c := predOperand{konst: true}
	if boolOp != "" {
		c = b.predUse(b.need("c"))
	}
	p, q := b.predDst(b.need("p")), int32(-1)
	if qd := b.arg("q"); qd != nil {
		q = b.predDst(qd)
	}
	packed := t == isa.F16X2 || t == isa.BF16X2
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		v := liftPred2(w, x, y, m, test)
		nv := ^v
		if packed { // q compares the upper halves
			nv = liftPred2(w, x, y, m, func(a, b uint64) bool { return test(a>>16, b>>16) })
		}
		cv, _ := w.pred(c)
		w.preds[p] = w.preds[p]&^m | combine(boolOp, v, cv)&m
		if q >= 0 {
			w.preds[q] = w.preds[q]&^m | combine(boolOp, nv, cv)&m
		}
	}
	if !packed && boolOp == "" && q < 0 {
		b.inst.exec = fastSetp(op, t, x, y, p, b.inst.exec)
	}
}

// decodeSet writes all ones, or 1.0 for a floating-point result, where the comparison holds.
func decodeSet(b *build) {
	ts := b.types()
	td, t := ts[0], ts[len(ts)-1]
	op, boolOp := b.oneOf(cmpOps...), b.oneOf("and", "or", "xor")
	test := comparison(op, t, b.has("ftz"))
	one, ok := map[isa.Type]uint64{isa.U16: 0xffff, isa.S16: 0xffff, isa.U32: 0xffffffff, isa.S32: 0xffffffff, isa.F32: 0x3f800000,
		isa.F16: 0x3c00, isa.BF16: 0x3f80, isa.F16X2: 0x3c00, isa.BF16X2: 0x3f80}[td]
	packed := t == isa.F16X2 || t == isa.BF16X2
	if packed && (td == isa.U32 || td == isa.S32) {
		one = 0xffff // a half of the result each
	}
	if test == nil || !ok {
		b.fail("this comparison is not modelled")
		return
	}
	x, y := b.src(b.op(1), t), b.src(b.op(2), t)
	c := predOperand{konst: true}
	if boolOp != "" {
		c = b.predUse(b.op(3))
	}
	d := b.dst(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		cv, _ := w.pred(c)
		v := combine(boolOp, liftPred2(w, x, y, m, test), cv)
		var hi uint32
		if packed {
			hi = combine(boolOp, liftPred2(w, x, y, m, func(a, b uint64) bool { return test(a>>16, b>>16) }), cv)
		}
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t)
			w.regs[d][l] = one*uint64(v>>l&1) | one<<16*uint64(hi>>l&1)
		}
	}
}

// decodeSelp selects by a predicate. Only the value that is chosen has to be defined.
func decodeSelp(b *build) {
	t := b.typ()
	x, xid := b.value(b.op(1), t)
	y, yid := b.value(b.op(2), t)
	p := b.predSrc(b.op(3))
	d := b.result(b.op(0))
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		v, pdef := w.pred(p)
		rd, rx, ry := &w.regs[d], w.val(x), w.val(y)
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t) & 31
			if v>>l&1 != 0 {
				rd[l] = rx[l]
			} else {
				rd[l] = ry[l]
			}
		}
		if !w.run.initcheck {
			return
		}
		xdef, ydef := w.defOf(xid), w.defOf(yid)
		def := pdef & (v&xdef | ^v&ydef)
		if m&^def == 0 {
			w.def[d] |= m
			return
		}
		from := w.predOrigin(m, p)
		if m&pdef&v&^xdef != 0 {
			from = w.originOf(xid)
		} else if m&pdef&^v&^ydef != 0 {
			from = w.originOf(yid)
		}
		w.setDef(d, m, def, from)
	}
}

// defOf is the definedness of a register, all lanes for a constant.
func (w *warp) defOf(id int32) uint32 {
	if id < 0 {
		return fullMask
	}
	return w.def[id]
}

// decodeSlct selects by the sign of c; NaN counts as negative, -0 as not negative.
func decodeSlct(b *build) {
	ts := b.types()
	t, tc := ts[0], ts[len(ts)-1]
	ftz := b.has("ftz")
	b.ternary(t, t, tc, func(x, y, c uint64) uint64 {
		ok := signed(c, 32) >= 0
		if tc == isa.F32 {
			v := uint32(c)
			if ftz {
				v = flush(v)
			}
			ok = f32(v) >= 0
		}
		if ok {
			return x
		}
		return y
	})
}

func decodeTestp(b *build) {
	t := b.typ()
	op := b.oneOf("finite", "infinite", "number", "notanumber", "normal", "subnormal")
	manBits := uint64(23)
	if t == isa.F64 {
		manBits = 52
	}
	expMask := mask(^uint64(0), t.Bits()-1) >> manBits
	x := b.src(b.op(1), t)
	p := b.predDst(b.op(0))
	test := func(v, _ uint64) bool {
		exp := v >> manBits & expMask
		man := mask(v, int(manBits))
		switch op {
		case "finite":
			return exp != expMask
		case "infinite":
			return exp == expMask && man == 0
		case "number":
			return exp != expMask || man == 0
		case "notanumber":
			return exp == expMask && man != 0
		case "normal":
			return exp != expMask && exp != 0
		}
		return exp == 0 && man != 0
	}
	b.inst.exec = func(w *warp, _ *inst, m uint32) {
		w.preds[p] = w.preds[p]&^m | liftPred2(w, x, x, m, test)&m
	}
}
