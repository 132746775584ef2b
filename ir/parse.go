package ir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/ir/op"
)

// Parse reads a kernel's text form. The result is not verified.
func Parse(text string) (*Kernel, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, names: map[string]*Value{}}
	defer p.k.close()
	return p.kernel()
}

func (k *Kernel) close() {
	if k != nil {
		k.closed = true
	}
}

const (
	maxNesting = 100 // regions in regions
	maxResults = 512
)

type parser struct {
	tokens []token
	at     int
	k      *Kernel
	names  map[string]*Value
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

func (p *parser) fail(t token, format string, args ...any) error {
	return &ParseError{t.line, t.col, fmt.Sprintf(format, args...)}
}

func (p *parser) is(text string) bool {
	t := p.peek()
	return t.kind == punctToken && t.text == text
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text string) error {
	if t := p.next(); t.kind != punctToken || t.text != text {
		return p.fail(t, "want %q, found %q", text, t.text)
	}
	return nil
}

func (p *parser) word() (token, error) {
	t := p.next()
	if t.kind != wordToken {
		return t, p.fail(t, "want a word, found %q", t.text)
	}
	return t, nil
}

func (p *parser) newline() error {
	if t := p.next(); t.kind != newlineToken && t.kind != endToken {
		return p.fail(t, "unexpected %q", t.text)
	}
	return nil
}

// position reads the optional comment and the end of the line.
func (p *parser) position() (Pos, error) {
	var pos Pos
	if p.peek().kind == positionToken {
		pos = parsePos(p.next().text)
	}
	return pos, p.newline()
}

func (p *parser) kernel() (*Kernel, error) {
	if err := p.header(); err != nil {
		return nil, err
	}
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	if err := p.newline(); err != nil {
		return nil, err
	}
	if err := p.ops(p.k.Body); err != nil {
		return nil, err
	}
	for p.peek().kind == newlineToken {
		p.next()
	}
	if t := p.peek(); t.kind != endToken {
		return nil, p.fail(t, "text after the kernel")
	}
	p.k.number()
	return p.k, nil
}

// ops reads lines up to the closing brace, which it takes.
func (p *parser) ops(r *Region) error {
	if p.depth++; p.depth > maxNesting {
		return p.fail(p.peek(), "regions are nested more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	for !p.accept("}") {
		if p.peek().kind == endToken {
			return p.fail(p.peek(), "a region without }")
		}
		o, err := p.op(r)
		if err != nil {
			return err
		}
		r.Ops = append(r.Ops, o)
	}
	return nil
}

func (p *parser) op(r *Region) (*Op, error) {
	start := p.at
	names, err := p.resultNames()
	if err != nil {
		return nil, err
	}
	t, err := p.word()
	if err != nil {
		return nil, err
	}
	info, ok := op.ByName(t.text)
	if !ok {
		return nil, p.fail(t, "there is no op %q", t.text)
	}
	o := &Op{Info: info, parent: r}
	if len(names) > 0 {
		if err := p.results(o, len(names)); err != nil {
			return nil, err
		}
	}
	if err := p.args(o); err != nil {
		return nil, err
	}
	if err := p.attrs(o, t); err != nil {
		return nil, err
	}
	if err := p.regions(o); err != nil {
		return nil, err
	}
	for i, name := range names {
		if err := p.define(p.tokens[start], name, o.Results[i]); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (p *parser) resultNames() ([]string, error) {
	var names []string
	for strings.HasPrefix(p.peek().text, "%") && p.peek().kind == wordToken {
		names = append(names, p.next().text)
		if p.accept(",") {
			if !strings.HasPrefix(p.peek().text, "%") {
				return nil, p.fail(p.peek(), "want a result after the comma")
			}
			continue
		}
		if t := p.next(); t.kind != wordToken || t.text != "=" {
			return nil, p.fail(t, "want = after the results, found %q", t.text)
		}
		break
	}
	return names, nil
}

// results reads "f32", "f32*4" or "(u32, pred)".
func (p *parser) results(o *Op, n int) error {
	start := p.peek()
	var types []Type
	if p.accept("(") {
		for !p.accept(")") {
			t, err := p.typ()
			if err != nil {
				return err
			}
			types = append(types, t)
			p.accept(",")
		}
	} else {
		w, err := p.word()
		if err != nil {
			return err
		}
		text, times, many := strings.Cut(w.text, "*")
		count := 1
		if many {
			if count, err = strconv.Atoi(times); err != nil || count < 2 || count > maxResults {
				return p.fail(w, "bad number of results %q", times)
			}
		}
		t, ok := parseType(text)
		if !ok {
			return p.fail(w, "unknown type %q", text)
		}
		for range count {
			types = append(types, t)
		}
	}
	if len(types) != n {
		return p.fail(start, "%d results, %d types", n, len(types))
	}
	for _, t := range types {
		o.addResult(p.k, t)
	}
	return nil
}

func (p *parser) typ() (Type, error) {
	w, err := p.word()
	if err != nil {
		return Type{}, err
	}
	t, ok := parseType(w.text)
	if !ok {
		return Type{}, p.fail(w, "unknown type %q", w.text)
	}
	return t, nil
}

func parseType(text string) (Type, bool) {
	if space, elem, ok := strings.Cut(text, "."); ok {
		s, ok1 := op.SpaceByName(space)
		k, ok2 := op.KindByName(elem)
		return op.PointerTo(s, k), ok1 && ok2 && k != op.Ptr && k != op.Pred
	}
	k, ok := op.KindByName(text)
	return scalar(k), ok && k != op.Ptr
}

func (p *parser) args(o *Op) error {
	for p.peek().kind == wordToken {
		t := p.next()
		v, err := p.value(t)
		if err != nil {
			return err
		}
		o.Args = append(o.Args, v)
		if !p.accept(",") {
			break
		}
		if p.peek().kind != wordToken {
			return p.fail(p.peek(), "want an operand after the comma")
		}
	}
	return nil
}

func (p *parser) value(t token) (*Value, error) {
	if name, ok := strings.CutPrefix(t.text, "%"); ok {
		if v, ok := p.names[name]; ok {
			return v, nil
		}
		return nil, p.fail(t, "%s is not defined", t.text)
	}
	kind, text, ok := strings.Cut(t.text, ":")
	typ, known := parseType(kind)
	if !ok || !known {
		return nil, p.fail(t, "%q is neither a value nor a constant", t.text)
	}
	bits, err := parseLiteral(typ, text)
	if err != nil {
		return nil, p.fail(t, "bad constant %q", t.text)
	}
	return p.k.constant(typ, bits), nil
}

func (p *parser) define(t token, name string, v *Value) error {
	name = strings.TrimPrefix(name, "%")
	if name == "" {
		return p.fail(t, "a value without a name")
	}
	if _, ok := p.names[name]; ok {
		return p.fail(t, "%%%s is defined twice", name)
	}
	p.names[name] = v
	return nil
}

// attrs reads "{rnd=rz, ftz}".
func (p *parser) attrs(o *Op, at token) error {
	var list []op.Attr
	if p.accept("{") {
		for !p.accept("}") {
			a, err := p.attr(o)
			if err != nil {
				return err
			}
			list = append(list, a)
			if !p.accept(",") && !p.is("}") {
				return p.fail(p.peek(), "want , or } after an attribute")
			}
		}
	}
	out, problems := normalAttrs(o.Info, list)
	if len(problems) > 0 {
		return p.fail(at, "%s", problems[0])
	}
	o.Attrs = out
	return nil
}

func (p *parser) attr(o *Op) (op.Attr, error) {
	w, err := p.word()
	if err != nil {
		return op.Attr{}, err
	}
	name, text, has := strings.Cut(w.text, "=")
	spec, ok := o.Info.Spec(name)
	if !ok || has == (spec.Kind == op.Flag) {
		return op.Attr{}, p.fail(w, "%q is no attribute of %s", w.text, o.Info.Name)
	}
	a := op.Attr{Name: name}
	switch spec.Kind {
	case op.Enum:
		a.Text = text
		if text == "" {
			return a, p.fail(w, "%s has no value", name)
		}
	case op.Int:
		if a.Int, err = strconv.ParseInt(text, 10, 64); err != nil {
			return a, p.fail(w, "bad number %q", text)
		}
	}
	return a, nil
}
