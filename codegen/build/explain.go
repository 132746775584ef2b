package build

import (
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
)

// explain turns what the assembler found wrong with one kernel into problems. PTX lines become Go lines.
func explain(k *bundle.Kernel, err error, src sources) Problems {
	base := Problem{Package: k.Package, Algorithm: k.Algorithm, Variant: k.Variant, Target: k.Target, Pos: src.pos(k.Declared)}
	lines := k.Lines()
	at := func(line int) Problem {
		p := base
		if frames := lines.Frames(line); line > 0 && len(frames) > 0 {
			p.Pos, p.Via = src.chain(frames)
		}
		return p
	}
	var problems Problems
	var rejected *cubin.AssembleError
	if errors.As(err, &rejected) {
		problems = rejections(k, rejected, at)
	}
	for _, e := range flatten(err) {
		if warning, ok := e.(*cubin.WarningError); ok {
			p := at(warning.Diagnostic.Line)
			p.Code, p.Message = "PTXAS_WARNING", fmt.Sprintf("ptxas %s: %s", warning.Diagnostic.Code, warning.Diagnostic.Text)
			p.Fix = "change the kernel, or declare " + warning.Diagnostic.Code + " in its contract and say why it is harmless"
			problems = append(problems, p)
		} else if code, fix := overuse(k, e); code != "" {
			p := base
			p.Code, p.Message, p.Fix = code, e.Error(), fix
			problems = append(problems, p)
		}
	}
	return problems
}

// rejections lists what ptxas refuses. "Assembly aborted" adds nothing to the messages before it.
func rejections(k *bundle.Kernel, rejected *cubin.AssembleError, at func(line int) Problem) Problems {
	var problems Problems
	for _, d := range rejected.Diagnostics {
		if d.Severity != cubin.Error && d.Severity != cubin.Fatal || d.Line == 0 && len(rejected.Diagnostics) > 1 {
			continue
		}
		p := at(d.Line)
		p.Code, p.Message = "PTXAS", fmt.Sprintf("ptxas %s: %s", d.Severity, d.Text)
		if text := ptxLine(k.PTX, d.Line); text != "" {
			p.Message += fmt.Sprintf("\n\tPTX line %d: %s", d.Line, text)
		}
		problems = append(problems, p)
	}
	if len(problems) == 0 { // ptxas ended without naming a line
		p := at(0)
		p.Code, p.Message = "PTXAS", rejected.Error()
		problems = append(problems, p)
	}
	return problems
}

// overuse names the code of an error about resources, and what to do.
func overuse(k *bundle.Kernel, err error) (code, fix string) {
	switch err.(type) {
	case *cubin.SpillError:
		return "SPILL", "see where: oxidegen -dump-sass " + k.Algorithm + "; use fewer live values, or declare the spills in the contract and say why they are right"
	case *cubin.StackError:
		return "STACK", "unroll so that every index is a build value, or declare the stack in the contract and say why it is right"
	case *cubin.RegisterError:
		return "REGISTERS", "raise the budget or use fewer live values"
	}
	return "", ""
}

// flatten lists the leaves of joined errors.
func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, flatten(e)...)
		}
		return all
	}
	return []error{err}
}
