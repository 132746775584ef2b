package ir

import "strings"

// Finding is one mistake in a kernel. Codes are stable names.
type Finding struct {
	Code   string
	Pos    Pos
	Op     string // the op as text, empty when there is none
	Msg    string
	Fix    string
	Manual string // PTX ISA section
}

// String gives two lines: position, code and message; fix and manual section.
func (f Finding) String() string {
	var b strings.Builder
	if len(f.Pos) > 0 {
		b.WriteString(f.Pos.String())
		b.WriteString(": ")
	}
	b.WriteString(f.Code + ": " + f.Msg)
	if f.Op != "" {
		b.WriteString("\n\top:  " + f.Op)
	}
	if f.Fix != "" {
		b.WriteString("\n\tfix: " + f.Fix)
	}
	if f.Manual != "" {
		b.WriteString("\n\tPTX ISA " + f.Manual)
	}
	return b.String()
}

// Findings is the error of Build: every mistake at once, in the order of the kernel's text.
type Findings []Finding

// Error lists every finding.
func (f Findings) Error() string {
	parts := make([]string, len(f))
	for i, x := range f {
		parts[i] = x.String()
	}
	return strings.Join(parts, "\n")
}

// abort carries a finding out of a kernel function whose values belong to no kernel under construction.
type abort struct{ finding Finding }

func (k *Kernel) report(f Finding) { k.findings = append(k.findings, f) }
