package isa

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// sparse is every step-th form of the rows: step 1 takes minutes for the rows of ld and st.
func sparse(step int, fn func(r *Row, f *Form)) {
	for r := range Rows() {
		i := 0
		for f := range r.Forms() {
			if i%step == 0 {
				fn(r, f)
			}
			i++
		}
	}
}

// TestNoFormTwice proves that a mnemonic has one row: two would give it two meanings.
func TestNoFormTwice(t *testing.T) {
	seen := map[string]*Row{}
	sparse(1, func(r *Row, f *Form) {
		if first := seen[f.Mnemonic()]; first != nil {
			t.Errorf("%s is in %q and in %q", f.Mnemonic(), first.Syntax, r.Syntax)
		}
		seen[f.Mnemonic()] = r
	})
	if len(seen) < 40000 {
		t.Errorf("only %d forms", len(seen))
	}
}

// TestEveryAlternativeIsUsed proves that no value of a placeholder is ruled out by the row's own conditions, and that
// every placeholder of Alt stands in Syntax.
func TestEveryAlternativeIsUsed(t *testing.T) {
	for r := range Rows() {
		for i := 0; i < len(r.Alt); i += 2 {
			if !strings.Contains(r.mods(), "."+r.Alt[i]) {
				t.Errorf("%s: Alt names %q, which Syntax lacks", r.Syntax, r.Alt[i])
			}
		}
		alts, err := r.Alternatives()
		if err != nil {
			t.Fatal(err)
		}
		left := map[string]bool{}
		for _, a := range alts {
			for _, v := range a.Values {
				left[a.Name+"="+v] = true
			}
		}
		for f := range r.Forms() {
			for _, a := range alts {
				delete(left, a.Name+"="+f.Mod(a.Name))
			}
			if len(left) == 0 {
				break
			}
		}
		for v := range left {
			t.Errorf("%s: no form has %s", r.Syntax, v)
		}
	}
}

// TestParsePrintIdentity parses forms as printed and with their modifiers rearranged.
func TestParsePrintIdentity(t *testing.T) {
	sparse(7, func(r *Row, f *Form) {
		got, err := Parse(f.Mnemonic())
		if err != nil || got.Mnemonic() != f.Mnemonic() || got.Row() != r {
			t.Errorf("%s: parsed as %v of %v, %v", f.Mnemonic(), got, r.Syntax, err)
			return
		}
		if !slices.Equal(got.Operands(), f.Operands()) {
			t.Errorf("%s: other operands", f.Mnemonic())
		}
	})
}

// TestAnyOrder moves the modifiers that are no types to the end and to the front: the form must stay the same object.
func TestAnyOrder(t *testing.T) {
	sparse(97, func(r *Row, f *Form) {
		want, err := Parse(f.Mnemonic())
		if err != nil {
			t.Fatal(err)
		}
		var types, rest []string
		for _, m := range f.Mods() {
			if TypeOf(m) != NoType {
				types = append(types, m)
			} else {
				rest = append(rest, m)
			}
		}
		for _, order := range [][]string{slices.Concat(rest, types), slices.Concat(types, rest)} {
			spelled := strings.Join(append([]string{r.Opcode()}, order...), ".")
			if got, err := Parse(spelled); err != nil || got != want {
				t.Errorf("%s: %v, %v, want %s", spelled, got, err, want)
			}
		}
	})
}

// TestOperandsMakeSense checks what every reader of Operands relies on.
func TestOperandsMakeSense(t *testing.T) {
	sparse(11, func(r *Row, f *Form) {
		for _, s := range f.Operands() {
			reg := s.Kind&(KindReg|KindVec) != 0
			switch {
			case s.Name == "" || s.Kind == 0:
				t.Errorf("%s: operand without name or kind", f)
			case reg && s.Type == NoType && s.Kind&KindFunc == 0:
				t.Errorf("%s: operand %s has no type", f, s.Name)
			case reg && s.Type != NoType && !s.Type.Register().Declarable():
				t.Errorf("%s: operand %s: no register holds %s", f, s.Name, s.Type)
			case s.Kind == KindVec && s.N == 0:
				t.Errorf("%s: operand %s is a vector of no length", f, s.Name)
			case s.Kind&KindTensor != 0 && (s.N < 1 || s.N > 5):
				t.Errorf("%s: operand %s has %d coordinates", f, s.Name, s.N)
			}
		}
	})
}

// TestWhereLanguage exercises the conditions on a row of its own.
func TestWhereLanguage(t *testing.T) {
	rows := []Row{{Syntax: "op{.a}{.x.y}.type d", Alt: A{"type", "u32 f32", "x", "x1 x2"}, Args: "d: T def",
		Where: "a => type=f32 or x=x1; type=u32 & x=x2 => never"}}
	tab := newTable(rows)
	for in, want := range map[string]string{
		"op.u32": "", "op.f32": "", "op.a.f32": "", "op.a.x1.y.u32": "", "op.x1.y.u32": "",
		"op.a.u32":    "a => type=f32 or x=x1",
		"op.x2.y.u32": "type=u32 & x=x2 => never",
		"op.x1.f32":   ".x and .y go together",
		"op.y.f32":    ".x and .y go together",
	} {
		_, err := tab.parse(in)
		var e *Error
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", in, err)
		case want != "" && (!errors.As(err, &e) || e.Where != want):
			t.Errorf("%s: got %v, want the condition %q", in, err, want)
		}
	}
}

