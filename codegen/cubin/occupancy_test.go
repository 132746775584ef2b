package cubin

import "testing"

// The expected numbers are those of NVIDIA's occupancy calculator for compute capability 9.0.
func TestOccupy(t *testing.T) {
	for _, c := range []struct {
		registers, threads, shared int
		blocks                     int
		by                         string
	}{
		{16, 128, 0, 16, "warps"},
		{32, 32, 0, 32, "blocks"},
		{40, 256, 0, 6, "registers"},
		{168, 384, 0, 1, "registers"},
		{255, 256, 0, 1, "registers"},
		{32, 1024, 0, 2, "warps"},
		{32, 128, 48 << 10, 4, "shared memory"},
		{32, 128, 227 << 10, 1, "shared memory"},
		{128, 128, 113 << 10, 2, "shared memory"},
	} {
		o, err := Occupy("sm_90a", c.registers, c.threads, c.shared)
		if err != nil || o.Blocks != c.blocks || o.LimitedBy != c.by || o.Warps != c.blocks*((c.threads+31)/32) {
			t.Errorf("%+v: %v %v", c, o, err)
		}
	}
	if _, err := Occupy("sm_90a", 32, 0, 0); err == nil {
		t.Error("0 threads are accepted")
	}
	if _, err := Occupy("sm_31", 32, 32, 0); err == nil {
		t.Error("an unknown target is accepted")
	}
}
