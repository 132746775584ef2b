package evidence

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// committed is the lookup of a library whose only kernel is that of the example.
func committed(ptx string) Committed {
	return func(entry, target string) (Artifact, bool) {
		return Artifact{entry, "BF16", target, ptx, digest}, entry == "Row_BF16"
	}
}

func archive(t *testing.T, records ...*Record) []byte {
	t.Helper()
	data, err := Archive(records)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestImportWritesOnce(t *testing.T) {
	s, r := Store{t.TempDir()}, example(t)
	data := archive(t, r)
	for range 2 { // the same bytes again change nothing
		if added, err := s.Import(bytes.NewReader(data)); err != nil || len(added) != 1 {
			t.Fatalf("%v %v", added, err)
		}
	}
	file := filepath.Join(s.Dir, r.FileName())
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r.Claims = []string{"something else"}
	if _, err := s.Import(bytes.NewReader(archive(t, r))); !errors.Is(err, ErrExists) {
		t.Errorf("overwriting: %v", err)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the record changed: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
}

func TestImportRefusesBadArchives(t *testing.T) {
	r := example(t)
	good := archive(t, r)
	bad := map[string][]byte{
		"half an archive": good[:700],
		"moved record":    bytes.Replace(good, []byte("records/normalization"), []byte("../../../x/malization"), 1),
		"twice the same":  archive(t, r, r),
		"edited record":   bytes.Replace(good, []byte(`"median_us":1.015`), []byte(`"median_us":0.915`), 1),
	}
	for name, data := range bad {
		s := Store{t.TempDir()}
		if bytes.Equal(data, good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := s.Import(bytes.NewReader(data)); err == nil {
			t.Errorf("%s was imported", name)
		}
		if entries, _ := os.ReadDir(s.Dir); len(entries) > 0 {
			t.Errorf("%s left %v", name, entries)
		}
	}
}

func TestVerify(t *testing.T) {
	s, r := Store{t.TempDir()}, example(t)
	if _, err := s.Put(r); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(committed(digest)); err == nil {
		t.Error("no index is no error")
	}
	if _, err := s.WriteIndex(committed(digest)); err != nil {
		t.Fatal(err)
	}
	entries, err := s.Verify(committed(digest))
	if err != nil || len(entries) != 1 || entries[0].Passed != 1 || entries[0].Stale != nil {
		t.Fatalf("%+v %v", entries, err)
	}
	other := strings.Repeat("ab", 32)
	if _, err := s.Verify(committed(other)); err == nil || !strings.Contains(err.Error(), "1 of its kernels are not the committed ones") {
		t.Errorf("a changed kernel: %v", err)
	}
	entries, err = s.WriteIndex(committed(other))
	if err != nil || len(entries[0].Stale) != 1 {
		t.Errorf("it is not listed as stale: %+v %v", entries, err)
	}
	if _, err := s.Verify(committed(other)); err != nil {
		t.Errorf("a stale record that is listed: %v", err)
	}
}

func TestVerifyFindsEdits(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, file string, data []byte) error{
		"changed claim": func(t *testing.T, file string, data []byte) error {
			return os.WriteFile(file, bytes.Replace(data, []byte(`"c"`), []byte(`"C"`), 1), 0o644)
		},
		"removed": func(t *testing.T, file string, _ []byte) error { return os.Remove(file) },
		"copied":  func(t *testing.T, file string, data []byte) error { return os.WriteFile(file+"x", data, 0o644) },
		"cut": func(t *testing.T, file string, data []byte) error {
			return os.WriteFile(file, data[:len(data)/2], 0o644)
		},
	} {
		s, r := Store{t.TempDir()}, example(t)
		if _, err := s.Put(r); err != nil {
			t.Fatal(err)
		}
		if _, err := s.WriteIndex(committed(digest)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(s.Dir, r.FileName())
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := spoil(t, file, data); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Verify(committed(digest)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
