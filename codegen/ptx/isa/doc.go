// Package isa is the PTX instruction table: PTX ISA 9.0 for sm_90a, in the manual's own notation.
//
// The table is the one place that knows which instructions exist, how they are spelled, what their operands are and
// what they do to the machine. The printer, the parser, the verifier, the emulator and the lowering all read it, so
// they cannot disagree; and ptxas itself is asked whether the table is right (package probe).
//
// # Rows
//
// A [Row] is a syntax line of the manual. The files table_*.go follow its chapters:
//
//	{Syntax: "fma.rnd{.ftz}{.sat}.f32 d, a, b, c", Alt: A{"rnd", "rn rz rm rp"}, PTX: 20, SM: 20, Sec: "9.7.3.6",
//		Doc: "d = a*b + c with one rounding."},
//
// A word after a dot is a placeholder where Alt lists its values, and stands for itself otherwise. Braces mean
// optional; {.sem.scope} means both or neither. What this notation cannot say is in three small languages, each
// explained where it is read:
//
//   - Where (where.go): conditions between modifiers, "v4 => type!=f64". They are what ptxas enforces, found by asking it.
//   - Args (args.go): what the operand names stand for, where the usual meaning is not meant: "b: u32 either".
//   - Op: the instruction's name without what varies between its forms, for dispatch.
//
// The effects (Convergent, Reads, Writes, Async, Sync, Flow, Volatile) say what an optimiser and a verifier must
// respect. An instruction without any of them is [Form.Pure].
//
// # Forms
//
// A [Form] is a row with every modifier chosen: one mnemonic. [Parse] finds it, with the modifiers in any order that
// ptxas takes, and returns the same pointer for every spelling, so that forms can be compared and used as map keys.
// [Form.Mnemonic] is the canonical spelling, in the manual's order. [Form.Operands] are the operand positions with
// kind, type and direction as they are for this form: ld.global.v4.f32 has a vector of four, wgmma as many accumulator
// registers as its shape says, and a cache policy exists only with .L2::cache_hint. [Form.Assign] tells which optional
// positions the operands of an instruction fill.
//
// A mnemonic that is not in the table fails with [ErrUnmodelled] if it has a word that the table does not know: the
// instruction may exist, and nobody here has described it. It fails with [ErrInvalid] if all words are known but do not
// go together; the [Error] then names the condition and the manual section.
//
// Rows are compiled when their opcode is first used, and forms are made when they are first parsed and then kept: a
// mnemonic that was seen before costs some 30 ns. The rows of ld have tens of thousands of forms, so nothing expands
// them except tests and the probe ([Row.Forms]).
//
// # What is not in the table
//
// Instructions that sm_90a lacks (tcgen05, 256-bit loads, packed f32 arithmetic, redux of floats, gather4), textures
// and surfaces, video SIMD, multimem, the im2col modes of tensor copies, sparse matrices, wmma, mma.m8n8k4 of f16, and
// the warp instructions without .sync. They are ErrUnmodelled, never read over.
//
// # Adding an instruction
//
// Add the row to the file of its chapter, with section and Doc. Run the tests: they check the texts of the row, that no
// mnemonic has two rows and that each value of Alt occurs in a form. Then run "oxidegen probe", where the pinned ptxas
// is: it must accept every form, and refuse what the row's conditions forbid. Where it does not, the conditions are
// wrong. Record the answers with -record, so that the comparison runs where there is no ptxas.
package isa
