package lower

import (
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/ir/op"
)

// regType is the declared type of the register that holds a value. Declarations are typed so that ptxas rejects a mix of
// floats and integers; kinds without arithmetic of their own are untyped bits. 8-bit values live in 16-bit registers:
// PTX computes on none narrower (PTX ISA 5.2.1).
func regType(t op.Type) isa.Type {
	if t.Kind == op.Ptr {
		if t.Bits() == 32 {
			return isa.U32
		}
		return isa.U64
	}
	switch t.Kind {
	case op.Pred:
		return isa.Pred
	case op.U8, op.U16:
		return isa.U16
	case op.S8, op.S16:
		return isa.S16
	case op.U32:
		return isa.U32
	case op.S32:
		return isa.S32
	case op.U64, op.TensorMap:
		return isa.U64
	case op.S64:
		return isa.S64
	case op.F32:
		return isa.F32
	case op.F64:
		return isa.F64
	}
	if t.Bits() == 32 {
		return isa.B32
	}
	return isa.B16
}

// suffix is the type suffix of an instruction that computes on a kind.
func suffix(k op.Kind) string { return k.String() }

// bitSuffix is the untyped suffix of a size in bits.
func bitSuffix(bits int) string {
	switch bits {
	case 8:
		return "b8"
	case 16:
		return "b16"
	case 32:
		return "b32"
	}
	return "b64"
}

// typeBits is bitSuffix of the value's register contents.
func typeBits(t op.Type) string { return bitSuffix(t.Bits()) }

// memSuffix is the suffix of a load or store of a kind: kinds that PTX knows keep their name, all others move as bits.
func memSuffix(t op.Type) string {
	switch t.Kind {
	case op.U8, op.U16, op.U32, op.U64, op.S8, op.S16, op.S32, op.S64, op.F32, op.F64:
		return t.Kind.String()
	case op.Ptr:
		if t.Bits() == 32 {
			return "u32"
		}
		return "u64"
	}
	return typeBits(t)
}

// dots joins the parts of a mnemonic, leaving out empty ones.
func dots(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return b.String()
}
