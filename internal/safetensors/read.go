package safetensors

import (
	"cmp"
	"encoding/binary"
	"io"
	"os"
	"slices"
)

const (
	lengthBytes = 8
	// maxHeader is the format's own limit for the JSON header.
	maxHeader   = 100_000_000
	metadataKey = "__metadata__"
)

// ReadFile reads a regular file.
func ReadFile(path string) (*File, error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe waits for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fail("", "%s is a directory or no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The header is checked before the data is read: a wrong file of any size costs little.
	head := make([]byte, lengthBytes)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, fail("", "the file has %d bytes, too few for the header's length", info.Size())
	}
	n, err := headerLength(head, info.Size())
	if err != nil {
		return nil, err
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(f, header); err != nil {
		return nil, fail("", "cannot read the header: %v", err)
	}
	size := info.Size() - lengthBytes - n
	out, offsets, err := parseHeader(header, size)
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fail("", "cannot read the data: %v", err)
	}
	out.slice(data, offsets)
	return out, nil
}

// Parse reads the content of a file. The tensors' data alias b.
func Parse(b []byte) (*File, error) {
	if len(b) < lengthBytes {
		return nil, fail("", "the file has %d bytes, too few for the header's length", len(b))
	}
	n, err := headerLength(b, int64(len(b)))
	if err != nil {
		return nil, err
	}
	rest := b[lengthBytes:]
	out, offsets, err := parseHeader(rest[:n], int64(len(rest))-n)
	if err != nil {
		return nil, err
	}
	out.slice(rest[n:], offsets)
	return out, nil
}

func headerLength(b []byte, fileSize int64) (int64, error) {
	n := binary.LittleEndian.Uint64(b)
	switch {
	case n > maxHeader:
		return 0, fail("", "the header claims %d bytes, at most %d are allowed", n, maxHeader)
	case int64(n) > fileSize-lengthBytes:
		return 0, fail("", "the header claims %d bytes, the file has %d after the length", n, fileSize-lengthBytes)
	case n < 2:
		return 0, fail("", "the header has %d bytes, too few for a JSON object", n)
	}
	return int64(n), nil
}

// parseHeader checks the header against the size of the data.
func parseHeader(header []byte, size int64) (*File, [][2]int64, error) {
	raw, err := object(header)
	if err != nil {
		return nil, nil, err
	}
	out := &File{}
	var spans [][2]int64
	for _, m := range raw {
		if m.name == metadataKey {
			if out.Metadata, err = parseMetadata(m.value); err != nil {
				return nil, nil, err
			}
			continue
		}
		t, span, err := tensor(m, size)
		if err != nil {
			return nil, nil, err
		}
		out.Tensors = append(out.Tensors, t)
		spans = append(spans, span)
	}
	return sortTensors(out, spans, size)
}

// tensor checks one entry.
func tensor(m member, size int64) (Tensor, [2]int64, error) {
	t := Tensor{Name: m.name}
	e, err := parseEntry(m)
	if err != nil {
		return t, [2]int64{}, err
	}
	span := [2]int64{e.offsets[0], e.offsets[1]}
	if span[0] < 0 || span[1] < span[0] || span[1] > size {
		return t, span, fail(m.name, "data_offsets [%d, %d] do not lie in the %d bytes of data", span[0], span[1], size)
	}
	n, ok := bytesOf(e.dtype, e.shape)
	if !ok {
		return t, span, fail(m.name, "shape %v is negative or too large", e.shape)
	}
	if n != span[1]-span[0] {
		return t, span, fail(m.name, "shape %v of %s needs %d bytes, data_offsets give %d", e.shape, e.dtype, n, span[1]-span[0])
	}
	t.DType, t.Shape = e.dtype, e.shape
	return t, span, nil
}

// sortTensors orders tensors by their data, which must neither overlap nor leave gaps.
func sortTensors(f *File, spans [][2]int64, size int64) (*File, [][2]int64, error) {
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(spans[a][0], spans[b][0]), cmp.Compare(spans[a][1], spans[b][1]))
	})
	sorted := make([]Tensor, 0, len(order))
	out := make([][2]int64, 0, len(order))
	at := int64(0)
	for _, i := range order {
		switch s := spans[i]; {
		case s[0] < at:
			return nil, nil, fail(f.Tensors[i].Name, "its data overlap those of %q", sorted[len(sorted)-1].Name)
		case s[0] > at:
			return nil, nil, fail(f.Tensors[i].Name, "there is a gap of %d bytes before its data", s[0]-at)
		}
		at = spans[i][1]
		sorted, out = append(sorted, f.Tensors[i]), append(out, spans[i])
	}
	if at != size {
		return nil, nil, fail("", "the file has %d bytes of data, the tensors use %d", size, at)
	}
	f.Tensors = sorted
	return f, out, nil
}

func (f *File) slice(data []byte, spans [][2]int64) {
	for i := range f.Tensors {
		s := spans[i]
		f.Tensors[i].Data = data[s[0]:s[1]:s[1]]
	}
}
