package ptx

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Check verifies a built module as Parse verifies text: every operand fits its position, every label that is branched
// to stands in the body, once, and registers belong to their function. The error is an ErrorList without positions;
// Text is the instruction.
func Check(m *Module) error {
	var errs ErrorList
	for _, f := range m.Funcs() {
		if f.Body == nil {
			continue
		}
		c := checker{fn: f, placed: map[*Label]bool{}}
		c.place(f.Body)
		c.block(f.Body)
		errs = append(errs, c.errs...)
	}
	if len(errs) > 0 {
		return errs[:min(len(errs), maxErrors)]
	}
	return nil
}

type checker struct {
	fn     *Func
	placed map[*Label]bool
	errs   ErrorList
}

func (c *checker) refuse(in *Instr, format string, args ...any) {
	p := printer{}
	p.instr(in)
	c.errs = append(c.errs, &Error{Pos: in.Pos, Kind: ErrInvalid, Text: shorten(p.buf.String()), Msg: fmt.Sprintf(format, args...)})
}

// place collects the labels of a block and of the blocks in it.
func (c *checker) place(b *Block) {
	here := map[string]bool{} // a scope of its own
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Block:
			c.place(s)
		case *Label:
			if c.placed[s] || here[s.Name] {
				c.errs = append(c.errs, &Error{Pos: s.Pos, Kind: ErrInvalid, Text: s.Name, Msg: "label stands twice"})
			}
			c.placed[s], here[s.Name] = true, true
		}
	}
}

func (c *checker) block(b *Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *Block:
			c.block(s)
		case *Pragma:
			if strings.ContainsAny(s.Text, "\"\n") {
				c.errs = append(c.errs, &Error{Pos: s.Pos, Kind: ErrInvalid, Text: shorten(s.Text), Msg: "quote or line end in a pragma"})
			}
		case *Instr:
			c.instr(s)
		case *BranchTargets:
			for _, l := range s.Targets {
				if !c.placed[l] {
					c.errs = append(c.errs, &Error{Pos: s.Pos, Kind: ErrInvalid, Text: l.Name, Msg: "label stands nowhere"})
				}
			}
		}
	}
}

func (c *checker) instr(in *Instr) {
	if g := in.Guard.Reg; g != nil && g.Type() != isa.Pred {
		c.refuse(in, "the guard is no predicate, but .%s", g.Type())
	}
	slots := in.Form.Operands()
	if len(in.Operands) > len(slots) {
		c.refuse(in, "%d operands for %d positions", len(in.Operands), len(slots))
		return
	}
	var kinds []isa.Kind
	var places []int
	for i, op := range in.Operands {
		if op == nil {
			continue
		}
		kinds, places = append(kinds, kindOf(op)), append(places, i)
		if msg := checkOperand(&slots[i], op); msg != "" {
			c.refuse(in, "operand %s: %s", slots[i].Name, msg)
		}
		c.belongs(in, op)
	}
	got, err := in.Form.Assign(kinds)
	if err != nil {
		c.refuse(in, "%v", err)
		return
	}
	for i := range got {
		if got[i] != places[i] {
			c.refuse(in, "operand %s reads back as %s", slots[places[i]].Name, slots[got[i]].Name)
			return
		}
	}
}

// belongs checks that what an operand names is part of the function.
func (c *checker) belongs(in *Instr, op Operand) {
	switch op := op.(type) {
	case *Reg:
		if op.ID >= len(c.fn.regs) || c.fn.regs[op.ID] != op {
			c.refuse(in, "register %s of another function", op.Name())
		}
	case Not:
		c.belongs(in, op.Reg)
	case Vec:
		for _, e := range op {
			c.belongs(in, e)
		}
	case List:
		for _, e := range op {
			c.belongs(in, e)
		}
	case Addr:
		if op.Base != nil {
			c.belongs(in, op.Base)
		}
		c.belongs(in, op.Coords)
	case *Label:
		if !c.placed[op] {
			c.refuse(in, "label %s stands nowhere", op.Name)
		}
	}
}
