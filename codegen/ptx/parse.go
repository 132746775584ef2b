package ptx

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// maxDepth bounds nesting: of braces in a body, of initialisers and of constant expressions.
const maxDepth = 64

// Parse reads a module. The error is an ErrorList: reading stops at the first syntax error, other refusals are
// collected.
func Parse(text []byte) (*Module, error) {
	src, lexErr := lex(text)
	if lexErr != nil {
		return nil, ErrorList{lexErr}
	}
	p := &parser{src: src, mod: &Module{}, scope: newScope(nil)}
	p.header()
	for !p.at(tokEOF) {
		p.decl()
	}
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, func(a, b *Error) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
		})
		return nil, p.errs
	}
	return p.mod, nil
}

type parser struct {
	src   *source
	next  int // index of the next token
	mod   *Module
	fn    *Func // nil at module level
	scope *scope
	depth int
	call  bool // in the operands of a call, where ( opens a list
	// labels are the labels of the function's scopes, by the index of the token behind the opening brace.
	labels map[int][]*Label
	errs   ErrorList
	failed bool // at a syntax error: every further token is the end
}

func (p *parser) tok() token { return p.src.tokens[p.next] }

func (p *parser) str() string { return p.src.str(p.tok()) }

func (p *parser) at(k tokenKind) bool { return p.tok().kind == k }

func (p *parser) pos() Pos { return p.src.pos(p.tok().off) }

// is reports whether the next token is this punctuation or directive.
func (p *parser) is(text string) bool {
	k := p.tok().kind
	return (k == tokPunct || k == tokDot) && p.str() == text
}

// peekIs is is for the token behind the next one.
func (p *parser) peekIs(text string) bool {
	return p.next+1 < len(p.src.tokens) && p.src.str(p.src.tokens[p.next+1]) == text
}

func (p *parser) advance() token {
	t := p.tok()
	if t.kind != tokEOF {
		p.next++
	}
	return t
}

// accept takes the next token if it is this one.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next++
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.syntax("expected " + text)
	}
}

// syntax records a syntax error at the next token and ends the reading.
func (p *parser) syntax(msg string) {
	if p.failed {
		return
	}
	p.failed = true
	t := p.tok()
	text := shorten(p.src.str(t))
	if t.kind == tokEOF {
		text = "end of text"
	}
	p.errs = append(p.errs, &Error{Pos: p.src.pos(t.off), Kind: ErrSyntax, Text: text, Msg: msg})
	p.stop()
}

// stop makes the end the next token.
func (p *parser) stop() { p.next = len(p.src.tokens) - 1 }

// refuse records an error that does not end the reading.
func (p *parser) refuse(t token, kind error, format string, args ...any) {
	p.refuseErr(&Error{Pos: p.src.pos(t.off), Kind: kind, Text: shorten(p.src.str(t)), Msg: fmt.Sprintf(format, args...)})
}

func (p *parser) refuseErr(e *Error) {
	if p.failed {
		return
	}
	p.errs = append(p.errs, e)
	if len(p.errs) >= maxErrors {
		p.failed = true
		p.stop()
	}
}

// name takes an identifier.
func (p *parser) name(what string) string {
	if !p.at(tokIdent) {
		p.syntax("expected " + what)
		return ""
	}
	return p.src.str(p.advance())
}

// header reads .version, .target and .address_size (manual 11.1).
func (p *parser) header() {
	p.expect(".version")
	if t := p.tok(); !p.failed {
		major, minor, ok := strings.Cut(p.src.str(t), ".")
		a, errA := strconv.ParseUint(major, 10, 8)
		b, errB := strconv.ParseUint(minor, 10, 8)
		if t.kind != tokNumber || !ok || errA != nil || errB != nil || b > 9 {
			p.syntax("expected a version such as 9.0")
		}
		p.mod.Version = isa.Version(a*10 + b)
		p.advance()
	}
	p.expect(".target")
	for !p.failed {
		p.mod.Target = append(p.mod.Target, p.name("a target"))
		if !p.accept(",") {
			break
		}
	}
	if p.accept(".address_size") {
		n := p.intBetween(32, 64, "32 or 64")
		if n != 32 && n != 64 {
			p.syntax("expected 32 or 64")
		}
		p.mod.AddressSize = int(n)
	}
}

