package emulate

import (
	"strings"
	"testing"
)

// roles is a kernel of three warpgroups of 128 threads: 65536/384 leaves 168 registers a thread.
func roles(producer, consumer string) string {
	return strings.Replace(kernelText(0, "setp.lt.u32 %p0, %r0, 128; @%p0 bra P;\n"+consumer+"\nbra.uni E;\nP: "+producer+"\nE:"), "\n{\n", "\n.reqntid 384, 1, 1\n{\n", 1)
}

func TestSetMaxNReg(t *testing.T) {
	inc, dec := "setmaxnreg.inc.sync.aligned.u32 ", "setmaxnreg.dec.sync.aligned.u32 "
	for _, c := range []struct {
		name, producer, consumer string
		part                     string // of the finding; "" for none
	}{
		{"fits", dec + "24;", inc + "240;", ""},
		{"fits exactly", dec + "40;", inc + "232;", ""},
		{"waits for ever", dec + "40;", inc + "240;", "the block's pool has 256"},
		{"nobody gives", "", inc + "240;", "it has 168 registers"},
		{"wrong direction", inc + "24;", dec + "160;", "an increase to 24 registers of a warp that has 168"},
		{"wrong direction down", dec + "176;", "", "a decrease to 176"},
		{"part of the warpgroup", "setp.lt.u32 %p1, %r0, 32; @%p1 bra Q; " + dec + "24; Q:", "", "of the same warpgroup never does"},
		{"unequal", "setp.lt.u32 %p1, %r0, 32; @%p1 bra Q; " + dec + "24; bra.uni E; Q: " + dec + "32;", "", "of the same warpgroup to"},
		{"part of the warp", "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 1; @%p1 " + dec + "24;", "", "takes the whole warpgroup"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(3) {
				res := newBench(t, Config{Seed: seed}, roles(c.producer, c.consumer)).launch(block(384), 0)
				if c.part == "" {
					if len(res.Findings) > 0 {
						t.Errorf("seed %d: %v", seed, res.Findings)
					}
					continue
				}
				if len(res.Findings) == 0 || res.Findings[0].Class != SetMaxNReg || !strings.Contains(res.Findings[0].Message, c.part) || res.Findings[0].Section != "9.7.19.5" {
					t.Errorf("seed %d: want %q: %v", seed, c.part, res.Findings)
				}
			}
		})
	}
	t.Run("no block size", func(t *testing.T) {
		res := newBench(t, Config{}, kernelText(0, dec+"24;")).launch(block(128), 0)
		if len(res.Findings) == 0 || res.Findings[0].Class != SetMaxNReg || !strings.Contains(res.Findings[0].Message, "the assembler ignores") {
			t.Errorf("findings %v", res.Findings)
		}
	})
}
