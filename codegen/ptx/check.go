package ptx

import (
	"fmt"
	"math"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// fill assigns the operands of an instruction to the positions of its form and checks each.
func (p *parser) fill(in *Instr, start token, raw []rawOperand) {
	kinds := make([]isa.Kind, len(raw))
	for i := range raw {
		kinds[i] = kindOf(raw[i].op)
	}
	place, err := in.Form.Assign(kinds)
	if err != nil {
		p.refuseErr(&Error{Pos: in.Pos, Kind: ErrInvalid, Text: p.src.lineText(start.off), Msg: err.Error()})
		return
	}
	slots := in.Form.Operands()
	for i, at := range place {
		for len(in.Operands) <= at {
			in.Operands = append(in.Operands, nil)
		}
		s := &slots[at]
		in.Operands[at] = convert(s, raw[i].op)
		msg := ""
		if s.Pair != raw[i].pair {
			msg = "comma and | confused"
		} else {
			msg = checkOperand(s, in.Operands[at])
		}
		if msg != "" {
			p.refuse(raw[i].tok, ErrInvalid, "operand %s of %s: %s", s.Name, in.Form, msg)
		}
	}
}

// kindOf is the kind of an operand by itself.
func kindOf(op Operand) isa.Kind {
	switch op := op.(type) {
	case Int, F32, F64, WarpSize:
		return isa.KindImm
	case SReg:
		return isa.KindSReg
	case Vec:
		return isa.KindVec
	case List:
		return isa.KindList
	case Addr:
		if op.Coords != nil {
			return isa.KindTensor
		}
		return isa.KindAddr
	case Sym:
		if _, ok := op.Of.(*Func); ok {
			return isa.KindFunc
		}
		return isa.KindSym
	case *Label:
		return isa.KindLabel
	case *BranchTargets:
		return isa.KindTable
	case *CallTargets, *CallPrototype:
		return isa.KindProto
	}
	return isa.KindReg
}

// convert gives an operand the shape of its position. A floating-point constant takes its format, because a decimal
// literal is double until then; {r} is r where no vector is meant.
func convert(s *isa.Slot, op Operand) Operand {
	switch c := op.(type) {
	case Vec:
		if len(c) == 1 && s.Kind&isa.KindVec == 0 {
			return convert(s, c[0])
		}
	case F64:
		if s.Type == isa.F32 {
			return Float32(float32(math.Float64frombits(c.Bits)))
		}
	case F32:
		if s.Type == isa.F64 {
			return Float64(float64(math.Float32frombits(c.Bits)))
		}
	}
	return op
}

// checkOperand returns what is wrong with an operand at a position, or "".
func checkOperand(s *isa.Slot, op Operand) string {
	switch op := op.(type) {
	case Sink:
		// The instruction table does not list every place where "_" may stand; an input is never one of them.
		if s.Dir == isa.Use && !s.Sink {
			return "_ is no input"
		}
		return ""
	case Not:
		if !s.Negate {
			return "! is not allowed"
		}
		return checkReg(s, op.Reg)
	case *Reg:
		if s.SinkOnly {
			return "only _ is allowed"
		}
		if s.Kind&(isa.KindReg|isa.KindFunc) == 0 {
			return "wants " + s.Kind.String() + ", not register"
		}
		return checkReg(s, op)
	}
	k := kindOf(op)
	if k == isa.KindFunc && s.Kind&isa.KindSym != 0 {
		return "" // the address of a function
	}
	if s.Kind&k == 0 {
		return "wants " + s.Kind.String() + ", not " + k.String()
	}
	switch op := op.(type) {
	case Vec:
		return checkVec(s, op)
	case Addr:
		return checkAddr(s, op)
	}
	return ""
}

func checkReg(s *isa.Slot, r *Reg) string {
	if r == nil || s.Type == isa.NoType || s.OrPred && r.Type() == isa.Pred {
		return ""
	}
	if s.N > 0 && s.Kind&isa.KindReg != 0 {
		// Where a matrix fragment may stand, a register is a matrix descriptor (manual 9.7.15.5).
		if r.Type().Bits() != 64 {
			return fmt.Sprintf("wants a descriptor of 64 bits, not .%s", r.Type())
		}
		return ""
	}
	return checkElement(s, r)
}

// checkElement is checkReg for a register that is the operand's datum itself, or an element of its vector.
func checkElement(s *isa.Slot, r *Reg) string {
	if r == nil || s.Type == isa.NoType {
		return ""
	}
	if !s.Type.Accepts(r.Type(), s.Wide) {
		return fmt.Sprintf("wants a register for .%s, not .%s", s.Type, r.Type())
	}
	return ""
}

func checkVec(s *isa.Slot, v Vec) string {
	if s.N > 0 && len(v) != s.N {
		return fmt.Sprintf("wants %d elements, not %d", s.N, len(v))
	}
	for _, e := range v {
		switch e := e.(type) {
		case *Reg:
			if s.Pack {
				if e.Type() == isa.Pred || e.Type().Bits()*len(v) != s.Type.Bits() {
					return fmt.Sprintf("%d elements of .%s do not fill .%s", len(v), e.Type(), s.Type)
				}
			} else if msg := checkElement(s, e); msg != "" {
				return msg
			}
		case Sink:
			if s.Dir == isa.Use {
				return "_ is no input"
			}
		case Int, F32, F64, WarpSize:
			if !s.ElemImm && !s.Pack {
				return "elements must be registers"
			}
		default:
			return "elements must be registers"
		}
	}
	return ""
}

func checkAddr(s *isa.Slot, a Addr) string {
	if a.Coords != nil {
		if s.N > 0 && len(a.Coords) != s.N {
			return fmt.Sprintf("wants %d coordinates, not %d", s.N, len(a.Coords))
		}
		for _, c := range a.Coords {
			if r, ok := c.(*Reg); ok && r.Type().Bits() != 32 {
				return fmt.Sprintf("a coordinate has 32 bits, not .%s", r.Type())
			}
		}
	}
	switch base := a.Base.(type) {
	case *Reg:
		c := base.Type().Class()
		if n := base.Type().Bits(); n != 32 && n != 64 || c == isa.ClassFloat || c == isa.ClassPacked {
			return fmt.Sprintf("an address has 32 or 64 bits, not .%s", base.Type())
		}
	case Sym:
		v, ok := base.Of.(*Var)
		if !ok || s.Space == isa.Generic {
			break
		}
		if want := s.Space.Base(); want != v.Space && !(want == isa.SharedCluster && v.Space == isa.Shared) {
			return fmt.Sprintf("wants an address in .%s; %s is in .%s", want, v.Name, v.Space)
		}
	}
	return ""
}
