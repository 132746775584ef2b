package sasspage

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build"
	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
)

// The page's columns: mark, offset, instruction, Go line.
const (
	width       = 100
	sassColumn  = 8
	originWidth = 38
	sassWidth   = width - sassColumn - originWidth - 1
)

// Write prints one kernel.
func Write(w io.Writer, k *build.Inspected) error {
	out := bufio.NewWriter(w)
	header(out, k)
	previous := ""
	for i := range k.Instructions {
		previous = instruction(out, k, i, previous)
	}
	return out.Flush()
}

func header(out *bufio.Writer, k *build.Inspected) {
	r := k.Row.Resources
	fmt.Fprintf(out, "%s\n", k.Kernel.Name())
	fmt.Fprintf(out, "  entry       %s\n", k.Kernel.Entry)
	fmt.Fprintf(out, "  declared    %s (%s)\n", k.Kernel.Declared, k.Kernel.Symbol)
	released := "the released one"
	if !k.Released {
		released = "assembled for this page: gen/ has no current one"
	}
	fmt.Fprintf(out, "  cubin       %s, %s\n", k.Row.CubinSHA256[:16], released)
	fmt.Fprintf(out, "  ptxas       %s %s\n", k.Row.Ptxas, strings.Join(k.Row.Flags, " "))
	fmt.Fprintf(out, "  registers   %d%s\n", r.Registers, budget(k.Row.Declares.MaxRegisters))
	fmt.Fprintf(out, "  shared      %d B static, %d B dynamic\n", r.StaticSharedBytes, k.Row.Launch.DynamicSharedBytes)
	fmt.Fprintf(out, "  barriers    %d\n", r.Barriers)
	if o, err := k.Row.Occupancy(); err == nil {
		fmt.Fprintf(out, "  occupancy   %d threads: %s\n", k.Row.Threads(), o)
	} else {
		fmt.Fprintf(out, "  occupancy   %v\n", err)
	}
	c := count(k.Instructions)
	fmt.Fprintf(out, "  spills      %d B stored, %d B loaded; %d instructions\n", r.SpillStoreBytes, r.SpillLoadBytes, c.spills)
	fmt.Fprintf(out, "  stack       %d B; %d other local memory instructions\n", r.StackBytes, c.local)
	if c.wgmma > 0 {
		fmt.Fprintf(out, "  wgmma       %d instructions, %d arrives, %d waits\n", c.wgmma, c.arrives, c.waits)
	}
	fmt.Fprintf(out, "  code        %d instructions: %s\n", len(k.Instructions), c.mix())
	for _, d := range k.Row.Log {
		fmt.Fprintf(out, "  ptxas said  %s\n", d)
	}
	fmt.Fprintf(out, "\n%s\n", strings.TrimRight(fmt.Sprintf("%*s%-*s %s", sassColumn, "", sassWidth, "SASS   (S spill, L local memory)", "Go line < caller"), " "))
}

func budget(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" of %d declared", n)
}

// instruction prints one line, and more where text or helper chain is long; it returns the chain.
func instruction(out *bufio.Writer, k *build.Inspected, i int, previous string) string {
	in := k.Instructions[i]
	if in.Label != "" {
		fmt.Fprintf(out, "%s:\n", in.Label)
	}
	origin := chain(k.Frames(in))
	shown := wrap(origin, originWidth)
	if origin == previous {
		shown = nil // the line above says it
	}
	text := wrap(in.Text, sassWidth-2)
	for j := 0; j < max(len(text), len(shown), 1); j++ {
		head := strings.Repeat(" ", sassColumn)
		if j == 0 {
			head = fmt.Sprintf("%c %05x ", mark(in), in.Offset)
		}
		line := fmt.Sprintf("%s%-*s %s", head, sassWidth, part(text, j), part(shown, j))
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	return origin
}

func part(lines []string, i int) string {
	switch {
	case i >= len(lines):
		return ""
	case i > 0:
		return "  " + lines[i]
	}
	return lines[i]
}

func mark(in cubin.Instruction) byte {
	switch {
	case in.Spill():
		return 'S'
	case in.Local():
		return 'L'
	}
	return ' '
}

// chain is "reduce.go:27 < rmsnorm.go:41".
func chain(frames []bundle.Frame) string {
	parts := make([]string, len(frames))
	for i, f := range frames {
		parts[i] = fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
	}
	return strings.Join(parts, " < ")
}

// wrap splits text at spaces into lines of at most n columns; continuation lines are indented by two when printed.
func wrap(text string, n int) []string {
	if text == "" {
		return nil
	}
	var lines []string
	for len(text) > n {
		at := strings.LastIndexByte(text[:n+1], ' ')
		if at <= 0 {
			at = n
		}
		lines = append(lines, strings.TrimRight(text[:at], " "))
		text = strings.TrimLeft(text[at:], " ")
		if len(lines) == 1 {
			n -= 2
		}
	}
	return append(lines, text)
}
