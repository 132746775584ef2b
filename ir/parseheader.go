package ir

import (
	"math"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/ir/op"
)

func (p *parser) header() error {
	for p.peek().kind == newlineToken {
		p.next()
	}
	if t := p.next(); t.text != "kernel" {
		return p.fail(t, "want \"kernel @name target …\"")
	}
	name, err := p.word()
	if err != nil {
		return err
	}
	id, ok := strings.CutPrefix(name.text, "@")
	if !ok || !identifier(id) {
		return p.fail(name, "%q is no kernel name", name.text)
	}
	if t := p.next(); t.text != "target" {
		return p.fail(t, "want a target")
	}
	target, err := p.word()
	if err != nil {
		return err
	}
	p.k = &Kernel{Name: id, Target: Target(target.text), Body: &Region{}, closed: true}
	if err := p.newline(); err != nil {
		return err
	}
	for p.peek().kind == wordToken {
		if err := p.headerLine(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) headerLine() error {
	t := p.next()
	c := &p.k.Contract
	var err error
	switch t.text {
	case "block":
		err = p.dims(&c.Block)
	case "cluster":
		err = p.dims(&c.Cluster)
	case "programmatic_launch":
		c.ProgrammaticLaunch = true
	case "why":
		s := p.next()
		if s.kind != stringToken {
			return p.fail(s, "want a quoted reason")
		}
		c.Why = s.text
	case "param":
		err = p.param()
	case "array":
		err = p.array()
	default:
		err = p.contractNumber(t)
	}
	if err != nil {
		return err
	}
	return p.newline()
}

func (p *parser) contractNumber(t token) error {
	for _, f := range p.k.Contract.fields() {
		if f.name == t.text {
			n, err := p.number()
			*f.value = n
			return err
		}
	}
	return p.fail(t, "unknown header line %q", t.text)
}

func (p *parser) dims(d *[3]int) (err error) {
	for i := range d {
		if d[i], err = p.number(); err != nil {
			return err
		}
	}
	return nil
}

const maxNumber = 1 << 30

func (p *parser) number() (int, error) {
	w, err := p.word()
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(w.text)
	if err != nil || n < 0 || n > maxNumber {
		return 0, p.fail(w, "bad number %q", w.text)
	}
	return n, nil
}

// named reads "%name type".
func (p *parser) named() (token, Type, error) {
	w, err := p.word()
	if err != nil {
		return w, Type{}, err
	}
	if !strings.HasPrefix(w.text, "%") || !identifier(w.text[1:]) {
		return w, Type{}, p.fail(w, "%q is no name", w.text)
	}
	t, err := p.typ()
	return w, t, err
}

func (p *parser) param() error {
	w, t, err := p.named()
	if err != nil {
		return err
	}
	d := &ParamDecl{Name: w.text[1:], Type: t}
	for p.peek().kind == wordToken {
		switch f := p.next(); f.text {
		case "constant":
			d.Constant = true
		case "writes":
			d.Writes = true
		case "align":
			if d.Align, err = p.number(); err != nil {
				return err
			}
		default:
			if err = p.box(d, f); err != nil {
				return err
			}
		}
	}
	d.Value = &Value{kernel: p.k, typ: t, kind: ParamValue, name: d.Name, index: len(p.k.Params)}
	p.k.Params = append(p.k.Params, d)
	return p.define(w, d.Name, d.Value)
}

func (p *parser) array() error {
	w, t, err := p.named()
	if err != nil {
		return err
	}
	if t.Kind != op.Ptr || !op.In(op.Shared, op.Local, op.Register).Has(t.Space) {
		return p.fail(w, "an array is in shared or local memory or in registers, not %s", t)
	}
	a := &Array{Name: w.text[1:], Type: t}
	for p.peek().kind == wordToken {
		switch f := p.next(); f.text {
		case "dynamic":
			a.Dynamic = true
		case "count":
			a.Count, err = p.number()
		case "align":
			a.Align, err = p.number()
		case "offset":
			a.Offset, err = p.number()
		default:
			return p.fail(f, "unknown property %q of an array", f.text)
		}
		if err != nil {
			return err
		}
	}
	a.Align = max(a.Align, t.Elem.Bytes())
	a.Value = &Value{kernel: p.k, typ: t, kind: ArrayValue, name: a.Name, index: len(p.k.Arrays)}
	p.k.Arrays = append(p.k.Arrays, a)
	return p.define(w, a.Name, a.Value)
}

// box reads one property of a tensor map's box.
func (p *parser) box(d *ParamDecl, f token) (err error) {
	if f.text == "elem" {
		d.Box = &Box{}
		w, err := p.word()
		if err != nil {
			return err
		}
		kind, ok := op.KindByName(w.text)
		if !ok || kind.Bytes() == 0 {
			return p.fail(w, "%q is no element type", w.text)
		}
		d.Box.Elem = kind
		return nil
	}
	if d.Box == nil {
		return p.fail(f, "unknown property %q of a parameter", f.text)
	}
	switch f.text {
	case "box":
		var n int
		n, err = p.number()
		d.Box.Dims = append(d.Box.Dims, n)
	case "swizzle":
		var w token
		w, err = p.word()
		d.Box.Swizzle = Swizzle(w.text)
	case "promotion":
		d.Box.Promotion, err = p.number()
	case "nan":
		d.Box.FillNaN = true
	default:
		return p.fail(f, "unknown property %q of a tensor map", f.text)
	}
	return err
}

// parseLiteral reads what Value.literal writes.
func parseLiteral(t Type, text string) (uint64, error) {
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		return strconv.ParseUint(hex, 16, t.Bits())
	}
	switch k := t.Kind; {
	case k == op.Pred:
		b, err := strconv.ParseBool(text)
		return map[bool]uint64{true: 1}[b], err
	case k == op.F32:
		f, err := strconv.ParseFloat(text, 32)
		return uint64(math.Float32bits(float32(f))), err
	case k == op.F64:
		f, err := strconv.ParseFloat(text, 64)
		return math.Float64bits(f), err
	case op.Signed.Has(k) || k == op.S8:
		n, err := strconv.ParseInt(text, 10, k.Bits())
		return uint64(n), err
	}
	return strconv.ParseUint(text, 10, t.Bits())
}
