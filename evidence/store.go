package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrExists marks a record that is there already with other content: records are written once.
var ErrExists = errors.New("evidence: record exists")

var unsafeRunes = regexp.MustCompile(`[^a-z0-9]+`)

// FileName is where a record lives below a store's folder: its place follows from its content.
func (r *Record) FileName() string {
	algorithm := r.Algorithm
	if algorithm == "" {
		algorithm = "all"
	}
	device := strings.Trim(unsafeRunes.ReplaceAllString(strings.ToLower(r.Device.Name), "-"), "-")
	base := fmt.Sprintf("%s-%s-%s-%s-%s", r.Level, algorithm, device, r.Source.Commit[:12], r.Began.UTC().Format("20060102T150405"))
	if r.Parts > 1 {
		base += fmt.Sprintf("-part%dof%d", r.Part, r.Parts)
	}
	return path.Join("records", r.Operator, base+".json")
}

// Store is a folder of records. Files in it are written once and never changed.
type Store struct{ Dir string }

// Put writes a record and returns its file's name in the store. Writing the same bytes again does nothing; other content
// under the same name is refused with ErrExists.
func (s Store) Put(r *Record) (string, error) {
	data, err := Encode(r)
	if err != nil {
		return "", err
	}
	return r.FileName(), s.place(r.FileName(), data)
}

func (s Store) place(name string, data []byte) error {
	to := filepath.Join(s.Dir, filepath.FromSlash(name))
	if there, err := os.ReadFile(to); err == nil && bytes.Equal(there, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return WriteOnce(to, data)
}

// WriteOnce creates a file that holds either all of data or does not exist: a temporary file beside it is written and
// flushed, then linked to its name. A file of that name is refused with ErrExists and left alone.
func WriteOnce(to string, data []byte) (err error) {
	tmp, err := writeTemporary(to, data)
	if err != nil {
		return err
	}
	defer func() {
		if gone := os.Remove(tmp); err == nil {
			err = gone
		}
	}()
	if err := os.Link(tmp, to); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %s", ErrExists, to)
	} else if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// Replace writes a generated file: readers see the old content or the new one.
func Replace(to string, data []byte) error {
	tmp, err := writeTemporary(to, data)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, to); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncFolder(filepath.Dir(to))
}

// writeTemporary writes and flushes a new file beside the one that is meant, and removes it if that fails.
func writeTemporary(to string, data []byte) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(to), ".unfinished-*")
	if err != nil {
		return "", err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("%s was not written: %w", to, err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// syncFolder makes a new name last. Systems on which a folder cannot be flushed refuse it, which is no failure.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = f.Sync()
	return f.Close()
}

// Stored is a record in a store.
type Stored struct {
	File   string
	Data   []byte
	Record *Record
}

// Load reads every record, by file name. A file that is no record, or is not where its content says, is an error; all are
// reported together.
func (s Store) Load() ([]Stored, error) {
	var all []Stored
	var bad []error
	root := filepath.Join(s.Dir, "records")
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		rel, err := filepath.Rel(s.Dir, at)
		if err != nil {
			return err
		}
		one, err := load(at, filepath.ToSlash(rel))
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", at, err))
			return nil
		}
		all = append(all, one)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return all, errors.Join(append(bad, err)...)
}

func load(at, name string) (Stored, error) {
	info, err := os.Stat(at)
	if err != nil {
		return Stored{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxBytes {
		return Stored{}, fmt.Errorf("%w: want a file of at most %d bytes", ErrTooLong, MaxBytes)
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return Stored{}, err
	}
	r, err := Decode(data)
	if err != nil {
		return Stored{}, err
	}
	if r.FileName() != name {
		return Stored{}, fmt.Errorf("%w: its content belongs into %s", ErrInvalid, r.FileName())
	}
	return Stored{name, data, r}, nil
}
