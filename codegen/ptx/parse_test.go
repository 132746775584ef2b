package ptx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// foreign returns the PTX files of other compilers.
func foreign(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/foreign/*.ptx")
	if err != nil || len(files) < 20 {
		t.Fatalf("foreign files: %d, %v", len(files), err)
	}
	return files
}

// TestForeignFixedPoint: what other compilers write parses, and printing reaches its fixed point at once.
func TestForeignFixedPoint(t *testing.T) {
	for _, file := range foreign(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checkFixedPoint(t, text)
		})
	}
}

// checkFixedPoint parses, prints, parses and prints, and returns the canonical text.
func checkFixedPoint(t *testing.T, text []byte) []byte {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	once, _ := Print(m)
	again, err := Parse(once)
	if err != nil {
		t.Fatalf("printed text does not parse: %v\n%s", err, once)
	}
	if twice, _ := Print(again); !bytes.Equal(once, twice) {
		t.Fatalf("printed text changes when it is read and printed:\n%s\n---\n%s", once, twice)
	}
	return once
}
