package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGeneratedFilesAreCurrent makes the files again and compares; a leftover file fails too.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	const dir = "../.."
	want, err := files()
	if err != nil {
		t.Fatal(err)
	}
	have, err := filepath.Glob(filepath.Join(dir, "z*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(have) != len(want) {
		t.Errorf("%d generated files, want %d: run go generate ./ir", len(have), len(want))
	}
	for name, data := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(got, data) {
			t.Errorf("%s is stale: run go generate ./ir", name)
		}
	}
}
