package probe

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Header is what every probe module starts with.
const header = `.version 9.0
.target sm_90a
.address_size 64
.shared .align 1024 .b8 sh[8192];
.global .align 1024 .b8 gl[8192];
.const .align 1024 .b8 cn[8192];
.func (.param .b32 o) callee(.param .b32 i) { ret; }
`

// registers are declared in every kernel: enough for the widest accumulator.
const numRegisters = 160

var registerTypes = []isa.Type{isa.Pred, isa.B16, isa.B32, isa.B64, isa.B128, isa.U16, isa.U32, isa.U64, isa.S16, isa.S32, isa.S64,
	isa.F16, isa.F32, isa.F64}

// module renders probes as a PTX module and returns the number of the line of the first one; the others follow.
func module(probes []Probe, function bool) (text string, first int) {
	var b strings.Builder
	b.WriteString(header)
	if function {
		b.WriteString(".func probe(.param .align 16 .b8 prm[256])\n{\n")
	} else {
		b.WriteString(".visible .entry probe(.param .align 64 .b8 prm[256])\n.reqntid 128\n{\n")
	}
	for _, t := range registerTypes {
		fmt.Fprintf(&b, "\t.reg .%s %%%s_<%d>;\n", t, t, numRegisters)
	}
	b.WriteString("\t.param .align 16 .b8 arg[256];\n\t.local .align 16 .b8 lc[256];\n")
	b.WriteString("T:\t.branchtargets done;\n")
	first = strings.Count(b.String(), "\n") + 1
	for _, p := range probes {
		fmt.Fprintf(&b, "\t%s\n", p.Text)
	}
	b.WriteString("done:\n\tret;\n}\n")
	return b.String(), first
}

// Probe is one instruction that tries a form.
type Probe struct {
	Mnemonic string
	Text     string // the instruction, one line
	Function bool   // only legal inside a .func
}

// Variants returns the instructions that try a form: with every optional operand and with none, and with each of the
// shapes that an operand may take.
func Variants(f *isa.Form) []Probe { return VariantsAs(f, f.Mnemonic()) }

// VariantsAs uses the operands of f under another mnemonic.
func VariantsAs(f *isa.Form, mnemonic string) []Probe {
	if f.Opcode() == "call" { // its lists must fit the function
		return []Probe{{Mnemonic: mnemonic, Text: mnemonic + " (%b32_0), callee, (%b32_1);"}}
	}
	var out []Probe
	seen := map[string]bool{}
	for _, full := range []bool{false, true} {
		for _, vector := range []bool{false, true} {
			text := instruction(f, mnemonic, full, vector)
			if !seen[text] {
				seen[text] = true
				out = append(out, Probe{Mnemonic: mnemonic, Text: text, Function: f.Has("param::func") && f.Opcode() == "ld"})
			}
		}
	}
	return out
}

// instruction renders one instruction; full gives optional operands, vector prefers vectors to scalars.
func instruction(f *isa.Form, mnemonic string, full, vector bool) string {
	var b strings.Builder
	if f.Row().Flow != "" {
		b.WriteString("@%pred_9 ")
	}
	b.WriteString(mnemonic)
	isVec := map[string]bool{}
	n := 0
	for i, s := range f.Operands() {
		if s.Opt && !full || s.ScalarOnly != "" && isVec[s.ScalarOnly] {
			continue
		}
		isVec[s.Name] = s.Kind == isa.KindVec || vector && s.Kind&isa.KindVec != 0 && s.N > 0
		switch {
		case n == 0:
			b.WriteByte(' ')
		case s.Pair:
			b.WriteByte('|')
		default:
			b.WriteString(", ")
		}
		b.WriteString(operand(f, &s, i, isVec[s.Name]))
		n++
	}
	b.WriteByte(';')
	return b.String()
}

// operand renders one operand.
func operand(f *isa.Form, s *isa.Slot, index int, vector bool) string {
	switch {
	case s.SinkOnly:
		return "_"
	case s.Kind&isa.KindTensor != 0:
		return "[%b64_1, " + registers(isa.B32, 1, s.N) + "]"
	case s.Kind&isa.KindAddr != 0:
		return "[" + address(f, s) + "]"
	case vector:
		from := 0
		if s.N <= 8 { // operands of one instruction get registers of their own
			from = 8 * index
		}
		return registers(s.Type, from, s.N)
	case s.Kind&isa.KindLabel != 0:
		return "done"
	case s.Kind&isa.KindTable != 0:
		return "T"
	case s.Kind&isa.KindReg != 0 && s.Name == "a" && f.Op() == "wgmma.mma_async":
		return "%b64_2"
	case s.Kind&isa.KindReg != 0:
		return register(s.Type, index)
	case s.Values != "":
		v, _, _ := strings.Cut(s.Values, "|")
		return v
	}
	return "1"
}

// address renders the inside of an address operand.
func address(f *isa.Form, s *isa.Slot) string {
	switch s.Space.Base() {
	case isa.Param:
		if f.Opcode() == "st" {
			return "arg"
		}
		return "prm"
	case isa.Local:
		return "lc"
	case isa.Const:
		return "cn"
	case isa.Shared:
		return "sh"
	case isa.Global:
		return "gl"
	}
	return "%b64_1"
}

func register(t isa.Type, i int) string { return fmt.Sprintf("%%%s_%d", t.Register(), i) }

func registers(t isa.Type, from, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = register(t, from+i)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
