// Package cubin turns PTX text into cubins with one pinned assembler, and reads cubins back.
//
// It holds four things, each usable without the others:
//
//   - the toolchain: where the pinned ptxas and nvdisasm are looked for, and how they are installed ([Search],
//     [Search.Install]);
//   - the assembler: one fixed command line, parallel, each distinct PTX assembled once ([Assembler]), and the gate
//     that refuses serialised wgmma, spills and stack frames that the kernel does not declare ([Result.Check]);
//   - the reader: target, entries and resource use from the ELF alone ([Read]), and how many blocks fit on an SM
//     ([Occupy]);
//   - the disassembly: SASS with the PTX line of every instruction ([Disassembler]).
//
// ptxas writes its options into the cubin, so an option changes the bytes. The released command therefore carries
// the target and nothing else; what needs -v or -lineinfo is asked for in a second run whose cubin is thrown away.
package cubin
