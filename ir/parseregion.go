package ir

import "strings"

// regions reads what follows an op's attributes: its position, or regions "(%i: u32) {" … "}" of which the first line has it.
func (p *parser) regions(o *Op) error {
	if !p.is("(") {
		pos, err := p.position()
		o.Pos = pos
		return err
	}
	for i := 0; p.is("("); i++ {
		r := &Region{owner: o, outer: o.parent}
		if i == 1 && o.Info.Name == "while" {
			r.outer = o.Regions[0]
		}
		o.Regions = append(o.Regions, r)
		if err := p.regionHead(r); err != nil {
			return err
		}
		pos, err := p.position()
		if err != nil {
			return err
		}
		if i == 0 {
			o.Pos = pos
		}
		if err := p.ops(r); err != nil {
			return err
		}
	}
	return p.newline()
}

func (p *parser) regionHead(r *Region) error {
	if err := p.expect("("); err != nil {
		return err
	}
	for !p.accept(")") {
		w, err := p.word()
		if err != nil {
			return err
		}
		name, ok := strings.CutSuffix(w.text, ":")
		if !ok || !strings.HasPrefix(name, "%") {
			return p.fail(w, "want \"%%name: type\", found %q", w.text)
		}
		t, err := p.typ()
		if err != nil {
			return err
		}
		v := &Value{kernel: p.k, typ: t, kind: ArgumentValue, region: r, index: len(r.Args)}
		r.Args = append(r.Args, v)
		if err := p.define(w, name, v); err != nil {
			return err
		}
		if !p.accept(",") && !p.is(")") {
			return p.fail(p.peek(), "want , or ) after a region argument")
		}
	}
	return p.expect("{")
}