// TestTableMistakes proves that a wrong text of a row is reported and not read over.
func TestTableMistakes(t *testing.T) {
	for _, r := range []Row{
		{Syntax: "op{.a d"},
		{Syntax: "op.u32 d", Where: "b => never"},
		{Syntax: "op.type d", Alt: A{"type", "u32"}, Where: "type=f32 => never"},
		{Syntax: "op.u32 nobody"},
		{Syntax: "op.u32 d", Args: "e: u32"},
		{Syntax: "op.u32 d", Args: "d: u32 sideways"},
		{Syntax: "op.u32 [d", Args: ""},
		{Syntax: "op.a.b d", Alt: A{"a", "x y", "b", "x z"}, Where: "x => never", Args: "d: u32"},
	} {
		if r.Check() == nil {
			t.Errorf("%q, where %q, args %q: accepted", r.Syntax, r.Where, r.Args)
		}
	}
}

func TestAssign(t *testing.T) {
	r, i, v, a, l := KindReg, KindImm, KindVec, KindAddr, KindList
	for _, c := range []struct {
		mnemonic string
		kinds    []Kind
		want     []int // nil: an error
	}{
		{"bar.sync", []Kind{i}, []int{0}},
		{"bar.sync", []Kind{i, i}, []int{0, 1}},
		{"bar.sync", []Kind{}, nil},
		{"bar.red.popc.u32", []Kind{r, i, r}, []int{0, 1, 3}},
		{"bar.red.popc.u32", []Kind{r, i, i, r}, []int{0, 1, 2, 3}},
		{"cp.async.ca.shared.global.L2::cache_hint", []Kind{a, a, i, r}, []int{0, 1, 2, 4}},
		{"cp.async.ca.shared.global", []Kind{a, a, i, r}, []int{0, 1, 2, 3}},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", []Kind{v, r, r, r, i, i, i, i}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", []Kind{v, v, r, r, i, i, i}, []int{0, 1, 2, 3, 4, 5, 7}},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", []Kind{v, r, r, r, i, i, i}, nil},
		{"call.uni", []Kind{KindFunc}, []int{1}},
		{"call.uni", []Kind{l, KindFunc, l}, []int{0, 1, 2}},
		{"call.uni", []Kind{KindFunc, l}, []int{1, 2}},
		{"add.s32", []Kind{r, r}, nil},
		{"add.s32", []Kind{r, r, i, i}, nil},
	} {
		f, err := Parse(c.mnemonic)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Assign(c.kinds)
		if (err == nil) != (c.want != nil) || !slices.Equal(got, c.want) {
			t.Errorf("%s %v: got %v, %v, want %v", c.mnemonic, c.kinds, got, err, c.want)
		}
	}
}

func TestRegisterCounts(t *testing.T) {
	for mnemonic, want := range map[string][]int{
		"wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16":     {128, 4},
		"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16":         {2, 4},
		"wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.u8":          {32, 4},
		"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32":       {4, 4, 2, 4},
		"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16":         {2, 4, 2, 2},
		"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32":        {4, 4, 2, 4},
		"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32":           {4, 4, 2, 4},
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64":           {2, 1, 1, 2},
		"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc": {4, 4, 2, 4},
		"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16":            {4},
	} {
		f, err := Parse(mnemonic)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range want {
			if got := f.Operands()[i].N; got != n {
				t.Errorf("%s: operand %d has %d registers, want %d", mnemonic, i, got, n)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"add.ftz.rn.f32", "ld.global.nc.L1::no_allocate.v4.b32", "cvt.rn.f16.f32", "mma.sync.aligned", "a..b", "ld.v8.v4.v2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		form, err := Parse(s)
		if err != nil {
			if !errors.Is(err, ErrUnmodelled) && !errors.Is(err, ErrInvalid) {
				t.Fatalf("%q: %v is of no kind", s, err)
			}
			return
		}
		if again, err := Parse(form.Mnemonic()); err != nil || again != form {
			t.Fatalf("%q prints as %q, which parses as %v, %v", s, form.Mnemonic(), again, err)
		}
	})
}

func BenchmarkParseKnown(b *testing.B) {
	for b.Loop() {
		if _, err := Parse("ld.global.nc.L1::no_allocate.v4.b32"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseRefused(b *testing.B) {
	for b.Loop() {
		if _, err := Parse("ld.global.nc.L1::no_allocate.v4.b64"); err == nil {
			b.Fatal("accepted")
		}
	}
}
