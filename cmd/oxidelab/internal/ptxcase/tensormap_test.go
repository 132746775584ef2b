package ptxcase

import (
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

func TestEncodeMaps(t *testing.T) {
	good := mapDesc{Name: "m", Buffer: "x", DType: "bf16", Rank: 2, Dims: []uint64{128, 4}, Strides: []uint64{256}, Box: []uint32{64, 4}, Steps: []uint32{1, 1},
		Interleave: "none", Swizzle: "128B", L2Promotion: "256B", OOBFill: "nan"}
	for _, c := range []struct {
		name   string
		edit   func(d *mapDesc)
		status string // of the error; "" for none
		found  bool   // a finding
	}{
		{"good", func(*mapDesc) {}, "", false},
		{"refused", func(d *mapDesc) { d.Box[0] = 65 }, "", true},
		{"misplaced", func(d *mapDesc) { d.Offset = 8 }, "", true},
		{"dtype", func(d *mapDesc) { d.DType = "f13" }, StatusUnreadable, false},
		{"buffer", func(d *mapDesc) { d.Buffer = "y" }, StatusUnreadable, false},
		{"rank", func(d *mapDesc) { d.Rank = 3 }, StatusUnreadable, false},
		{"swizzle", func(d *mapDesc) { d.Swizzle = "256B" }, StatusUnreadable, false},
		{"unmodelled", func(d *mapDesc) {
			d.Rank, d.Dims, d.Strides, d.Box, d.Steps, d.Swizzle = 3, []uint64{128, 4, 2}, []uint64{256, 1024}, []uint32{64, 4, 1}, []uint32{1, 1, 1}, "none"
			d.Interleave = "16B"
		}, StatusUnmodelled, false},
	} {
		d := good
		d.Box = append([]uint32(nil), good.Box...)
		c.edit(&d)
		r := &Report{}
		maps, err := r.encodeMaps(&loaded{caseFile: caseFile{Maps: []mapDesc{d}}}, map[string]uint64{"x": 4096})
		var in *inputError
		switch {
		case c.status != "":
			if !errors.As(err, &in) || in.status != c.status {
				t.Errorf("%s: %v", c.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.found != (maps["m"] == nil) || c.found != (len(r.Findings) == 1 && r.Findings[0].Class == emulate.LaunchMap):
			t.Errorf("%s: map %d bytes, findings %v", c.name, len(maps["m"]), r.Findings)
		}
	}
}

// TestRefusedMap: a map that the driver refuses is a finding; the launch that takes it does not run.
func TestRefusedMap(t *testing.T) {
	r := Run(edited(t, "tri_matmul_tma", map[string][2]string{".json": {`"swizzle": "128B"`, `"swizzle": "64B"`}}), Options{})
	if r.ExitCode() != 1 || len(r.Findings) != 1 || r.Findings[0].Class != emulate.LaunchMap || r.ThreadInstructions != 0 {
		t.Errorf("exit %d, %d thread instructions, findings %v, %s", r.ExitCode(), r.ThreadInstructions, r.Findings, r.Error)
	}
}
