package differential

import (
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// TestPassesAndSchedulesAgree runs programs as recorded and after the passes, each under two schedules.
func TestPassesAndSchedulesAgree(t *testing.T) {
	for seed := range uint64(60) {
		var first []byte
		for _, passes := range []bool{false, true} {
			text, err := Text(passes, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, cfg := range []emulate.Config{{}, {Seed: 7, SMs: 1}} {
				got, err := Emulate(text, seed, cfg)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, text)
				}
				if first == nil {
					first = got
				}
				if d := difference(first, got); d != "" {
					t.Fatalf("seed %d, passes %v, schedule %d: %s\n%s", seed, passes, cfg.Seed, d, text)
				}
			}
		}
	}
}

// TestProgramsReachEveryMethod demands that a few hundred programs call nearly all that can be called, so that a
// device run covers the table.
func TestProgramsReachEveryMethod(t *testing.T) {
	if n := len(plain); n < 300 {
		t.Errorf("%d plain methods", n)
	}
	if n := len(convergent); n < 40 {
		t.Errorf("%d convergent methods", n)
	}
}
