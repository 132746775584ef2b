package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseError is a syntax error in the text form.
type ParseError struct {
	Line, Column int
	Msg          string
}

func (e *ParseError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg) }

type tokenKind uint8

const (
	endToken tokenKind = iota
	newlineToken
	wordToken
	stringToken
	punctToken    // one of , ( ) { }
	positionToken // what follows a semicolon
)

type token struct {
	kind      tokenKind
	text      string
	line, col int
}

const punctuation = ",(){}"

// lex splits a kernel's text. Words are everything between blanks and punctuation: %3, f32*4, u32:7, rnd=rz.
func lex(text string) ([]token, error) {
	var list []token
	for n, line := range strings.Split(text, "\n") {
		row := lineLexer{text: strings.TrimSuffix(line, "\r"), line: n + 1}
		tokens, err := row.tokens()
		if err != nil {
			return nil, err
		}
		list = append(list, tokens...)
		if len(tokens) > 0 {
			list = append(list, token{kind: newlineToken, line: n + 1, col: len(line) + 1})
		}
	}
	return append(list, token{kind: endToken, line: strings.Count(text, "\n") + 1, col: 1}), nil
}

type lineLexer struct {
	text string
	line int
	at   int
}

func (l *lineLexer) tokens() ([]token, error) {
	var list []token
	for l.at < len(l.text) {
		start, c := l.at, l.text[l.at]
		t := token{line: l.line, col: start + 1}
		switch {
		case c == ' ' || c == '\t':
			l.at++
			continue
		case c == ';':
			t.kind, t.text = positionToken, strings.TrimSpace(l.text[start+1:])
			l.at = len(l.text)
		case strings.IndexByte(punctuation, c) >= 0:
			t.kind, t.text = punctToken, l.text[start:start+1]
			l.at++
		case c == '"':
			quoted, err := strconv.QuotedPrefix(l.text[start:])
			if err != nil {
				return nil, &ParseError{l.line, start + 1, "a string without end"}
			}
			t.kind = stringToken
			t.text, _ = strconv.Unquote(quoted)
			l.at += len(quoted)
		default:
			l.at += len(word1(l.text[start:]))
			t.kind, t.text = wordToken, l.text[start:l.at]
		}
		list = append(list, t)
	}
	return list, nil
}

func word1(s string) string {
	if i := strings.IndexAny(s, " \t;\""+punctuation); i > 0 {
		return s[:i]
	}
	return s
}

// parsePos reads what Pos.String writes; anything else is no position.
func parsePos(text string) Pos {
	var pos Pos
	for i, part := range strings.Split(text, " < ") {
		fields := strings.Fields(part)
		if len(fields) != min(i, 1)+1 {
			return nil
		}
		at := fields[len(fields)-1]
		colon := strings.LastIndexByte(at, ':')
		if colon < 1 {
			return nil
		}
		line, err := strconv.Atoi(at[colon+1:])
		if err != nil || line < 0 {
			return nil
		}
		if i > 0 {
			pos[i-1].Func = fields[0]
		}
		pos = append(pos, Frame{File: at[:colon], Line: line})
	}
	return pos
}
