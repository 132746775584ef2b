package ptx

import (
	"math"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// function reads an .entry or .func, definition or prototype.
func (p *parser) function(t token, linkage Linkage) {
	f := &Func{Pos: p.src.pos(t.off), Linkage: linkage, Entry: p.is(".entry")}
	p.advance()
	p.fn = f
	outer := p.scope
	p.scope = newScope(outer)
	if !f.Entry && p.is("(") {
		f.Returns = p.paramList()
	}
	nameTok := p.tok()
	f.Name = p.name("a function name")
	if p.is("(") {
		f.Params = p.paramList()
	}
	p.funcDirectives(f)
	p.declareFunc(outer, nameTok, f)
	if !p.accept(";") {
		p.body(f)
	}
	if proto, ok := outer.names[f.Name].(*Func); ok && f.Body != nil && proto != f {
		proto.Definition = f
	}
	p.scope, p.fn = outer, nil
	p.mod.Decls = append(p.mod.Decls, f)
}

// declareFunc enters the function before its body, which may call it. A prototype may be repeated and defined.
func (p *parser) declareFunc(s *scope, t token, f *Func) {
	if p.failed || s.declare(f.Name, f) {
		return
	}
	old, ok := s.names[f.Name].(*Func)
	if !ok || old.Body != nil && !p.is(";") || old.Definition != nil && !p.is(";") || old.Entry != f.Entry {
		p.refuse(t, ErrInvalid, "declared twice")
	}
}

// paramList reads ( .param … , … ).
func (p *parser) paramList() []*Var {
	p.expect("(")
	var out []*Var
	for !p.is(")") && !p.failed {
		out = append(out, p.param())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return out
}

func (p *parser) param() *Var {
	t := p.tok()
	if p.is(".reg") {
		p.refuse(t, isa.ErrUnmodelled, "a parameter in a register")
		p.skipParam()
		return &Var{Space: isa.Param, Type: isa.B32}
	}
	if p.varSpace() != isa.Param {
		p.syntax("expected .param")
		return &Var{}
	}
	v := p.varHead()
	t = p.tok()
	p.declarator(&v)
	if v.Name != "_" {
		p.declare(t, v.Name, &v)
	}
	return &v
}

func (p *parser) skipParam() {
	for !p.at(tokEOF) && !p.is(",") && !p.is(")") {
		p.advance()
	}
}

// funcDirectives reads the directives between the parameters and the body.
func (p *parser) funcDirectives(f *Func) {
	d := &f.Directives
	for !p.failed {
		switch {
		case p.accept(".maxntid"):
			d.MaxNTID = p.dims()
		case p.accept(".reqntid"):
			d.ReqNTID = p.dims()
		case p.accept(".minnctapersm"):
			d.MinNCTAPerSM = p.positive()
		case p.accept(".maxnctapersm"):
			d.MaxNCTAPerSM = p.positive()
		case p.accept(".maxnreg"):
			d.MaxNReg = p.positive()
		case p.accept(".reqnctapercluster"):
			d.ReqNCTAPerCluster = p.dims()
		case p.accept(".explicitcluster"):
			d.ExplicitCluster = true
		case p.accept(".maxclusterrank"):
			d.MaxClusterRank = p.positive()
		case p.accept(".blocksareclusters"):
			d.BlocksAreClusters = true
		case p.accept(".noreturn"):
			d.NoReturn = true
		case p.is(".pragma"):
			for _, s := range p.pragma() {
				d.Pragmas = append(d.Pragmas, s.Text)
			}
		case p.at(tokDot):
			p.refuse(p.tok(), isa.ErrUnmodelled, "unknown directive of a function")
			for p.advance(); !p.at(tokEOF) && !p.at(tokDot) && !p.is("{") && !p.is(";"); {
				p.advance()
			}
		default:
			return
		}
	}
}

func (p *parser) positive() int {
	return int(p.intBetween(1, math.MaxInt32, "a positive number"))
}

// dims reads x[, y[, z]]; dimensions that are left out are 1.
func (p *parser) dims() [3]int {
	out := [3]int{1, 1, 1}
	for i := range out {
		out[i] = p.positive()
		if !p.accept(",") {
			break
		}
	}
	return out
}

// body reads the braces of a function.
func (p *parser) body(f *Func) {
	if !p.is("{") {
		p.syntax("expected a body or ;")
		return
	}
	p.findLabels()
	f.Body = p.block()
}

// findLabels enters the labels of each scope of the body that starts here, because branches go forward, too. Only
// a name and a colon at the start of a statement make a label; .branchtargets and its like are declared where they
// stand.
func (p *parser) findLabels() {
	p.labels = map[int][]*Label{}
	var open []int
	toks := p.src.tokens
	for i := p.next; i < len(toks) && toks[i].kind != tokEOF; i++ {
		switch p.src.str(toks[i]) {
		case "{":
			open = append(open, i+1)
		case "}":
			if open = open[:len(open)-1]; len(open) == 0 {
				return
			}
		case ":":
			if l := p.labelBefore(i); l != nil {
				top := open[len(open)-1]
				p.labels[top] = append(p.labels[top], l)
			}
		}
	}
}

// labelBefore returns the label that ends with the colon at token i, or nil.
func (p *parser) labelBefore(i int) *Label {
	toks := p.src.tokens
	if toks[i-1].kind != tokIdent || i+1 >= len(toks) {
		return nil
	}
	switch p.src.str(toks[i-2]) {
	case ";", "{", "}", ":":
	default:
		if !p.afterDebug(i - 1) {
			return nil
		}
	}
	switch p.src.str(toks[i+1]) {
	case ".branchtargets", ".calltargets", ".callprototype":
		return nil
	}
	return &Label{Pos: p.src.pos(toks[i-1].off), Name: p.src.str(toks[i-1])}
}

// afterDebug reports whether token i may follow a debug directive, which has no semicolon: it is the first of its
// line.
func (p *parser) afterDebug(i int) bool {
	toks := p.src.tokens
	return p.src.pos(toks[i].off).Line != p.src.pos(toks[i-1].off).Line
}
