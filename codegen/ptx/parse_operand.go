package ptx

import (
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// rawOperand is an operand as it stands, before it is assigned to a position of the form.
type rawOperand struct {
	op   Operand
	tok  token // all of its text
	pair bool  // behind "|"
}

// operands reads all operands of an instruction.
func (p *parser) operands() []rawOperand {
	var out []rawOperand
	if p.is(";") {
		return nil
	}
	pair := false
	for !p.failed {
		t := p.tok()
		op := p.operand(0)
		t.end = max(t.end, p.src.tokens[max(p.next-1, 0)].end)
		out = append(out, rawOperand{op, t, pair})
		switch {
		case p.accept(","):
			pair = false
		case p.accept("|"):
			pair = true
		default:
			return out
		}
	}
	return out
}

// operand reads one operand. What cannot be resolved is refused and stands as a Sink.
func (p *parser) operand(depth int) Operand {
	if depth > 4 {
		p.syntax("operand nested too deeply")
		return Sink{}
	}
	switch {
	case p.is("{"):
		return p.vec(depth)
	case p.is("["):
		return p.addr(depth)
	case p.is("(") && p.call:
		return p.list(depth)
	case p.is("!") && p.next+1 < len(p.src.tokens) && p.src.tokens[p.next+1].kind == tokIdent:
		p.advance()
		return Not{p.predicate()}
	case p.at(tokIdent) && p.str() == "_":
		p.advance()
		return Sink{}
	case p.at(tokIdent) && p.str() != "WARP_SZ":
		return p.named()
	}
	return p.constant()
}

func (p *parser) vec(depth int) Operand {
	p.advance()
	v := Vec{}
	for !p.failed {
		v = append(v, p.operand(depth+1))
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
	return v
}

func (p *parser) list(depth int) Operand {
	p.advance()
	l := List{}
	for !p.is(")") && !p.failed {
		l = append(l, p.operand(depth+1))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return l
}

// addr reads [base+offset] and [base+offset, {coordinates}].
func (p *parser) addr(depth int) Operand {
	p.advance()
	a := Addr{}
	if p.at(tokIdent) && p.str() != "WARP_SZ" {
		t := p.tok()
		switch base := p.named().(type) {
		case *Reg:
			a.Base = base
			if p.accept("+") {
				a.Off = p.intOffset()
			}
		case Sym:
			a.Base, a.Off = Sym{Of: base.Of}, base.Off
		default:
			if _, refused := base.(Sink); !refused {
				p.refuse(t, ErrInvalid, "not an address")
			}
		}
	} else {
		a.Off = p.intOffset()
	}
	if p.accept(",") {
		if !p.is("{") {
			p.syntax("expected {")
			return a
		}
		a.Coords, _ = p.vec(depth).(Vec)
	}
	p.expect("]")
	return a
}

// named resolves a name, with the offset behind a symbol.
func (p *parser) named() Operand {
	t := p.advance()
	name := p.src.str(t)
	if strings.HasPrefix(name, "%") {
		if s, ok := p.special(t, name); ok {
			return s
		}
	}
	switch what := p.scope.lookup(name).(type) {
	case Operand: // a register, label, or list
		return what
	case Symbol:
		s := Sym{Of: what}
		if p.accept("+") {
			s.Off = p.intOffset()
		}
		return s
	}
	if !p.failed {
		p.refuse(t, ErrInvalid, "undefined name")
	}
	return Sink{}
}

// special reads a special register, whose components are words of their own: %tid and .x
func (p *parser) special(t token, name string) (Operand, bool) {
	if p.at(tokDot) && p.tok().off == t.end {
		if s, ok := SRegOf(name + p.str()); ok {
			p.advance()
			return s, true
		}
	}
	if s, ok := SRegOf(name); ok {
		return s, true
	}
	if p.scope.lookup(name) == nil && isOtherSpecial(name) {
		p.refuse(t, isa.ErrUnmodelled, "unknown special register")
		if p.at(tokDot) {
			p.advance()
		}
		return Sink{}, true
	}
	return nil, false
}

// isOtherSpecial reports names of special registers that SReg leaves out (manual 10).
func isOtherSpecial(name string) bool {
	for _, prefix := range [...]string{"%pm", "%envreg"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	if strings.HasPrefix(name, "%") {
		_, vector := SRegOf(name + ".x")
		return vector
	}
	return false
}
