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
