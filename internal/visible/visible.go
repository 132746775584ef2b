// Package visible makes text from outside fit for a terminal: file names, tensor names, records and messages of other programs may hold
// escape sequences that move the cursor, change colours or hide what was printed.
package visible

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text writes every rune that is not printable, but for line ends and tabs, as Go would in a string: \x1b, \u202e. Bytes that are no UTF-8
// become \xff.
func Text(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		if !hidden(r) {
			b.WriteString(s[i : i+size])
			continue
		}
		quoted := strconv.Quote(s[i : i+size])
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

func hidden(r rune) bool { return r == utf8.RuneError || r != '\n' && r != '\t' && !unicode.IsPrint(r) }

// Writer passes on what is written as Text. Each call of Write holds whole runes.
func Writer(w io.Writer) io.Writer { return &writer{w} }

type writer struct{ w io.Writer }

func (v *writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.w, Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
