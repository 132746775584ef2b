package ir

import (
	"testing"

	"github.com/oxideinfer/oxide/ir/op"
)

// No op of the table demands a uniform operand yet; the rule is tested on rows that are changed to do so.
func TestDemandedUniformity(t *testing.T) {
	for name, bad := range map[string]func(*Kernel) U32{
		"thread": func(k *Kernel) U32 { return k.TIDX() },
		"lane":   func(k *Kernel) U32 { return k.LaneID().Add(k.CTAIDX()) },
	} {
		t.Run(name, func(t *testing.T) {
			k, err := BuildFunc("demand", Contract{Block: [3]int{64}}, func(k *Kernel) {
				k.Nanosleep(k.Uniform(bad(k)))
				k.Nanosleep(bad(k))
			})
			if err != nil {
				t.Fatal(err)
			}
			k.Body.Walk(func(o *Op) bool {
				if o.Info.Name == "nanosleep" {
					demanding := *o.Info
					demanding.Demands = []op.Demand{{Slot: "ns", Level: op.UniformWarp}}
					o.Info = &demanding
				}
				return true
			})
			found := Verify(k)
			if len(found) != 1 || found[0].Code != CodeNotUniform || found[0].Pos[0].Line != 18 {
				t.Errorf("findings %v", found)
			}
		})
	}
}

// No op of the table is tied yet, either: here mad updates z in place.
func TestTiedOperands(t *testing.T) {
	for name, c := range map[string]struct {
		body func(*Kernel)
		line int
	}{
		"chain": {func(k *Kernel) {
			x := k.TIDX()
			acc := NewVar(x.Not())
			for range k.Loop(k.ConstU32(0), k.ConstU32(4), k.ConstU32(1)) {
				acc.Set(x.MulAdd(x, acc.Get()))
			}
			x.MulAdd(x, k.ConstU32(0)).Not()
		}, 0},
		"either branch": {func(k *Kernel) {
			x, acc := k.TIDX(), NewVar(k.LaneID())
			k.If(x.Less(k.ConstU32(3)), func() { acc.Set(x.MulAdd(x, acc.Get())) }).Else(func() { acc.Set(x.MulAdd(x.Not(), acc.Get())) })
		}, 0},
		"read again": {func(k *Kernel) {
			x, acc := k.TIDX(), k.LaneID()
			sum := x.MulAdd(x, acc) // found here
			sum.Add(acc)
		}, 59},
		"from outside": {func(k *Kernel) {
			x, acc := k.TIDX(), k.LaneID()
			for range k.Loop(k.ConstU32(0), k.ConstU32(4), k.ConstU32(1)) {
				x.MulAdd(x, acc) // found here
			}
		}, 65},
		"parameter": {func(k *Kernel) {
			k.TIDX().MulAdd(k.TIDX(), Param[U32](k, "n")) // found here
		}, 69},
	} {
		t.Run(name, func(t *testing.T) {
			k, err := BuildFunc("tied", Contract{Block: [3]int{64}}, c.body)
			if err != nil {
				t.Fatal(err)
			}
			k.Body.Walk(func(o *Op) bool {
				if o.Info.Name == "mad" {
					tied := *o.Info
					tied.Ties = []op.Tie{{Result: "r0", Arg: "z"}}
					o.Info = &tied
				}
				return true
			})
			found := Verify(k)
			switch {
			case c.line == 0 && len(found) > 0:
				t.Errorf("findings %v", Findings(found))
			case c.line > 0 && (len(found) != 1 || found[0].Code != CodeTied || found[0].Pos[0].Line != c.line):
				t.Errorf("want line %d, got %v", c.line, Findings(found))
			}
		})
	}
}
