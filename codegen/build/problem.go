package build

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// Problem is one mistake in somebody's source, with the Go line that made it. Code is a stable name: those of the
// IR verifier, and of this package:
//
//	COMPILE          the package does not compile
//	NO_KERNEL        nothing under the patterns declares a kernel
//	NOT_A_KERNEL     something looks like a kernel and is declared wrongly
//	NOT_EXPORTED     an algorithm that the driver program cannot see
//	KERNEL_IN_MAIN   an algorithm in package main
//	DUPLICATE_NAME   two kernels, variants or entries of one name
//	BAD_NAME         a name from which no Go can be generated
//	PARAMS_DIFFER    variants of one algorithm with different parameters
//	NO_VARIANT       an algorithm without variants
//	LOWERING         the lowering cannot express the kernel
//	PTXAS            ptxas refuses the text
//	PTXAS_WARNING    an undeclared message about serialised or altered asynchronous work
//	SPILL, STACK     undeclared spills, an undeclared stack frame
//	REGISTERS        more registers than the declared budget
type Problem struct {
	Code      string
	Pos       Pos
	Via       []Pos // callers of the helper at Pos, innermost first
	Package   string
	Algorithm string
	Variant   string
	Target    string
	Message   string
	Fix       string
	Manual    string
}

// Pos is a place in Go source. File is a path that can be opened when the source is on this machine.
type Pos struct {
	File string
	Line int
	Func string
}

func (p Pos) String() string {
	if p.File == "" {
		return ""
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

func position(p token.Position) Pos { return Pos{File: relative(p.Filename), Line: p.Line} }

// Error gives the place first, as compilers do, so that editors can jump there.
func (p Problem) Error() string {
	var b strings.Builder
	if at := p.Pos.String(); at != "" {
		b.WriteString(at)
		b.WriteString(p.via())
		b.WriteString(": ")
	}
	b.WriteString(p.Code + ": ")
	if p.Algorithm != "" {
		b.WriteString(p.Algorithm)
		if p.Variant != "" {
			b.WriteString("/" + p.Variant)
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	if p.Fix != "" {
		b.WriteString("\n\tfix: " + p.Fix)
	}
	if p.Manual != "" {
		b.WriteString("\n\t" + p.Manual)
	}
	return b.String()
}

// via names the helper chain, like " (warpSum, from rmsnorm.go:41)".
func (p Problem) via() string {
	if len(p.Via) == 0 {
		return ""
	}
	parts := make([]string, len(p.Via))
	for i, v := range p.Via {
		parts[i] = fmt.Sprintf("from %s:%d", filepath.Base(v.File), v.Line)
	}
	return fmt.Sprintf(" (%s, %s)", p.Pos.Func, strings.Join(parts, ", "))
}

// Problems is a list of mistakes; all of them are found before any is reported.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single Problem.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		if c := strings.Compare(a.Pos.File, b.Pos.File); c != 0 {
			return c
		}
		return a.Pos.Line - b.Pos.Line
	})
	return ps
}

// compileProblem turns an error of go/packages into a Problem.
func compileProblem(pkg string, e packages.Error) Problem {
	p := Problem{Code: "COMPILE", Package: pkg, Message: e.Msg}
	parts := strings.Split(e.Pos, ":")
	if len(parts) >= 2 {
		if line, err := strconv.Atoi(parts[1]); err == nil {
			p.Pos = Pos{File: relative(parts[0]), Line: line}
		}
	}
	p.Fix = compileFix(e.Msg)
	return p
}

// mixedTypes matches the compiler's words for a device value of one type where another is wanted.
var mixedTypes = regexp.MustCompile(`of struct type ir\.(\w+)\) as ir\.(\w+) value`)

// compileFix says what the compiler cannot know about a mistake: the rules of the kernel language.
func compileFix(msg string) string {
	if strings.Contains(msg, "ir.Kernel") && strings.Contains(msg, "func(") {
		return "a kernel is a func(k *ir.Kernel, v V) without results, where V is the variant type of its ir.Algorithm[V]"
	}
	if m := mixedTypes.FindStringSubmatch(msg); m != nil {
		return fmt.Sprintf("device values never change type by themselves: x.ConvertTo%[2]s() converts; go doc ir.%[1]s lists what there is",
			m[1], m[2])
	}
	return ""
}

// relative shortens a path below the working directory.
func relative(path string) string {
	wd, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func dirOf(file string) string { return filepath.Dir(file) }

// sources finds files of traced positions on this machine: their names begin with a module or package path.
type sources []Module

func (s sources) pos(f bundle.Frame) Pos {
	for _, m := range s {
		if rest, ok := strings.CutPrefix(f.File, m.Path+"/"); ok && m.Dir != "" {
			return Pos{File: relative(filepath.Join(m.Dir, filepath.FromSlash(rest))), Line: f.Line, Func: f.Func}
		}
	}
	return Pos{File: f.File, Line: f.Line, Func: f.Func}
}

// problem converts a failure of the driver program.
func (s sources) problem(f bundle.Failure) Problem {
	p := Problem{Code: f.Code, Package: f.Package, Algorithm: f.Algorithm, Variant: f.Variant, Target: f.Target,
		Message: f.Message, Fix: f.Fix, Manual: f.Manual}
	p.Pos, p.Via = s.chain(f.Frames)
	return p
}

func (s sources) chain(frames []bundle.Frame) (pos Pos, via []Pos) {
	for i, f := range frames {
		if i == 0 {
			pos = s.pos(f)
		} else {
			via = append(via, s.pos(f))
		}
	}
	return pos, via
}
