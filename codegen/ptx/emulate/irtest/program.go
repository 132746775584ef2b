package irtest

import (
	"testing"

	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/pass"
)

// program is a kernel, ready to launch.
type program struct {
	ir   *ir.Kernel
	code *emulate.Kernel
}

// build makes the kernel that the test names.
func build(t testing.TB, kernel any) *ir.Kernel {
	t.Helper()
	switch v := kernel.(type) {
	case *ir.Kernel:
		return v
	case ir.Instance:
		k, err := ir.Build(v)
		if err != nil {
			t.Fatal(err)
		}
		return k
	case ir.Declaration:
		list := v.Instances()
		if len(list) != 1 {
			t.Fatalf("%s has %d instances; pass one of Instances()", v.AlgorithmName(), len(list))
		}
		return build(t, list[0])
	}
	t.Fatalf("a %T is no kernel: want an ir.Algorithm, an ir.Instance or a *ir.Kernel", kernel)
	return nil
}

// load takes the kernel through passes, lowering and PTX text into the emulator.
func load(t testing.TB, kernel any) *program {
	t.Helper()
	k := build(t, kernel)
	pass.Optimise(k, nil)
	if found := ir.Verify(k); len(found) > 0 {
		t.Fatalf("after the passes: %v", ir.Findings(found))
	}
	res, err := lower.Kernel(k)
	if err != nil {
		t.Fatal(err)
	}
	text, lines := ptx.Print(res.Module)
	m, err := ptx.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := emulate.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	p.Position = positions(res, lines)
	return &program{ir: k, code: p.Kernel(k.Name)}
}

// positions finds the Go line of a PTX line: that of the nearest instruction at or before it.
func positions(res *lower.Result, lines []ptx.Line) func(line int) string {
	of := map[*ptx.Instr]string{}
	for _, p := range res.Positions {
		if p.Op != nil {
			of[p.Instr] = p.Op.Pos.String()
		}
	}
	at := map[int]string{}
	for _, l := range lines {
		if pos, ok := of[l.Instr]; ok {
			at[l.Line] = pos
		}
	}
	return func(line int) string { return at[line] }
}

// launch runs the kernel once from the arguments as they are, and returns the findings and the memory that it left.
func (p *program) launch(t testing.TB, s *setup, at Schedule) ([]emulate.Finding, []memory) {
	t.Helper()
	cfg := s.config
	cfg.Async, cfg.Seed = at.Async, at.Seed
	dev := emulate.NewDevice(cfg)
	block, left := p.params(t, dev, s.args)
	c := p.ir.Contract
	launch := emulate.LaunchConfig{Grid: [3]uint32(s.grid), Dynamic: uint32(c.DynamicSharedBytes), Dependent: c.ProgrammaticLaunch}
	for i, n := range c.Block {
		launch.Block[i] = uint32(n)
	}
	for i, n := range c.Cluster {
		launch.Cluster[i] = uint32(n)
		launch.HasCluster = launch.HasCluster || n > 0
	}
	res, err := dev.Launch(p.code, launch, block)
	if err != nil {
		t.Fatal(err)
	}
	for i := range left {
		if err := dev.Read(left[i].addr, left[i].data); err != nil {
			t.Fatal(err)
		}
	}
	return res.Findings, left
}
