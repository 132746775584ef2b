package driver

import (
	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// contract lays out the parameters and collects what a launch must keep.
func contract(k *ir.Kernel) bundle.Contract {
	c := k.Contract
	out := bundle.Contract{
		Block: fill(c.Block), MaxThreads: c.Threads(), Cluster: fill(c.Cluster),
		DynamicSharedBytes: c.DynamicSharedBytes, MaxDynamicSharedBytes: c.DynamicSharedBytes,
		ProgrammaticLaunch: c.ProgrammaticLaunch, Params: []bundle.Param{},
	}
	reads, writes := k.Access()
	for i, p := range k.Params {
		b := param(p, reads[i], writes[i])
		// Parameters stand one after the other at their natural alignment (manual 7.1: the layout of a C struct).
		_, natural := p.Layout()
		b.Offset = align(out.ParamBytes, natural)
		out.ParamBytes = b.Offset + b.Size
		out.Params = append(out.Params, b)
	}
	return out
}

// param describes a parameter. What a pointer is used for is what the kernel does with it, not what it was declared for.
func param(p *ir.ParamDecl, reads, writes bool) bundle.Param {
	size, natural := p.Layout()
	b := bundle.Param{Name: p.Name, Type: p.Type.Kind.String(), Size: size, Align: natural}
	if p.Type.Kind == op.Ptr {
		b.Pointer, b.Type, b.Align = true, p.Type.Elem.String(), max(p.Align, p.Type.Elem.Bytes())
	}
	if p.Type.Kind == op.Ptr || p.Type.Kind == op.TensorMap {
		b.Access = access(reads, writes)
	}
	if p.Box != nil {
		b.Box = &bundle.Box{Elem: p.Box.Elem.String(), Dims: p.Box.Dims, Promotion: p.Box.Promotion, FillNaN: p.Box.FillNaN}
		if p.Box.Swizzle != ir.NoSwizzle {
			b.Box.Swizzle = string(p.Box.Swizzle)
		}
	}
	return b
}

// access is what a kernel does with the memory behind a parameter.
func access(reads, writes bool) string {
	switch {
	case reads && writes:
		return "read-write"
	case writes:
		return "write"
	}
	return "read"
}

func declares(k *ir.Kernel) bundle.Declares {
	c := k.Contract
	return bundle.Declares{SpillStoreBytes: c.AllowSpillBytes, SpillLoadBytes: c.AllowSpillBytes, StackBytes: c.AllowStackBytes,
		LocalReason: c.Why, MaxRegisters: c.MaxRegisters}
}

// fill writes the ones that a contract may leave out; all zero stays zero and means none.
func fill(d [3]int) [3]int {
	if d == [3]int{} {
		return d
	}
	return [3]int{max(d[0], 1), max(d[1], 1), max(d[2], 1)}
}

func align(n, to int) int { return (n + to - 1) / to * to }

// undeclaredWrites are the parameters that the kernel writes through without saying so: who reads the declaration, or
// shares the memory, must be able to rely on it.
func undeclaredWrites(k *ir.Kernel) ir.Findings {
	var all ir.Findings
	_, writes := k.Access()
	for i, p := range k.Params {
		if writes[i] && !p.Writes {
			all = append(all, ir.Finding{Code: "UNDECLARED_WRITE", Pos: p.Pos, Msg: "the kernel writes through parameter " + p.Name + ", which is not declared for it",
				Fix: "declare the parameter with ir.Writes"})
		}
	}
	return all
}
