package ptxcase

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	oxrt "github.com/oxideinfer/oxide/runtime"
)

// TestRecordedArtifact: parameters lie where the driver puts them, and the launch is what the case says.
func TestRecordedArtifact(t *testing.T) {
	for _, name := range []string{"tri_matmul_tma", "cu_cluster_dsmem", "cu_bits"} {
		c, err := load(filepath.Join(foreign, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		l := &c.Launches[0]
		a, err := artifact(c, l, []byte("cubin"))
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Launch.Params) != len(l.Params) || a.Launch.Block != dim(l.Block) || a.Entry != l.Entry {
			t.Errorf("%s: %+v", name, a.Launch)
		}
		if cl := l.Cluster; cl != nil && a.Launch.Cluster != dim(*cl) {
			t.Errorf("%s: cluster %v", name, a.Launch.Cluster)
		}
		for i, p := range a.Launch.Params {
			if l.Params[i].Type == "tensormap" && (p.Size != 128 || p.Offset%64 != 0) {
				t.Errorf("%s: tensor map of %d bytes at %d", name, p.Size, p.Offset)
			}
		}
	}
	c, err := load(filepath.Join(foreign, "tri_vadd_tail.json"))
	if err != nil {
		t.Fatal(err)
	}
	c.Launches[0].Params = c.Launches[0].Params[1:]
	if _, err := artifact(c, &c.Launches[0], nil); err == nil || !strings.Contains(err.Error(), "parameters") {
		t.Errorf("a parameter too few: %v", err)
	}
}

// TestKeepRecording: outputs take the place of older ones, inputs and unknown fields stay, and the case then differs
// from the emulator exactly where the outputs do.
func TestKeepRecording(t *testing.T) {
	path := edited(t, "tri_vadd_tail", nil)
	c, err := loadUnrecorded(path)
	if err != nil {
		t.Fatal(err)
	}
	out := c.Outputs[0]
	data := bytes.Clone(c.data.Find(out.Tensor).Data)
	data[0] ^= 1
	if err := c.keep(path, map[string][]byte{out.Buffer: data}); err != nil {
		t.Fatal(err)
	}
	if err := writeHeader(path, recorded{"some GPU", 13000, "13.0.88", nil, 2}); err != nil {
		t.Fatal(err)
	}
	r := Run(path, Options{})
	if r.Status != StatusDiffers || r.Outputs[0].Different != 1 {
		t.Errorf("status %s, outputs %+v", r.Status, r.Outputs)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fields struct {
		About    string
		Recorded recorded
	}
	if err := json.Unmarshal(raw, &fields); err != nil || fields.About == "" || fields.Recorded.GPU != "some GPU" {
		t.Errorf("%+v: %v", fields, err)
	}
}

// TestRecordNeedsCubin: without an assembler the cubin has to lie beside the case.
func TestRecordNeedsCubin(t *testing.T) {
	r := &Recorder{Device: &oxrt.Device{}}
	if err := r.Record(edited(t, "tri_vadd_tail", nil)); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
