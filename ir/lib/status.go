package lib

import "github.com/oxideinfer/oxide/ir"

// Status is how a kernel that validates data on the device says what is wrong: the record that oxrt.StatusRule lays out. The kernel
// checks behind griddepcontrol.wait; if anything is wrong, one thread rejects and no output is written. A kernel of many blocks has
// its verdict in its own workspace, written on every run.
type Status struct {
	k        *ir.Kernel
	record   ir.Global[ir.S64]
	operator ir.U32
}

// Rule is how a value should stand to the wanted one; the numbers are oxrt.Rule's.
type Rule uint32

// Rules.
const (
	Below Rule = iota + 1
	AtMost
	AtLeast
	Exactly
)

// unchecked is the operator number of a trusted call.
const unchecked = 1<<32 - 1

// StatusParams declares the parameters status and status_operator: what the plan's Status returns.
func StatusParams(k *ir.Kernel) Status {
	return Status{k, ir.GlobalParam[ir.S64](k, "status", ir.Writes), ir.Param[ir.U32](k, "status_operator")}
}

// Checked is false for a trusted call: then the record may be null and nothing is to be checked.
func (s Status) Checked() ir.Pred { return s.operator.NotEqual(s.k.ConstU32(unchecked)) }

// Reject reports that element index of an operand, by its number in the plan's list, is got. One thread of the grid calls it. The first
// report of a submission stays.
func (s Status) Reject(operand int, rule Rule, index, wanted, got ir.S64) {
	k := s.k
	k.If(s.record.Load().Equal(k.ConstS64(0)), func() {
		for i, word := range []ir.S64{k.ConstS64(int64(operand)), index, wanted, got} {
			s.record.AtConst(i + 1).Store(word)
		}
		// The rule makes the record valid; the operator's number shares its word.
		s.record.Store(s.operator.ConvertToS64().ShiftLeft(k.ConstU32(32)).Or(k.ConstS64(int64(rule))))
	})
}
