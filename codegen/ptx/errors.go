package ptx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// The kinds of refusals, for errors.Is. A third one is isa.ErrUnmodelled: PTX that this project does not know.
var (
	ErrSyntax  = errors.New("syntax error")
	ErrInvalid = errors.New("invalid PTX")
)

// Error is one refusal with its place.
type Error struct {
	Pos
	Kind error  // ErrSyntax, ErrInvalid or isa.ErrUnmodelled
	Text string // the offending text, shortened
	Msg  string
	Err  error // what caused it, or nil
}

// Error is "line:col: kind: message: text".
func (e *Error) Error() string {
	s := ""
	if e.Line > 0 {
		s = fmt.Sprintf("%d:%d: ", e.Line, e.Col)
	}
	s += kindName(e.Kind) + ": " + e.Msg
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

func kindName(kind error) string {
	if kind == isa.ErrUnmodelled {
		return "unmodelled"
	}
	return kind.Error()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err != nil {
		return []error{e.Kind, e.Err}
	}
	return []error{e.Kind}
}

// ErrorList is all refusals of one text, in text order, at most a few.
type ErrorList []*Error

// maxErrors ends the search for more.
const maxErrors = 20

// Error joins the errors, one on a line.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors.
func (l ErrorList) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}

// shortText is the most characters of foreign text that a message quotes.
const shortText = 120

// shorten keeps quoted text to one short line.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.ToValidUTF8(s, "?")
	if r := []rune(s); len(r) > shortText {
		return string(r[:shortText-3]) + "..."
	}
	return s
}
