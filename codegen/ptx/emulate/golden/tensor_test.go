package golden

import (
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// TestTensor demands the bits of an H200 for every recorded case of matrix instructions.
func TestTensor(t *testing.T) {
	r, err := TensorRecording()
	if err != nil {
		t.Fatal(err)
	}
	problems := 0
	for _, c := range Tensor() {
		// What is checked here is arithmetic and layout; some descriptors start where a checker warns.
		for name, got := range emulated(t, c, emulate.Config{Off: emulate.AllChecks}) {
			different, first, err := r.Compare(c.Name+"/"+name, got)
			if err != nil {
				t.Fatal(err)
			}
			problems += int(c.Grid)
			if different > 0 {
				t.Errorf("%s: %d of %d words differ from %s; word %d is %#x, recorded %#x", c.Name, different, len(got)/4, r.Header["gpu"], first, got[4*first:4*first+4], r.Word(c.Name+"/"+name, first))
			}
		}
	}
	if problems < 500 {
		t.Errorf("%d products recorded, want at least 500", problems)
	}
	t.Logf("%d products, recorded %v", problems, r.Header)
}
