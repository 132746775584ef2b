package mutate

import "github.com/oxideinfer/oxide/codegen/ptx"

// sharedAddresses returns the registers that addresses of shared memory, and matrix descriptors, are computed from.
func sharedAddresses(b *ptx.Block) map[*ptx.Reg]bool {
	var instrs []*ptx.Instr
	collect(b, &instrs)
	set := map[*ptx.Reg]bool{}
	for _, in := range instrs {
		if !in.Form.Has("shared") && !in.Form.Has("shared::cta") && !in.Form.Has("shared::cluster") && in.Form.Opcode() != "wgmma" {
			continue
		}
		for _, o := range in.Operands {
			if a, ok := o.(ptx.Addr); ok {
				o = a.Base
			} else if in.Form.Opcode() != "wgmma" {
				continue
			}
			if r, ok := o.(*ptx.Reg); ok {
				set[r] = true
			}
		}
	}
	for n := -1; n != len(set); {
		n = len(set)
		for _, in := range instrs {
			spread(in, set)
		}
	}
	return set
}

func collect(b *ptx.Block, out *[]*ptx.Instr) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ptx.Instr:
			*out = append(*out, s)
		case *ptx.Block:
			collect(s, out)
		}
	}
}

// spread adds the sources of an address computation.
func spread(in *ptx.Instr, set map[*ptx.Reg]bool) {
	switch in.Form.Opcode() {
	case "add", "sub", "mad", "shl", "or", "xor", "mov", "cvt", "selp":
	default:
		return
	}
	d, ok := in.Operands[0].(*ptx.Reg)
	if !ok || !set[d] {
		return
	}
	for _, o := range in.Operands[1:] {
		if r, ok := o.(*ptx.Reg); ok {
			set[r] = true
		}
	}
}
