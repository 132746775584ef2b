package ir_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/ir"
)

func TestParseReadsWhatStringWrites(t *testing.T) {
	for _, c := range []struct {
		name     string
		contract ir.Contract
		body     func(*ir.Kernel)
	}{
		{"rms_norm", ir.Contract{Block: [3]int{32}}, rmsNorm},
		{"everything", ir.Contract{Block: [3]int{64, 2, 1}, Cluster: [3]int{2, 1, 1}, DynamicSharedBytes: 64, MaxRegisters: 80, ProgrammaticLaunch: true,
			AllowStackBytes: 64, Why: "a table \"that\" does\nnot fit"}, everything},
		{"boxes", ir.Contract{Block: [3]int{32}, DynamicSharedBytes: 8704}, boxCopies},
	} {
		k, err := ir.BuildFunc(c.name, c.contract, c.body)
		if err != nil {
			t.Fatal(err)
		}
		text := k.String()
		again, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := again.String(); got != text {
			t.Errorf("printed\n%s\nparsed\n%s", text, got)
		}
		if found := ir.Verify(again); len(found) > 0 {
			t.Errorf("a parsed kernel does not verify: %v", ir.Findings(found))
		}
		golden(t, c.name+".ir", text)
	}
}

// everything uses each kind of construct once.
func everything(k *ir.Kernel) {
	p := ir.GlobalParam[ir.BF16](k, "p", ir.Aligned(16), ir.Writes)
	w := ir.GlobalParam[ir.F32](k, "w", ir.Constant, ir.Aligned(16))
	n := ir.Param[ir.S32](k, "n")
	static := ir.SharedArray[ir.F32](k, "tile", 64, 16)
	dynamic := ir.DynamicShared[ir.F32](k, 16)
	stack := ir.LocalArray[ir.F32](k, "stack", 16, 16)
	v := w.LoadVec(4, ir.NC, ir.L1NoAllocate, k.Policy(ir.EvictFirst))
	k.GridDependencyWait()
	count := ir.NewVar(k.ConstS32(-3))
	best := ir.NewVar(v[0])
	for range k.While(func() ir.Pred { return count.Get().Less(n) }, ir.NoUnroll) {
		k.If(v[1].Less(best.Get(), ir.FTZ), func() {
			best.Set(v[1])
		}).Else(func() {
			best.Set(best.Get().MulAdd(v[2], v[3], ir.RZ, ir.Sat))
			count.Set(count.Get().Add(k.ConstS32(2)))
		})
		count.Set(count.Get().Add(k.ConstS32(1)))
	}
	for i := range ir.Loop(k, k.ConstU64(0), k.ConstU64(4), k.ConstU64(1)) {
		stack.At(i).Store(best.Get())
		best.Set(best.Get().Add(stack.AtConst(3).Load()))
	}
	static.At(k.TIDX()).Store(best.Get())
	k.Barrier()
	dynamic.AtConst(2).AtomicAdd(best.Get(), ir.AcquireRelease, ir.ScopeBlock)
	lanes, all := k.TIDX().MatchAll()
	ir.Cast[ir.U32](p).StoreVec(ir.Vec[ir.U32]{lanes, ir.Select(all, k.LaneID(), lanes)}, ir.CS)
	k.ConstF32(1e-30).ConvertToBF16x2(k.ConstF32(-0.0)).AsU32().PermuteBytes(lanes, k.ConstU32(0x5410))
	p.AtByte(n).AtConst(-3).Store(ir.ConstBits[ir.BF16](k, 0x3f80))
	k.If(all, func() { k.Exit() })
	k.Trap()
}

func TestParseErrors(t *testing.T) {
	const head = "kernel @k target sm_90a\nblock 32 1 1\nparam %x global.f32\n{\n"
	for _, c := range []struct{ text, want string }{
		{"", "want \"kernel"},
		{"kernel k target sm_90a", "no kernel name"},
		{"kernel @k target sm_90a\nspeed 3\n", "unknown header line"},
		{"kernel @k target sm_90a\nblock 32 1\n", "want a word"},
		{"kernel @k target sm_90a\narray %a global.f32 count 3\n", "an array is in shared"},
		{head, "without }"},
		{head + "yield\n}\nmore", "after the kernel"},
		{head + "\t%1 = frobnicate f32\n", `no op "frobnicate"`},
		{head + "\t%1 = load f32 %y\n", "%y is not defined"},
		{head + "\t%x = tid.x u32\n", "defined twice"},
		{head + "\t%1 = load f32*2 %x\n", "1 results, 2 types"},
		{head + "\t%1 = add f99 %x, %x\n", "unknown type"},
		{head + "\t%1 = add u8 u8:256, u8:1\n", "bad constant"},
		{head + "\t%1 = load f32 %x {off=one}\n", "bad number"},
		{head + "\t%1 = load f32 %x {cache=l9}\n", "not offered"},
		{head + "\t%1 = load f32 %x {colour=red}\n", "no attribute"},
		{head + "\t%1 = load f32 %x,\n", "operand after the comma"},
		{head + "\twhy\n", "no op"},
		{head + strings.Repeat("loop u32:0, u32:1, u32:1 () {\n", 200), "nested"},
		{"kernel @k target sm_90a\nwhy \"x\n", "without end"},
	} {
		_, err := ir.Parse(c.text)
		var syntax *ir.ParseError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) || syntax.Line < 1 {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"rmsnorm.ir", "everything.ir"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("kernel @k target sm_90a\nblock 1 1 1\n{\n\t%1 = while u32 u32:0 (%2: u32) {\n\tyield pred:true, %2\n\t} () {\n\tyield %2\n\t}\n\tyield\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ir.Parse(text)
		if err != nil {
			return
		}
		ir.Verify(k)
		printed := k.String()
		again, err := ir.Parse(printed)
		if err != nil {
			t.Fatalf("printed text does not parse: %v\n%s", err, printed)
		}
		if got := again.String(); got != printed {
			t.Fatalf("printing is not stable:\n%s\n%s", printed, got)
		}
	})
}
