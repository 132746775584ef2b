package cubin

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Severity is ptxas's own word for a message.
type Severity string

// The severities that ptxas prints. Performance losses of wgmma come as info, not as warning.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
	Fatal   Severity = "fatal"
)

// Diagnostic is one message of ptxas. Line is a line of the PTX text, 0 where the message names none.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code,omitempty"` // like C7510
	Line     int      `json:"line,omitempty"`
	Text     string   `json:"text"`
}

func (d Diagnostic) String() string {
	s := string(d.Severity)
	if d.Line > 0 {
		s = fmt.Sprintf("line %d: %s", d.Line, s)
	}
	if d.Code != "" {
		s += " " + d.Code
	}
	return s + ": " + d.Text
}

var (
	message    = regexp.MustCompile(`^ptxas (?:(.*), line (\d+); )?(info|warning|error|fatal)\s*: (.*)$`)
	codePrefix = regexp.MustCompile(`^\((C\d+)\) (.*)$`)
	aroundLine = regexp.MustCompile(`\baround line (\d+)\b`)
)

// parseLog reads what ptxas wrote to stderr. A line that begins no message continues the one before it.
func parseLog(log string) []Diagnostic {
	var all []Diagnostic
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		m := message.FindStringSubmatch(line)
		switch {
		case m != nil:
			all = append(all, newDiagnostic(m))
		case strings.TrimSpace(line) == "":
		case len(all) > 0:
			all[len(all)-1].Text += "\n" + strings.TrimSpace(line)
		default: // the dynamic loader or a crash: keep it, it explains the exit status
			all = append(all, Diagnostic{Severity: Error, Text: line})
		}
	}
	return all
}

func newDiagnostic(m []string) Diagnostic {
	d := Diagnostic{Severity: Severity(m[3]), Text: m[4]}
	d.Line, _ = strconv.Atoi(m[2]) // the expression admits digits only; empty is 0
	if c := codePrefix.FindStringSubmatch(d.Text); c != nil {
		d.Code, d.Text = c[1], c[2]
	}
	if a := aroundLine.FindStringSubmatch(d.Text); d.Line == 0 && a != nil {
		d.Line, _ = strconv.Atoi(a[1])
	}
	return d
}

// AssembleError says that ptxas refused the text. Diagnostics keep its lines, so that a caller who knows where the
// PTX came from can name the place.
type AssembleError struct {
	Target      string
	Diagnostics []Diagnostic
}

func (e *AssembleError) Error() string {
	var lines []string
	for _, d := range e.Diagnostics {
		if d.Severity == Error || d.Severity == Fatal {
			lines = append(lines, d.String())
		}
	}
	return fmt.Sprintf("ptxas for %s: %s", e.Target, strings.Join(lines, "\n\t"))
}
