// Package probe asks an assembler which forms of the instruction table it accepts.
//
// Render writes small kernels that hold many forms, one a line; Run hands them to an assembler and reads the lines of
// its error messages back, so that a few hundred calls answer for tens of thousands of forms. The answers are kept
// under isa/testdata, where a test compares them with the table on machines without an assembler.
//
// Two questions are asked. Every form of the table (Sample chooses where a row has very many) must be accepted.
// Neighbours are mnemonics that differ from a legal one in one modifier and that the table refuses: the assembler
// must refuse them too.
package probe
