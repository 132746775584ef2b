// Command gen writes what package bind makes. It runs in adapters/c; `go generate` calls it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/oxideinfer/oxide/adapters/c/internal/bind"
)

func main() {
	if err := write(filepath.Join("..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	files, err := bind.Files()
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
