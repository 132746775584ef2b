package isa

import (
	"fmt"
	"strings"
)

// Version is a PTX ISA version times ten: 78 is PTX 7.8.
type Version int16

// String prints the version as the .version directive spells it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v/10, v%10) }

// A lists the alternatives of the placeholders of one row, as pairs: a placeholder name, then its values separated by
// spaces, in the order in which the manual lists them. A slice and not a map: it is static data and it has an order.
type A []string

// Row is one syntax line of the manual: an instruction, its placeholders and what it does to the machine.
//
// Syntax is the manual's notation. A name after a dot is a placeholder where Alt lists it and a literal otherwise;
// braces mean optional, and {.a.b} means both or none. Operands follow after a space.
type Row struct {
	Syntax string
	Alt    A

	// Op names the instruction without what varies between its forms, for dispatch: "cp.async.bulk.tensor". Empty where
	// that is the opcode.
	Op string

	// Where holds the conditions between modifiers that the notation cannot say; see where.go for the language.
	Where string

	// Args says what the operand names stand for, where the usual meaning of a name (see args.go) is not meant.
	Args string

	PTX  Version // first PTX ISA version that has the row
	SM   int     // first architecture
	Arch bool    // needs the architecture-specific target (sm_90a)
	Sec  string  // section of the PTX ISA 9.0 manual
	Doc  string  // what it does, in one line

	// Convergent: all threads of a warp (warpgroup, CTA) that the instruction names must execute it together.
	Convergent bool
	// Reads and Writes name the spaces whose memory the instruction reads and writes by itself: a space, or ".ss" for
	// the space that a modifier names (absent means generic); several are separated by spaces.
	Reads, Writes string
	// Async names the completion mechanism of an instruction whose effect outlives it: "cp.async", "bulk_group",
	// "mbarrier", "wgmma"; ".cm" takes it from a modifier.
	Async string
	// Sync: it orders memory accesses or waits (barriers, fences, waits), so nothing may move across it.
	Sync bool
	// Flow: "branch", "indirect", "call", "ret", "exit", "trap": it may change the next program counter.
	Flow string
	// Volatile: executing it twice, or not at all, is visible although it names no memory (nanosleep, pmevent, %clock).
	Volatile bool
}

// Opcode is the first word of the mnemonic: "cp" for cp.async.bulk.tensor.
func (r *Row) Opcode() string {
	if i := strings.IndexAny(r.Syntax, ".{ "); i >= 0 {
		return r.Syntax[:i]
	}
	return r.Syntax
}

// mods is the modifier part of Syntax, without the opcode and the operands.
func (r *Row) mods() string {
	rest := r.Syntax[len(r.Opcode()):]
	if i := strings.IndexByte(rest, ' '); i >= 0 {
		return rest[:i]
	}
	return rest
}

// operandText is the operand part of Syntax.
func (r *Row) operandText() string {
	if i := strings.IndexByte(r.Syntax, ' '); i >= 0 {
		return strings.TrimSpace(r.Syntax[i:])
	}
	return ""
}
