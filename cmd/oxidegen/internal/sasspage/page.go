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
	root := commonRoot(k)
	header(out, k, chain(root))
	previous, end := "", padding(k.Instructions)
	for _, in := range k.Instructions[:end] {
		frames := k.Frames(in)
		if len(frames) > len(root) {
			frames = frames[:len(frames)-len(root)]
		}
		previous = instruction(out, in, chain(frames), previous)
	}
	if n := len(k.Instructions) - end; n > 0 {
		fmt.Fprintf(out, "%*s%d NOP of padding\n", sassColumn, "", n)
	}
	return out.Flush()
}

// padding is where the NOPs at the end begin: ptxas fills the code up to its alignment.
func padding(list []cubin.Instruction) int {
	end := len(list)
	for end > 0 && list[end-1].Opcode() == "NOP" {
		end--
	}
	return end
}

// commonRoot is the outermost frames that all instructions share, such as the function literal in the declaration:
// the page says them once. It never is a whole chain.
func commonRoot(k *build.Inspected) []bundle.Frame {
	var root []bundle.Frame
	first := true
	for _, in := range k.Instructions {
		frames := k.Frames(in)
		switch {
		case len(frames) == 0:
		case first:
			root, first = frames[1:], false
		default:
			n := 0
			for n < len(root) && n < len(frames)-1 && root[len(root)-1-n] == frames[len(frames)-1-n] {
				n++
			}
			root = root[len(root)-n:]
		}
	}
	return root
}

func header(out *bufio.Writer, k *build.Inspected, root string) {
	r := k.Row.Resources
	fact := func(name, format string, args ...any) {
		for i, line := range wrap(fmt.Sprintf(format, args...), width-14) {
			if i > 0 {
				name, line = "", "  "+line
			}
			fmt.Fprintf(out, "  %-11s %s\n", name, line)
		}
	}
	fmt.Fprintf(out, "%s\n", k.Kernel.Name())
	fact("entry", "%s", k.Kernel.Entry)
	fact("declared", "%s (%s)", k.Kernel.Declared, k.Kernel.Symbol)
	released := "the released one"
	if !k.Released {
		released = "assembled for this page: gen/ has no current one"
	}
	fact("cubin", "%.16s, %s", k.Row.CubinSHA256, released)
	fact("ptxas", "%s %s", k.Row.Ptxas, strings.Join(k.Row.Flags, " "))
	fact("registers", "%d%s", r.Registers, budget(k.Row.Declares.MaxRegisters))
	fact("shared", "%d B static, %d B dynamic", r.StaticSharedBytes, k.Row.Launch.DynamicSharedBytes)
	fact("barriers", "%d", r.Barriers)
	if o, err := k.Row.Occupancy(); err == nil {
		fact("occupancy", "%d threads: %s", k.Row.Threads(), o)
	} else {
		fact("occupancy", "%v", err)
	}
	c := count(k.Instructions)
	fact("spills", "%d B stored, %d B loaded; %d instructions", r.SpillStoreBytes, r.SpillLoadBytes, c.spills)
	fact("stack", "%d B; %d other local memory instructions", r.StackBytes, c.local)
	if c.wgmma > 0 {
		fact("wgmma", "%d instructions, %d arrives, %d waits", c.wgmma, c.arrives, c.waits)
	}
	fact("code", "%d instructions: %s", padding(k.Instructions), c.mix())
	if root != "" {
		fact("called from", "%s", root)
	}
	for _, d := range k.Row.Log {
		fact("ptxas said", "%s", d)
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
func instruction(out *bufio.Writer, in cubin.Instruction, origin, previous string) string {
	if in.Label != "" {
		fmt.Fprintf(out, "%s:\n", in.Label)
	}
	shown := wrapChain(origin, originWidth)
	switch {
	case origin == previous:
		shown = nil // the line above says it
	case origin == "":
		shown = []string{"-"}
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

// wrapChain wraps a chain after its arrows, never before.
func wrapChain(text string, n int) []string {
	lines := wrap(strings.ReplaceAll(text, " <", "\x00<"), n)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "\x00<", " <")
	}
	return lines
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
