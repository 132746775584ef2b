package cubin

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// unpack checks the wheel's hash and writes one member to path. The program appears under its name whole or not at
// all: it is written beside it and renamed.
func unpack(file, wantSHA256, member, path string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != wantSHA256 {
		return &HashError{file, wantSHA256, got}
	}
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	src, err := archive.Open(member)
	if err != nil {
		return fmt.Errorf("%s has no %s: %w", file, member, err)
	}
	defer src.Close()
	return writeProgram(path, src)
}

func writeProgram(path string, src io.Reader) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".unpack-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename, which is meant
	_, err = io.Copy(tmp, src)
	if err == nil {
		err = tmp.Chmod(0o755)
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(tmp.Name(), path)
}
