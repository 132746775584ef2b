package ptx

import (
	"math"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// maxVarBytes bounds the size of one variable: no state space of a GPU is larger.
const maxVarBytes = 1 << 40

// varSpace returns the space that the next token names, Generic if none that declares variables.
func (p *parser) varSpace() isa.Space {
	if !p.at(tokDot) {
		return isa.Generic
	}
	if s, ok := isa.SpaceOf(p.str()[1:]); ok && s.Declares() {
		return s
	}
	return isa.Generic
}

// variables reads a variable directive with all its declarators, up to the semicolon.
func (p *parser) variables(linkage Linkage) []*Var {
	head := p.varHead()
	head.Linkage = linkage
	var out []*Var
	for !p.failed {
		v := head
		out = append(out, &v)
		t := p.tok()
		p.declarator(&v)
		if p.accept("=") {
			v.Init = p.initialiser(0)
			p.sizeFromInit(t, &v)
		}
		p.declare(t, v.Name, &v)
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	return out
}

// varHead reads what stands before the name: space, alignment, vector and type, in any order as ptxas does.
func (p *parser) varHead() Var {
	v := Var{Space: p.varSpace()}
	p.advance()
	for p.at(tokDot) && !p.failed {
		t := p.tok()
		switch word := p.str()[1:]; word {
		case "align":
			p.advance()
			v.Align = p.alignment()
			continue
		case "v2", "v4":
			v.Vec = int(word[1] - '0')
		case "ptr":
			p.advance()
			v.Ptr = p.ptrAttr()
			continue
		default:
			typ := isa.TypeOf(word)
			if typ == isa.NoType || typ == isa.Pred || typ.Bits() < 8 {
				p.refuse(t, isa.ErrUnmodelled, "unknown attribute of a variable")
				p.skipAttribute()
				continue
			}
			v.Type = typ
		}
		p.advance()
	}
	if v.Type == isa.NoType && !p.failed {
		p.syntax("expected a type")
	}
	return v
}

// skipAttribute moves over .attribute(…) and the like.
func (p *parser) skipAttribute() {
	p.advance()
	if p.accept("(") {
		for !p.at(tokEOF) && !p.accept(")") {
			p.advance()
		}
	}
}

// alignment reads a power of two.
func (p *parser) alignment() int {
	t := p.tok()
	n := p.intBetween(1, 1<<20, "an alignment")
	if n&(n-1) != 0 {
		p.refuse(t, ErrInvalid, "alignment is not a power of two")
	}
	return int(n)
}

// ptrAttr reads what follows .ptr (manual 5.1.6.2).
func (p *parser) ptrAttr() *PtrAttr {
	a := &PtrAttr{}
	if s := p.varSpace(); s != isa.Generic {
		a.Space = s
		p.advance()
	}
	if p.accept(".align") {
		a.Align = p.alignment()
	}
	return a
}

// declarator reads the name and the dimensions.
func (p *parser) declarator(v *Var) {
	v.Pos = p.pos()
	v.Name = p.name("a name")
	if p.is("<") {
		p.refuse(p.tok(), isa.ErrUnmodelled, "a range of variables")
		p.skipRange()
	}
	size := v.ElemSize()
	for p.is("[") {
		t := p.advance()
		if p.accept("]") {
			if len(v.Dims) > 0 {
				p.refuse(t, ErrInvalid, "only the first dimension may be without size")
			}
			v.Dims = append(v.Dims, 0)
			continue
		}
		n := p.intBetween(0, maxVarBytes, "an array size")
		if size *= max(n, 1); size > maxVarBytes {
			p.refuse(t, ErrInvalid, "variable too large")
			size = 1
		}
		v.Dims = append(v.Dims, n)
		p.expect("]")
	}
}

func (p *parser) skipRange() {
	for !p.at(tokEOF) && !p.accept(">") {
		p.advance()
	}
}

// sizeFromInit gives an array without size the length of its initialiser.
func (p *parser) sizeFromInit(t token, v *Var) {
	if len(v.Dims) > 0 && v.Dims[0] == 0 && v.Init.Value == nil {
		v.Dims[0] = int64(len(v.Init.List))
	}
	if v.Space != isa.Global && v.Space != isa.Const {
		p.refuse(t, ErrInvalid, "only .global and .const variables are initialised")
	}
}

// initialiser reads { a, b, { c } } or one value.
func (p *parser) initialiser(depth int) *Init {
	if !p.is("{") {
		return p.initValue()
	}
	in := &Init{}
	if depth > maxDepth {
		p.syntax("initialiser nested too deeply")
	}
	p.advance()
	for !p.is("}") && !p.failed {
		in.List = append(in.List, p.initialiser(depth+1))
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
	return in
}

func (p *parser) initValue() *Init {
	t := p.tok()
	if t.kind != tokIdent || p.str() == "WARP_SZ" {
		return &Init{Value: p.constant()}
	}
	name := p.name("a value")
	in := &Init{}
	if name == "generic" && p.accept("(") {
		in.Generic = true
		t = p.tok()
		name = p.name("a variable")
		p.expect(")")
	}
	sym, ok := p.scope.lookup(name).(Symbol)
	if !ok {
		p.refuse(t, ErrInvalid, "undefined symbol")
		return &Init{Value: Int{}}
	}
	in.Value = Sym{Of: sym, Off: p.plusOffset()}
	return in
}

// plusOffset reads "+ constant" if it is there.
func (p *parser) plusOffset() int64 {
	if !p.accept("+") {
		return 0
	}
	return p.intBetween(math.MinInt64, math.MaxInt64, "an offset")
}

// declare enters a name into the innermost scope.
func (p *parser) declare(t token, name string, what any) {
	if p.failed || p.scope.declare(name, what) {
		return
	}
	// The same variable may be declared .extern any number of times (manual 11.6.1).
	if old, ok := p.scope.names[name].(*Var); ok {
		if v, ok := what.(*Var); ok && (old.Linkage == Extern || v.Linkage == Extern) && old.Space == v.Space {
			return
		}
	}
	p.refuse(t, ErrInvalid, "declared twice")
}
