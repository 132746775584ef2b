package evidence

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxArchived bounds the records of one archive.
const maxArchived = 1 << 14

// Archive returns a tar file of records, as a device hands them over.
func Archive(records []*Record) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, r := range records {
		data, err := Encode(r)
		if err != nil {
			return nil, err
		}
		h := &tar.Header{Name: r.FileName(), Mode: 0o644, Size: int64(len(data)), ModTime: r.Ended.UTC(), Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// ReadArchive reads the records of a tar file. One bad entry makes all of it bad: nothing of such a file is imported.
func ReadArchive(r io.Reader) ([]*Record, error) {
	var all []*Record
	names := map[string]bool{}
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: archive: %w", ErrInvalid, err)
		}
		if len(all) == maxArchived || names[h.Name] {
			return nil, fmt.Errorf("%w: archive: %s is there twice, or there are more than %d records", ErrInvalid, h.Name, maxArchived)
		}
		one, err := readEntry(t, h)
		if err != nil {
			return nil, fmt.Errorf("archive: %s: %w", h.Name, err)
		}
		names[h.Name] = true
		all = append(all, one)
	}
}

func readEntry(t *tar.Reader, h *tar.Header) (*Record, error) {
	if h.Typeflag != tar.TypeReg || h.Size > MaxBytes {
		return nil, fmt.Errorf("%w: want a file of at most %d bytes", ErrTooLong, MaxBytes)
	}
	data, err := io.ReadAll(t)
	if err != nil {
		return nil, err
	}
	r, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if r.FileName() != h.Name {
		return nil, fmt.Errorf("%w: its content belongs into %s", ErrInvalid, r.FileName())
	}
	return r, nil
}

// Import puts every record of an archive into the store and returns how many were new. If one of them cannot be stored, the
// new ones that came before it are complete, and importing again goes on behind them.
func (s Store) Import(archive io.Reader) (added []string, err error) {
	records, err := ReadArchive(archive)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		name, err := s.Put(r)
		if err != nil {
			return added, err
		}
		added = append(added, name)
	}
	return added, nil
}