// intBetween takes an integer constant expression and checks it.
func (p *parser) intBetween(lo, hi int64, what string) int64 {
	t := p.tok()
	v := p.constant()
	if p.failed {
		return lo
	}
	if v == (WarpSize{}) {
		v = I(32)
	}
	if n, ok := v.(Int); ok && n.Value >= lo && n.Value <= hi && !(n.Unsigned && n.Value < 0) {
		return n.Value
	}
	p.refuse(t, ErrInvalid, "expected %s", what)
	return lo
}

// decl reads one declaration at module level.
func (p *parser) decl() {
	switch {
	case p.debugDirective():
	case p.is(".pragma"):
		for _, s := range p.pragma() {
			p.mod.Decls = append(p.mod.Decls, s)
		}
	case !p.at(tokDot):
		p.syntax("expected a directive")
	default:
		p.linked()
	}
}

// linked reads a variable or function with its linking directive.
func (p *parser) linked() {
	t := p.tok()
	linkage := NoLinkage
	for l := Extern; l < numLinkages; l++ {
		if p.accept(l.String()) {
			linkage = l
			break
		}
	}
	switch {
	case p.is(".entry"), p.is(".func"):
		p.function(t, linkage)
	case p.varSpace() != isa.Generic:
		for _, v := range p.variables(linkage) {
			p.mod.Decls = append(p.mod.Decls, v)
		}
	case p.at(tokDot):
		p.unmodelledDirective()
	default:
		p.syntax("expected a variable or a function")
	}
}

// unmodelledDirective refuses a directive and skips to the end of its statement.
func (p *parser) unmodelledDirective() {
	p.refuse(p.tok(), isa.ErrUnmodelled, "unknown directive")
	p.skipStatement()
}

// skipStatement moves behind the next semicolon outside braces, or before a closing brace.
func (p *parser) skipStatement() {
	depth := 0
	for !p.at(tokEOF) {
		switch {
		case p.is("{"):
			depth++
		case p.is("}"):
			if depth == 0 {
				return
			}
			depth--
		case p.is(";") && depth == 0:
			p.advance()
			return
		}
		p.advance()
	}
}

// debugDirective reads over .file, .loc and .section, which canonical PTX does not have (manual 11.5).
func (p *parser) debugDirective() bool {
	switch {
	case p.accept(".section"):
		if !p.at(tokDot) && !p.at(tokIdent) {
			p.syntax("expected a section name")
		}
		p.advance()
		p.expect("{")
		for !p.at(tokEOF) && !p.is("}") {
			p.advance()
		}
		p.expect("}")
		p.accept(";")
		return true
	case p.accept(".file"):
		p.debugNumber()
		if !p.at(tokString) {
			p.syntax("expected a file name")
		}
		p.advance()
		for p.accept(",") {
			p.debugNumber()
		}
		return true
	case p.accept(".loc"):
		p.loc()
		return true
	}
	return false
}

// loc reads: file line column [, function_name label[+offset], inlined_at file line column]
func (p *parser) loc() {
	for range 3 {
		p.debugNumber()
	}
	for p.accept(",") {
		switch word := p.name("function_name or inlined_at"); word {
		case "function_name":
			p.name("a label")
			if p.accept("+") {
				p.debugNumber()
			}
		case "inlined_at":
			for range 3 {
				p.debugNumber()
			}
		default:
			if !p.failed {
				p.next--
				p.syntax("expected function_name or inlined_at")
			}
		}
	}
}

func (p *parser) debugNumber() {
	if !p.at(tokNumber) {
		p.syntax("expected a number")
	}
	p.advance()
}

// pragma reads .pragma "a", "b"; as one pragma a string.
func (p *parser) pragma() []*Pragma {
	p.expect(".pragma")
	var out []*Pragma
	for {
		pos := p.pos()
		if !p.at(tokString) {
			p.syntax("expected a string")
			return nil
		}
		s := p.src.str(p.advance())
		out = append(out, &Pragma{Pos: pos, Text: s[1 : len(s)-1]})
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	return out
}
