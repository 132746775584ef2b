package tile

import "github.com/oxideinfer/oxide/ir"

// Turns lets the warpgroups of a role do something one after the other, in a circle: each has a barrier that the one before
// it arrives at. The first turn is the first warpgroup's.
type Turns struct {
	role   *Role
	bar    ir.MBarrier
	parity ir.Var[ir.U32]
	taken  bool
	begun  bool
}

// Turns makes the barriers.
func (b *Block) Turns(name string, role *Role) *Turns {
	t := &Turns{role: role, bar: ir.MBarrierAt(ir.DynamicArray[ir.U64](b.k, name, role.warpgroups, 8))}
	b.turns = append(b.turns, t)
	return t
}

// Begin starts the circle in the role, before the first Take.
func (t *Turns) Begin() {
	b := t.role.b
	if b.role != t.role {
		b.refuse(CodeRole, "begin in the role that takes turns", "these are the turns of role %s", t.role.name)
	}
	t.parity = ir.NewVar(ir.Select(t.role.Warpgroup().Equal(b.u32(0)), b.u32(1), b.u32(0))) // a new barrier counts as having ended a phase of parity 1
	t.begun = true
}

// Take waits for the warpgroup's turn.
func (t *Turns) Take() {
	b := t.role.b
	if !t.begun || t.taken {
		b.refuse(CodeTurn, "call Begin once, then Take and Give in pairs", "a turn that is taken out of order")
		return
	}
	t.taken = true
	t.bar.At(t.role.Warpgroup()).Wait(t.parity.Get())
	t.parity.Set(t.parity.Get().Xor(b.u32(1)))
}

// Give passes the turn to the next warpgroup.
func (t *Turns) Give() {
	b := t.role.b
	if !t.taken {
		b.refuse(CodeTurn, "call Take first", "a turn that was not taken")
		return
	}
	t.taken = false
	next := t.role.Warpgroup().Add(b.u32(1))
	next = ir.Select(next.Equal(b.u32(t.role.warpgroups)), b.u32(0), next)
	b.k.SyncWarp()
	b.k.If(b.k.Elect(), func() { t.bar.At(next).Arrive() })
}
