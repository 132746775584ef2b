// Package ptx holds PTX modules as data: what lowering builds, what the printer writes and what the parser reads.
//
// A [Module] is a list of declarations; a [Func] has a body of statements; an [Instr] is a form from the instruction
// table ([isa.Form]) and operands. Registers, labels and symbols are objects that operands point to, so a module that
// was built has no names to get wrong. [Print] writes the one canonical spelling: modifiers in the table's order, one
// instruction a line, floating-point constants by their bits, no debug lines. [Parse] reads it back, and reads what
// other compilers write: comments, inline assembly in braces, typeless registers, debug sections. Printing what was
// parsed gives the canonical spelling of it, and parsing and printing that again changes nothing.
//
// The parser tells three things apart by errors.Is: [ErrSyntax], text that is not PTX; [ErrInvalid], PTX that cannot
// be loaded, such as an undefined register; and [isa.ErrUnmodelled], PTX that this project does not know. Every one
// carries line, column and the offending text.
//
// Section numbers in comments are those of the PTX ISA 9.0 manual.
package ptx
