package visible

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for from, want := range map[string]string{
		"":                            "",
		"8192×4096 µs\n\tok":          "8192×4096 µs\n\tok",
		"\x1b[31mred\x1b[0m":          `\x1b[31mred\x1b[0m`,
		"over\rwritten\b":             `over\rwritten\b`,
		"bell\a null\x00 del\x7f":     `bell\a null\x00 del\x7f`,
		"c1 \u009b31m bidi \u202eabc": `c1 \u009b31m bidi \u202eabc`,
		"no utf-8 \xff\xfe":           `no utf-8 \xff\xfe`,
		"\ufffd":                      "\ufffd",
		`quotes " and \ stay`:         `quotes " and \ stay`,
		"\x1b and \"quoted\" ∞":       "\\x1b and \"quoted\" ∞",
	} {
		if got := Text(from); got != want {
			t.Errorf("%q: got %q, want %q", from, got, want)
		}
	}
}

func TestWriter(t *testing.T) {
	var b strings.Builder
	if n, err := fmt.Fprintf(Writer(&b), "%s\n", "a\x1bb"); n != 4 || err != nil || b.String() != "a\\x1bb\n" {
		t.Errorf("%d, %v, %q", n, err, b.String())
	}
	if _, err := Writer(broken{}).Write([]byte("x")); err == nil {
		t.Error("an error was lost")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }
