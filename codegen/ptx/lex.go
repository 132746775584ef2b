package ptx

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// tokenKind is the class of a token.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokIdent            // name, %name, $name
	tokDot              // .word, .word::word
	tokNumber           // any numeric literal
	tokString           // "text"
	tokPunct            // one or two characters
)

// token is a piece of the source; its text is src[off:end].
type token struct {
	off, end int32
	kind     tokenKind
}

// maxSource bounds what Parse reads. The largest PTX of a single kernel library module is far below it.
const maxSource = 32 << 20

// source is the text with its tokens.
type source struct {
	text   string
	tokens []token
	lines  []int32 // offset of each line's first byte
}

// lex splits a text into tokens. Comments and space vanish.
func lex(text []byte) (*source, *Error) {
	if len(text) > maxSource {
		return nil, &Error{Kind: ErrSyntax, Msg: fmt.Sprintf("text has %d bytes, more than %d", len(text), maxSource)}
	}
	s := &source{text: string(text), lines: []int32{0}}
	for i, c := range text {
		if c == '\n' {
			s.lines = append(s.lines, int32(i+1))
		}
	}
	s.tokens = make([]token, 0, len(text)/4+1)
	for i := 0; ; {
		i = s.skipSpace(i)
		if i < 0 {
			return nil, s.lexError(len(text), len(text), "comment without end")
		}
		if i == len(s.text) {
			s.tokens = append(s.tokens, token{int32(i), int32(i), tokEOF})
			return s, nil
		}
		kind, end := s.scan(i)
		if end < 0 {
			return nil, s.lexError(i, i+1, lexProblem(s.text[i]))
		}
		s.tokens = append(s.tokens, token{int32(i), int32(end), kind})
		i = end
	}
}

func lexProblem(c byte) string {
	switch {
	case c == '"':
		return "string without end"
	case isDigit(c):
		return "bad number"
	}
	return "unexpected character"
}

func (s *source) lexError(off, end int, msg string) *Error {
	if off < len(s.text) && isDigit(s.text[off]) {
		end = wordEnd(s.text, off)
	}
	return &Error{Pos: s.pos(int32(off)), Kind: ErrSyntax, Text: shorten(s.text[off:min(end, len(s.text))]), Msg: msg}
}

// skipSpace returns the offset of the next token, or -1 for a comment without end.
func (s *source) skipSpace(i int) int {
	for i < len(s.text) {
		switch {
		case strings.IndexByte(" \t\r\n\f\v", s.text[i]) >= 0:
			i++
		case strings.HasPrefix(s.text[i:], "//"):
			n := strings.IndexByte(s.text[i:], '\n')
			if n < 0 {
				return len(s.text)
			}
			i += n
		case strings.HasPrefix(s.text[i:], "/*"):
			n := strings.Index(s.text[i+2:], "*/")
			if n < 0 {
				return -1
			}
			i += n + 4
		default:
			return i
		}
	}
	return i
}

// scan recognises the token at i and returns its end, -1 if there is none.
func (s *source) scan(i int) (tokenKind, int) {
	c := s.text[i]
	switch {
	case isWord(c) && !isDigit(c), c == '%' && i+1 < len(s.text) && isWord(s.text[i+1]):
		return tokIdent, wordEnd(s.text, i+1) // manual 4.4; a lone % is the remainder operator
	case c == '.':
		return tokDot, dotEnd(s.text, i)
	case isDigit(c):
		return tokNumber, numberEnd(s.text, i)
	case c == '"':
		n := strings.IndexAny(s.text[i+1:], "\"\n")
		if n < 0 || s.text[i+1+n] == '\n' {
			return tokString, -1
		}
		return tokString, i + n + 2
	}
	for _, two := range [...]string{"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"} {
		if strings.HasPrefix(s.text[i:], two) {
			return tokPunct, i + 2
		}
	}
	if strings.IndexByte("@!,;:{}[]()<>=+-*/%&|^~?", c) >= 0 {
		return tokPunct, i + 1
	}
	return tokPunct, -1
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
}

func wordEnd(s string, i int) int {
	for i < len(s) && isWord(s[i]) {
		i++
	}
	return i
}

// dotEnd is the end of .word or .word::word, -1 for a lone dot.
func dotEnd(s string, i int) int {
	end := wordEnd(s, i+1)
	if end == i+1 {
		return -1
	}
	for strings.HasPrefix(s[end:], "::") {
		next := wordEnd(s, end+2)
		if next == end+2 {
			break
		}
		end = next
	}
	return end
}

// numberEnd is the end of a numeric literal (manual 4.5), -1 for a malformed one.
func numberEnd(s string, i int) int {
	end := wordEnd(s, i)
	if strings.HasPrefix(s[i:], "0") && end > i+1 && strings.IndexByte("fFdDxXbB", s[i+1]) >= 0 {
		return end // the parser checks the digits
	}
	if end < len(s) && s[end] == '.' && end+1 < len(s) && isDigit(s[end+1]) {
		end = wordEnd(s, end+1)
	} else if end < len(s) && s[end] == '.' && !(end+1 < len(s) && isWord(s[end+1])) {
		end++
	}
	// An exponent's sign ends the word before it.
	if end < len(s) && (s[end] == '+' || s[end] == '-') && (s[end-1] == 'e' || s[end-1] == 'E') &&
		end+1 < len(s) && isDigit(s[end+1]) {
		end = wordEnd(s, end+1)
	}
	return end
}

// pos is the line and column of an offset.
func (s *source) pos(off int32) Pos {
	line := sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > off })
	return Pos{Line: line, Col: int(off-s.lines[line-1]) + 1}
}

// str is the text of a token.
func (s *source) str(t token) string { return s.text[t.off:t.end] }

// lineText is the rest of the line that starts at an offset, for error texts.
func (s *source) lineText(off int32) string {
	rest := s.text[off:]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	return shorten(string(bytes.TrimSpace([]byte(rest))))
}
