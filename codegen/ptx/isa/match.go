package isa

import (
	"cmp"
	"fmt"
)

// rowInfo is a compiled row.
type rowInfo struct {
	*Row
	opcode string
	op     string
	slots  []modSlot
	where  []clause
	args   []argRule
}

// compileRow turns the texts of a row into tables. An error is a mistake in the table, which a test excludes.
func compileRow(r *Row) (*rowInfo, error) {
	ri := &rowInfo{Row: r, opcode: r.Opcode()}
	var err error
	if ri.slots, err = parseMods(r.mods(), r.Alt); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Syntax, err)
	}
	if ri.where, err = parseWhere(r.Where, ri.slots); err != nil {
		return nil, fmt.Errorf("%s: where: %w", r.Syntax, err)
	}
	texts, err := parseOperands(r.operandText())
	if err != nil {
		return nil, fmt.Errorf("%s: operands: %w", r.Syntax, err)
	}
	if ri.args, err = compileArgs(texts, r.Args, ri.slots); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Syntax, err)
	}
	ri.op = cmp.Or(r.Op, ri.opcode)
	return ri, nil
}

// matcher assigns the tokens of a mnemonic to the slots of one row. ptxas takes modifiers in any order, but types
// only in theirs (add.ftz.rn.f32 is add.rn.ftz.f32; cvt.f16.f32 is not cvt.f32.f16), so this does too.
type matcher struct {
	row    *rowInfo
	toks   []string
	choice []uint8
	failed string // first Where clause or group that refused an otherwise complete match
}

func (m *matcher) match() bool {
	if len(m.toks) > len(m.row.slots) {
		return false
	}
	m.choice = make([]uint8, len(m.row.slots))
	return m.assign(0, -1)
}

func (m *matcher) assign(ti, lastType int) bool {
	if ti == len(m.toks) {
		return m.complete()
	}
	for i := range m.row.slots {
		s := &m.row.slots[i]
		if m.choice[i] != 0 || (s.isType && i < lastType) {
			continue
		}
		c := s.choiceOf(m.toks[ti])
		if c == 0 {
			continue
		}
		next := lastType
		if s.isType {
			next = i
		}
		m.choice[i] = uint8(c)
		if m.assign(ti+1, next) {
			return true
		}
		m.choice[i] = 0
	}
	return false
}

// complete checks mandatory slots, groups and conditions once every token has its place.
func (m *matcher) complete() bool {
	for i := range m.row.slots {
		if m.choice[i] == 0 && !m.row.slots[i].opt {
			return false
		}
	}
	why := m.row.refuses(m.choice)
	if why != "" && m.failed == "" {
		m.failed = why
	}
	return why == ""
}

// refuses returns the condition that forbids a choice, or "".
func (ri *rowInfo) refuses(choice []uint8) string {
	for i := 1; i < len(ri.slots); i++ {
		a, b := &ri.slots[i-1], &ri.slots[i]
		if b.group != 0 && a.group == b.group && (choice[i-1] == 0) != (choice[i] == 0) {
			return fmt.Sprintf(".%s and .%s go together", a.name, b.name)
		}
	}
	for i := range ri.where {
		if !ri.where[i].holds(choice) {
			return ri.where[i].text
		}
	}
	return ""
}
