package ptx

import (
	"errors"
	"math"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// maxRegs bounds one .reg range. No program names that many, and a number of a register stays far inside an int.
const maxRegs = 1 << 24

// block reads a braced region in a new scope.
func (p *parser) block() *Block {
	b := &Block{Pos: p.pos()}
	p.expect("{")
	if p.depth++; p.depth > maxDepth {
		p.syntax("scopes nested too deeply")
		return b
	}
	p.scope = newScope(p.scope)
	p.declareLabels()
	for !p.is("}") && !p.failed {
		if p.at(tokEOF) {
			p.syntax("expected }")
		}
		p.stmt(b)
	}
	p.expect("}")
	p.scope = p.scope.parent
	p.depth--
	return b
}

// declareLabels enters the labels of the scope that starts at the next token.
func (p *parser) declareLabels() {
	for _, l := range p.labels[p.next] {
		if !p.failed && !p.scope.declare(l.Name, l) {
			p.refuseErr(&Error{Pos: l.Pos, Kind: ErrInvalid, Text: shorten(l.Name), Msg: "declared twice"})
		}
	}
}

// stmt reads one statement.
func (p *parser) stmt(b *Block) {
	switch {
	case p.is("{"):
		b.Append(p.block())
	case p.is(".reg"):
		p.regDecl(b)
	case p.is(".pragma"):
		for _, s := range p.pragma() {
			b.Append(s)
		}
	case p.debugDirective():
	case p.varSpace() != isa.Generic:
		for _, v := range p.variables(NoLinkage) {
			b.Append(v)
		}
	case p.at(tokDot):
		p.unmodelledDirective()
	case p.at(tokIdent) && p.peekIs(":"):
		p.labelled(b)
	case p.at(tokIdent), p.is("@"):
		if in := p.instr(); in != nil {
			b.Append(in)
		}
	default:
		p.syntax("expected a statement")
	}
}

// regDecl reads .reg .type a, b, %r<n>; as one declaration a name.
func (p *parser) regDecl(b *Block) {
	p.advance()
	if p.is(".v2") || p.is(".v4") {
		p.refuse(p.tok(), isa.ErrUnmodelled, "a vector register")
		p.skipStatement()
		return
	}
	typ := isa.NoType
	if p.at(tokDot) {
		typ = isa.TypeOf(p.str()[1:])
	}
	if !typ.Declarable() {
		p.syntax("expected a type of registers")
		return
	}
	p.advance()
	for !p.failed {
		t := p.tok()
		d := &RegDecl{Pos: p.pos(), Type: typ, Name: p.name("a register name"), fn: p.fn}
		if p.accept("<") {
			d.Count = p.regCount()
			if !p.failed && !p.scope.declareRange(d) {
				p.refuse(t, ErrInvalid, "declared twice")
			}
		} else {
			p.declare(t, d.Name, d)
		}
		b.Append(d)
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
}

// regCount reads the n of <n>: a literal, because > would continue an expression.
func (p *parser) regCount() int {
	t := p.tok()
	n := p.unary()
	p.expect(">")
	if n.v < 1 || n.v > maxRegs {
		p.refuse(t, ErrInvalid, "expected a number of registers up to %d", maxRegs)
		return 1
	}
	return int(n.v)
}

// labelled reads a label, or a list that a label names.
func (p *parser) labelled(b *Block) {
	t := p.tok()
	name := p.str()
	pos := p.pos()
	p.next += 2
	switch {
	case p.accept(".branchtargets"):
		s := &BranchTargets{Pos: pos, Name: name}
		p.targets(func(t token, what any) bool {
			l, ok := what.(*Label)
			s.Targets = append(s.Targets, l)
			return ok
		})
		p.declare(t, name, s)
		b.Append(s)
	case p.accept(".calltargets"):
		s := &CallTargets{Pos: pos, Name: name}
		p.targets(func(t token, what any) bool {
			f, ok := what.(*Func)
			s.Targets = append(s.Targets, f)
			return ok
		})
		p.declare(t, name, s)
		b.Append(s)
	case p.accept(".callprototype"):
		s := &CallPrototype{Pos: pos, Name: name}
		p.prototype(s)
		p.declare(t, name, s)
		b.Append(s)
	default:
		if l, ok := p.scope.names[name].(*Label); ok {
			b.Append(l)
			return
		}
		if !p.failed {
			p.next -= 2
			p.syntax("a label must start a line or follow a statement")
		}
	}
}

// targets reads a list of names up to the semicolon; add says whether it can use one.
func (p *parser) targets(add func(token, any) bool) {
	for !p.failed {
		t := p.tok()
		if name := p.name("a name"); !p.failed && !add(t, p.scope.lookup(name)) {
			p.refuse(t, ErrInvalid, "not a target")
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
}

// prototype reads: [(returns)] _ [(params)] [.noreturn] ;
func (p *parser) prototype(s *CallPrototype) {
	p.scope = newScope(p.scope)
	if p.is("(") {
		s.Returns = p.paramList()
	}
	if name := p.name("_"); name != "_" && !p.failed {
		p.next--
		p.syntax("expected _")
	}
	if p.is("(") {
		s.Params = p.paramList()
	}
	s.NoReturn = p.accept(".noreturn")
	p.expect(";")
	p.scope = p.scope.parent
}

// instr reads an instruction with its guard; nil if it was refused.
func (p *parser) instr() *Instr {
	in := &Instr{Pos: p.pos()}
	start := p.tok()
	if p.accept("@") {
		in.Guard.Not = p.accept("!")
		in.Guard.Reg = p.predicate()
	}
	mnemonic := p.tok()
	text := p.mnemonic()
	if p.failed {
		return nil
	}
	form, err := isa.Parse(text)
	if err != nil {
		p.refuseMnemonic(mnemonic, err)
		p.skipStatement()
		return nil
	}
	in.Form = form
	p.call = form.Opcode() == "call"
	before := len(p.errs)
	raw := p.operands()
	p.expect(";")
	if p.failed || len(p.errs) > before {
		return nil // what was refused stands as a Sink and would be refused again
	}
	p.fill(in, start, raw)
	return in
}

// mnemonic takes an instruction's name and modifiers, which may stand apart.
func (p *parser) mnemonic() string {
	whole := p.tok()
	p.name("an instruction")
	first, length := p.next-1, int(whole.end-whole.off)
	for p.at(tokDot) {
		t := p.advance()
		whole.end = t.end
		length += int(t.end - t.off)
	}
	if int(whole.end-whole.off) == length {
		return p.src.str(whole)
	}
	var b strings.Builder
	for i := first; i < p.next; i++ {
		b.WriteString(p.src.str(p.src.tokens[i]))
	}
	return b.String()
}

func (p *parser) refuseMnemonic(t token, err error) {
	kind := ErrInvalid
	if errors.Is(err, isa.ErrUnmodelled) {
		kind = isa.ErrUnmodelled
	}
	msg := err.Error()
	var cause *isa.Error
	if errors.As(err, &cause) {
		msg = strings.TrimPrefix(msg, cause.Mnemonic+": ") // Text begins with it
	}
	p.refuseErr(&Error{Pos: p.src.pos(t.off), Kind: kind, Text: p.src.lineText(t.off), Msg: shorten(msg), Err: err})
}

// predicate reads a predicate register.
func (p *parser) predicate() *Reg {
	t := p.tok()
	name := p.name("a predicate")
	if p.failed {
		return nil
	}
	r, ok := p.scope.lookup(name).(*Reg)
	switch {
	case !ok:
		p.refuse(t, ErrInvalid, "undefined register")
	case r.Type() != isa.Pred:
		p.refuse(t, ErrInvalid, "not a predicate, but .%s", r.Type())
	}
	return r
}

// intOffset reads an integer constant.
func (p *parser) intOffset() int64 { return p.intBetween(math.MinInt64, math.MaxInt64, "an offset") }
