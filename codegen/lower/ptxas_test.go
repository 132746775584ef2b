package lower_test

import (
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
)

// TestStepsAroundPtxas holds the lowering to forms that ptxas 13.0.88 translates correctly. Each was a program whose
// results on an H200 were wrong.
func TestStepsAroundPtxas(t *testing.T) {
	for _, c := range []struct {
		name         string
		body         func(k *ir.Kernel, x ir.U32) ir.U32
		want, forbid string
	}{
		{"f16 from bf16 to integer", func(k *ir.Kernel, x ir.U32) ir.U32 {
			return x.ConvertToU16().AsBF16().ConvertToF16().ConvertToS32().AsU32()
		}, "cvt.rzi.s32.f32", "s32.f16"},
		{"negated f16 to integer", func(k *ir.Kernel, x ir.U32) ir.U32 {
			return x.ConvertToU16().AsF16().Neg(ir.FTZ).ConvertToU16().ConvertToU32()
		}, "cvt.rzi.u16.f32", "u16.f16"},
		{"bf16 to a byte", func(k *ir.Kernel, x ir.U32) ir.U32 {
			return x.ConvertToU16().AsBF16().ConvertToU8(ir.RNI).ConvertToU32()
		}, "cvt.rni.u8.f32", ".bf16 %r"},
		{"shift of 16 bits by far too much", func(k *ir.Kernel, x ir.U32) ir.U32 {
			return x.ConvertToU16().ShiftLeft(k.ConstU32(1 << 31)).ConvertToU32()
		}, "mov.b16", "shl"},
		{"negated and widened", func(k *ir.Kernel, x ir.U32) ir.U32 {
			return x.ConvertToU16().AsS16().Neg().ConvertToS32().AsU32()
		}, "sub.u16", "neg"},
		{"16 bits by a variable", func(k *ir.Kernel, x ir.U32) ir.U32 {
			return x.ConvertToU16().AsS16().ShiftRight(x).ConvertToS32().AsU32()
		}, "shr.s32", "shr.s16"},
		{"three times one operand", func(k *ir.Kernel, x ir.U32) ir.U32 { return x.Logic3(x, x, 0b0111_1110) }, ", 0, 0, 0;", "126"},
		{"an operand again", func(k *ir.Kernel, x ir.U32) ir.U32 { return x.Logic3(k.TIDX(), x, 0xa7) }, ", 0, 255;", "167"},
	} {
		k, err := ir.BuildFunc("test", ir.Contract{Block: [3]int{32}}, func(k *ir.Kernel) {
			p := ir.GlobalParam[ir.U32](k, "p", ir.Writes)
			p.Store(c.body(k, p.Load()))
		})
		if err != nil {
			t.Fatal(err)
		}
		res, err := lower.Kernel(k)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := ptx.Print(res.Module)
		if !strings.Contains(string(text), c.want) || strings.Contains(string(text), c.forbid) {
			t.Errorf("%s: want %q and no %q in\n%s", c.name, c.want, c.forbid, text)
		}
	}
}
