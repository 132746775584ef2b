package safetensors

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write writes tensors in the given order.
func Write(w io.Writer, f *File) error {
	header, err := encodeHeader(f)
	if err != nil {
		return err
	}
	var n [lengthBytes]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(header)))
	if _, err := w.Write(n[:]); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for i := range f.Tensors {
		if _, err := w.Write(f.Tensors[i].Data); err != nil {
			return err
		}
	}
	return nil
}

// encodeHeader makes the JSON header, padded with blanks so that the data start at a multiple of 8 bytes.
func encodeHeader(f *File) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	if len(f.Metadata) > 0 {
		meta, err := json.Marshal(f.Metadata)
		if err != nil {
			return nil, err
		}
		b.WriteString(`"` + metadataKey + `":`)
		b.Write(meta)
	}
	at := int64(0)
	seen := map[string]bool{metadataKey: true}
	for i := range f.Tensors {
		t := &f.Tensors[i]
		if seen[t.Name] {
			return nil, fail(t.Name, "the name is taken")
		}
		seen[t.Name] = true
		if n, ok := bytesOf(t.DType, t.Shape); !ok || t.DType.Size() == 0 || n != int64(len(t.Data)) {
			return nil, fail(t.Name, "shape %v of %s does not fit %d bytes", t.Shape, t.DType, len(t.Data))
		}
		end := at + int64(len(t.Data))
		shape := append([]int64{}, t.Shape...) // not nil: a scalar's shape is []
		line, err := json.Marshal(written{t.DType, shape, [2]int64{at, end}})
		if err != nil {
			return nil, err
		}
		name, err := json.Marshal(t.Name)
		if err != nil {
			return nil, err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(line)
		at = end
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	return b.Bytes(), nil
}

// Writable tells whether WriteFile may put a file at path: nothing is there yet, or a regular file that is none
// of keep, under whatever name.
func Writable(path string, keep ...string) error {
	at, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !at.Mode().IsRegular() {
		return fail("", "%s exists and is no regular file", path)
	}
	for _, k := range keep {
		if info, err := os.Stat(k); err == nil && os.SameFile(at, info) {
			return fail("", "%s is the same file as %s", path, k)
		}
	}
	return nil
}

// WriteFile writes a file beside its final place and renames it: a failure leaves no half file. What is at path
// already must be [Writable].
func WriteFile(path string, f *File) (err error) {
	if err := Writable(path); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".safetensors-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	w := bufio.NewWriterSize(tmp, 1<<20)
	if err = Write(w, f); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return err
	}
	if err = tmp.Chmod(0o644); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// written is the description of one tensor as it stands in the header.
type written struct {
	DType   DType    `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}
