package driver

import (
	"strings"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/linemap"
	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/pass"
)

// describe lowers a verified kernel and collects everything that oxidegen needs about it.
func describe(e Entry, inst ir.Instance, k *ir.Kernel, opt options) (bundle.Kernel, error) {
	out := bundle.Kernel{
		Package: e.Package, Symbol: e.Symbol, Declared: e.frame(),
		Algorithm: inst.Algorithm, Doc: strings.TrimSpace(inst.Doc), Variant: inst.Variant, Target: string(inst.Target), Entry: inst.Entry,
		Contract: contract(k), Declares: declares(k),
	}
	if opt.ir {
		out.IR = k.String()
	}
	record := func(name string) {
		if opt.passes {
			out.Passes = append(out.Passes, bundle.Pass{Name: name, Text: k.String()})
		}
	}
	record("built")
	pass.Optimise(k, func(p pass.Pass) { record(p.Name) })
	res, err := lower.Kernel(k)
	if err != nil {
		return out, err
	}
	text, lines := ptx.Print(res.Module)
	out.PTX = string(text)
	out.Map = string(linemap.New(positions(res, lines)).Encode())
	return out, nil
}

// positions joins what the lowering knows (instruction and op) with what the printer knows (instruction and line).
func positions(res *lower.Result, lines []ptx.Line) []linemap.Position {
	at := make(map[*ptx.Instr]ir.Pos, len(res.Positions))
	for _, p := range res.Positions {
		if p.Op != nil {
			at[p.Instr] = p.Op.Pos
		}
	}
	var all []linemap.Position
	for _, l := range lines {
		if pos := at[l.Instr]; len(pos) > 0 {
			all = append(all, linemap.Position{Line: l.Line, Frames: frames(pos)})
		}
	}
	return all
}
