package build

import "strings"

// ptxLine returns one line of a text, trimmed; empty if there is none.
func ptxLine(text string, line int) string {
	n := 0
	for l := range strings.Lines(text) {
		if n++; n == line {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

// snake turns OxideSm90SimtRMSNorm into oxide_sm90_simt_rms_norm.
func snake(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if isUpper(c) {
			startsWord := i > 0 && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1]))
			if startsWord && b.Len() > 0 && name[i-1] != '_' {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// exported turns num_rows or numRows into NumRows.
func exported(name string) string {
	var b strings.Builder
	up := true
	for i := range len(name) {
		c := name[i]
		if c == '_' {
			up = true
			continue
		}
		if up && isLower(c) {
			c -= 'a' - 'A'
		}
		up = false
		b.WriteByte(c)
	}
	return b.String()
}
