package ptx

import (
	"math"
	"strconv"
	"strings"
)

// Constant expressions (manual 4.5): 64-bit integers, signed unless a literal has the suffix U, is too large, or a
// cast says so; and single floating-point literals.

// number is an integer during evaluation.
type number struct {
	v        uint64
	unsigned bool
}

// binary operators by precedence, loosest first, as in C.
var binaryLevels = [...][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

// constant reads a constant expression: Int, F32, F64 or WarpSize.
func (p *parser) constant() Operand {
	if p.at(tokIdent) && p.str() == "WARP_SZ" && !p.operatorFollows() {
		p.advance()
		return WarpSize{}
	}
	if f := p.floatLiteral(); f != nil {
		return f
	}
	n := p.binary(0)
	return Int{Value: int64(n.v), Unsigned: n.unsigned && n.v > math.MaxInt64}
}

// operatorFollows reports whether the token behind the next one continues an expression.
func (p *parser) operatorFollows() bool {
	for _, level := range binaryLevels {
		for _, op := range level {
			if p.peekIs(op) {
				return true
			}
		}
	}
	return false
}

// floatLiteral reads a floating-point literal with its sign, or nil if there is none.
func (p *parser) floatLiteral() Operand {
	negative := p.is("-")
	at := p.next
	if negative || p.is("+") {
		at++
	}
	if at >= len(p.src.tokens) || p.src.tokens[at].kind != tokNumber {
		return nil
	}
	text := p.src.str(p.src.tokens[at])
	f := parseFloat(text)
	if f == nil {
		return nil
	}
	p.next = at + 1
	if negative {
		switch x := f.(type) {
		case F32:
			return F32{x.Bits ^ 1<<31}
		case F64:
			return F64{x.Bits ^ 1<<63}
		}
	}
	return f
}

// parseFloat reads 0f and 0d bits and decimal literals (manual 4.5.2); nil for other text.
func parseFloat(text string) Operand {
	if len(text) == 10 && (strings.HasPrefix(text, "0f") || strings.HasPrefix(text, "0F")) {
		if v, err := strconv.ParseUint(text[2:], 16, 32); err == nil {
			return F32{uint32(v)}
		}
	}
	if len(text) == 18 && (strings.HasPrefix(text, "0d") || strings.HasPrefix(text, "0D")) {
		if v, err := strconv.ParseUint(text[2:], 16, 64); err == nil {
			return F64{v}
		}
	}
	if !strings.ContainsAny(text, ".eE") || len(text) > 1 && strings.IndexByte("xXbBfFdD", text[1]) >= 0 ||
		strings.Contains(text, "_") {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) {
		return nil
	}
	return F64{math.Float64bits(v)}
}

// parseInt reads an integer literal (manual 4.5.1).
func parseInt(text string) (number, bool) {
	digits := strings.TrimSuffix(text, "U")
	n := number{unsigned: len(digits) < len(text)}
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		digits, base = digits[2:], 16
	case strings.HasPrefix(digits, "0b"), strings.HasPrefix(digits, "0B"):
		digits, base = digits[2:], 2
	case len(digits) > 1 && digits[0] == '0':
		digits, base = digits[1:], 8
	}
	v, err := strconv.ParseUint(digits, base, 64)
	n.v = v
	n.unsigned = n.unsigned || v > math.MaxInt64
	return n, err == nil && !strings.HasPrefix(digits, "+")
}

func (p *parser) binary(level int) number {
	if level == len(binaryLevels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for !p.failed {
		t := p.tok()
		op := ""
		for _, o := range binaryLevels[level] {
			if p.accept(o) {
				op = o
				break
			}
		}
		if op == "" {
			break
		}
		y := p.binary(level + 1)
		if y.v == 0 && (op == "/" || op == "%") {
			p.refuse(t, ErrInvalid, "division by zero")
			y.v = 1
		}
		x = apply(op, x, y)
	}
	return x
}

func (p *parser) unary() number {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.syntax("expression nested too deeply")
		return number{}
	}
	switch {
	case p.accept("-"):
		n := p.unary()
		return number{-n.v, n.unsigned}
	case p.accept("+"):
		return p.unary()
	case p.accept("~"):
		n := p.unary()
		return number{^n.v, n.unsigned}
	case p.accept("!"):
		return truth(p.unary().v == 0)
	case p.accept("("):
		return p.parenthesis()
	}
	t := p.tok()
	if t.kind == tokIdent && p.str() == "WARP_SZ" {
		p.advance()
		return number{v: 32}
	}
	if t.kind != tokNumber {
		p.syntax("expected a constant")
		return number{}
	}
	n, ok := parseInt(p.str())
	if !ok {
		p.syntax("expected an integer of 64 bits")
		return number{}
	}
	p.advance()
	return n
}

// parenthesis reads what follows "(": a cast with its operand, or an expression.
func (p *parser) parenthesis() number {
	if unsigned := p.is(".u64"); unsigned || p.is(".s64") {
		p.advance()
		p.expect(")")
		return number{p.unary().v, unsigned}
	}
	n := p.binary(0)
	p.expect(")")
	return n
}

func truth(b bool) number {
	if b {
		return number{v: 1}
	}
	return number{}
}

// apply evaluates a binary operator. An operation is unsigned if an operand is, except that a shift goes by its left one.
func apply(op string, x, y number) number {
	u := x.unsigned || y.unsigned
	a, b := int64(x.v), int64(y.v)
	switch op {
	case "||":
		return truth(x.v != 0 || y.v != 0)
	case "&&":
		return truth(x.v != 0 && y.v != 0)
	case "|":
		return number{x.v | y.v, u}
	case "^":
		return number{x.v ^ y.v, u}
	case "&":
		return number{x.v & y.v, u}
	case "==":
		return truth(x.v == y.v)
	case "!=":
		return truth(x.v != y.v)
	case "<":
		return truth(u && x.v < y.v || !u && a < b)
	case ">":
		return truth(u && x.v > y.v || !u && a > b)
	case "<=":
		return truth(u && x.v <= y.v || !u && a <= b)
	case ">=":
		return truth(u && x.v >= y.v || !u && a >= b)
	case "<<":
		return number{x.v << y.v, x.unsigned}
	case ">>":
		if x.unsigned {
			return number{x.v >> y.v, true}
		}
		return number{uint64(a >> y.v), false}
	case "+":
		return number{x.v + y.v, u}
	case "-":
		return number{x.v - y.v, u}
	case "*":
		return number{x.v * y.v, u}
	case "/":
		if u {
			return number{x.v / y.v, u}
		}
		return number{uint64(a / b), u}
	}
	if u {
		return number{x.v % y.v, u}
	}
	return number{uint64(a % b), u}
}
