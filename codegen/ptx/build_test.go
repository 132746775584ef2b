package ptx

import (
	"errors"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

func form(t testing.TB, mnemonic string) *isa.Form {
	t.Helper()
	f, err := isa.Parse(mnemonic)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// addKernel builds y[i] += 1 for a block of threads.
func addKernel(t testing.TB) *Module {
	m := NewModule(90, "sm_90a")
	smem := m.DynamicShared("smem", 16)
	f := m.NewEntry("add_one")
	f.Directives.ReqNTID = [3]int{128, 1, 1}
	y := f.NewParam(isa.U64)
	f.NewBytesParam(128, 64)
	tid := f.NewReg(isa.U32)
	buf := f.NewShared(isa.F32, "buf", 16, 32)
	base, x, p := f.NewReg(isa.U64), f.NewReg(isa.F32), f.NewReg(isa.Pred)
	done := f.NewLabel()
	f.Emit(form(t, "mov.u32"), tid, TIDX)
	f.Emit(form(t, "setp.ge.u32"), p, nil, tid, I(100))
	f.Emit(form(t, "bra"), done).If(p)
	f.Emit(form(t, "ld.param.u64"), base, At(AddressOf(y), 0))
	f.Emit(form(t, "mad.wide.u32"), base, tid, I(4), base)
	f.Emit(form(t, "ld.global.f32"), x, At(base, 0))
	f.Emit(form(t, "add.rn.f32"), x, x, Float32(1))
	f.Emit(form(t, "st.global.f32"), At(base, 0), x)
	f.Emit(form(t, "st.shared.f32"), At(AddressOf(buf), 8), x).IfNot(p)
	f.Emit(form(t, "mov.u32"), tid, Sym{Of: smem, Off: 4})
	f.Place(done)
	f.Emit(form(t, "ret"))
	return m
}

const addText = `.version 9.0
.target sm_90a
.address_size 64

.extern .shared .align 16 .b8 smem[];

.visible .entry add_one(
	.param .u64 add_one_param_0,
	.param .align 64 .b8 add_one_param_1[128]
)
.reqntid 128, 1, 1
{
	.reg .pred %p<2>;
	.reg .u32 %r<2>;
	.reg .u64 %rd<2>;
	.reg .f32 %f<2>;
	.shared .align 16 .f32 buf[32];
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 100;
	@%p1 bra $L1;
	ld.param.u64 %rd1, [add_one_param_0];
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	ld.global.f32 %f1, [%rd1];
	add.rn.f32 %f1, %f1, 0f3F800000;
	st.global.f32 [%rd1], %f1;
	@!%p1 st.shared.f32 [buf+8], %f1;
	mov.u32 %r1, smem+4;
$L1:
	ret;
}
`

// TestBuild: what the builder makes prints canonically, checks, and reads back.
func TestBuild(t *testing.T) {
	m := addKernel(t)
	if err := Check(m); err != nil {
		t.Fatal(err)
	}
	text, lines := Print(m)
	if string(text) != addText {
		t.Fatalf("got\n%s", text)
	}
	if again, _ := Print(m); string(again) != string(text) {
		t.Fatal("printing twice gives two texts")
	}
	if got := checkFixedPoint(t, text); string(got) != addText {
		t.Fatalf("read back as\n%s", got)
	}
	all := strings.Split(addText, "\n")
	if len(lines) != 11 {
		t.Fatalf("%d instructions", len(lines))
	}
	for _, l := range lines {
		if !strings.Contains(all[l.Line-1], l.Instr.Form.Mnemonic()) {
			t.Errorf("line %d is %q, not %s", l.Line, all[l.Line-1], l.Instr.Form)
		}
	}
	if got := len(m.Entry("add_one").Regs()); got != 4 {
		t.Errorf("%d registers", got)
	}
}

// TestCheck: a wrong module is refused with the instruction.
func TestCheck(t *testing.T) {
	for name, breakIt := range map[string]func(m *Module, f *Func){
		"stands nowhere":              func(_ *Module, f *Func) { f.Emit(form(t, "bra"), f.NewLabel()) },
		"label stands twice":          func(_ *Module, f *Func) { l := f.NewLabel(); f.Place(l); f.Place(l) },
		"of another function":         func(m *Module, f *Func) { f.Emit(form(t, "mov.u32"), m.NewEntry("g").NewReg(isa.U32), I(1)) },
		"takes 2 operands":            func(_ *Module, f *Func) { f.Emit(form(t, "mov.u32"), f.NewReg(isa.U32)) },
		"4 operands for 3 positions":  func(_ *Module, f *Func) { f.Emit(form(t, "add.u32"), nil, nil, nil, I(1)) },
		"wants a register for .f32":   func(_ *Module, f *Func) { f.Emit(form(t, "mov.f32"), f.NewReg(isa.U32), Float32(1)) },
		"wants address, not register": func(_ *Module, f *Func) { f.Emit(form(t, "ld.global.u32"), f.NewReg(isa.U32), f.NewReg(isa.U64)) },
		"the guard is no predicate":   func(_ *Module, f *Func) { f.Emit(form(t, "ret")).If(f.NewReg(isa.U32)) },
		"reads back as": func(_ *Module, f *Func) {
			f.Emit(form(t, "createpolicy.fractional.L2::evict_first.b64"), nil, Float32(1))
		},
	} {
		m := addKernel(t)
		breakIt(m, m.Entry("add_one"))
		err := Check(m)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSpecialRegisters: names and numbers of special registers belong together.
func TestSpecialRegisters(t *testing.T) {
	for s := SReg(0); s < numSRegs; s++ {
		if got, ok := SRegOf(s.Name()); !ok || got != s || s.Type() == isa.NoType {
			t.Errorf("%d: %q, %v", s, s.Name(), s.Type())
		}
	}
}

// TestRegPrefixes: every type that registers may have has a prefix of its own, so built names never collide.
func TestRegPrefixes(t *testing.T) {
	seen := map[string]isa.Type{}
	for typ := isa.Pred; typ.String() != "?"; typ++ {
		if !typ.Declarable() {
			continue
		}
		p := regPrefix(typ)
		if old, dup := seen[p]; dup || p == "" {
			t.Errorf(".%s has prefix %q, as .%s", typ, p, old)
		}
		seen[p] = typ
	}
}
