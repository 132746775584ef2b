package mutate

import "github.com/oxideinfer/oxide/codegen/ptx"

// idle reports whether no lane of the warp touches memory with ordinary instructions on any path that leads to a warp
// barrier, since the barrier before it: then there is nothing that it orders.
func (f *finder) idle(in *ptx.Instr) bool {
	list := f.block.Stmts
	jumps := map[*ptx.Label][]int{}
	for i, s := range list {
		switch b := s.(type) {
		case *ptx.Block:
			return false
		case *ptx.Instr:
			if b.Form.Opcode() == "brx" || b.Form.Opcode() == "call" {
				return false
			}
			if l, ok := target(b); ok {
				jumps[l] = append(jumps[l], i)
			}
		}
	}
	seen := make([]bool, len(list))
	work := f.before(index(f.block, in), jumps)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		if o, ok := list[i].(*ptx.Instr); ok {
			if synchronises(o) {
				continue
			}
			if touches(o) {
				return false
			}
		}
		work = append(work, f.before(i, jumps)...)
	}
	return true
}

// before lists the statements that control comes from.
func (f *finder) before(i int, jumps map[*ptx.Label][]int) []int {
	var out []int
	if l, ok := f.block.Stmts[i].(*ptx.Label); ok {
		out = append(out, jumps[l]...)
	}
	if i == 0 {
		return out
	}
	if p, ok := f.block.Stmts[i-1].(*ptx.Instr); ok && p.Guard.Reg == nil {
		switch p.Form.Opcode() {
		case "bra", "ret", "exit", "trap":
			return out
		}
	}
	return append(out, i-1)
}

func target(in *ptx.Instr) (*ptx.Label, bool) {
	if in.Form.Opcode() != "bra" {
		return nil, false
	}
	l, ok := in.Operands[0].(*ptx.Label)
	return l, ok
}

func synchronises(in *ptx.Instr) bool {
	return (in.Form.Opcode() == "bar" || in.Form.Opcode() == "barrier") && !in.Form.Has("arrive")
}

// touches reports an access to memory that the lanes of a warp make themselves.
func touches(in *ptx.Instr) bool {
	switch in.Form.Opcode() {
	case "ld", "st", "atom", "red", "ldmatrix", "stmatrix", "cp":
		return !in.Form.Has("param")
	}
	return false
}
