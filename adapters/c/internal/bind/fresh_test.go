package bind_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/oxideinfer/oxide/adapters/c/internal/bind"
)

// TestFresh: the committed files are what the description says now.
func TestFresh(t *testing.T) {
	files, err := bind.Files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "..", filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s is not current (%v): run go generate ./adapters/c", name, err)
		}
	}
}
