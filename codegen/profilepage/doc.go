// Package profilepage shows what a kernel did beside the Go lines that it came from: as text, as a self-contained HTML page,
// and as JSON.
//
// An instruction counts at the innermost line of the kernel's own package that led to it: what a helper of another package does
// stands at its call. Counts of lines are means a block.
package profilepage
