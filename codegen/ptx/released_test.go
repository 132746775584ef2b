package ptx_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// TestReleasedPTXIsCanonical reads every PTX file under gen/: what is assembled and hashed is the canonical spelling, byte for byte.
func TestReleasedPTXIsCanonical(t *testing.T) {
	files, err := filepath.Glob("../../gen/ptx/*/*.ptx")
	if err != nil || len(files) < 100 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, _ := ptx.Print(m); !bytes.Equal(text, again) {
			t.Errorf("%s is not canonical", name)
		}
	}
}
