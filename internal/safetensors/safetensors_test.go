package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file makes the bytes of a file from a header text and a number of data bytes.
func file(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	return append(b, make([]byte, data)...)
}

func sample() *File {
	return &File{Metadata: map[string]string{"made": "by hand"}, Tensors: []Tensor{
		{"x", BF16, []int64{2, 3}, []byte("abcdefghijkl")},
		{"scalar", F32, nil, []byte{0, 0, 128, 63}},
		{"empty", E4M3, []int64{0, 5}, nil},
		{"ünicode \"quoted\"", I64, []int64{1}, make([]byte, 8)},
	}}
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := WriteFile(path, want); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := binary.LittleEndian.Uint64(raw); n%8 != 0 {
		t.Errorf("the data start at %d", n+8)
	}
	fromBytes, err := Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	fromFile, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []*File{fromBytes, fromFile} {
		if got.Metadata["made"] != "by hand" {
			t.Errorf("metadata %v", got.Metadata)
		}
		if len(got.Tensors) != len(want.Tensors) {
			t.Fatalf("%d tensors, want %d", len(got.Tensors), len(want.Tensors))
		}
		for _, w := range want.Tensors {
			g := got.Find(w.Name)
			if g == nil || g.DType != w.DType || len(g.Shape) != len(w.Shape) || !bytes.Equal(g.Data, w.Data) {
				t.Errorf("tensor %q is %+v", w.Name, g)
			}
		}
	}
	if fromBytes.Find("nothing") != nil {
		t.Error("found a tensor that is not there")
	}
}

func TestBadFiles(t *testing.T) {
	one := `{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	huge := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "too few"},
		{"short length", []byte{1, 2, 3}, "too few"},
		{"huge header", huge, "at most"},
		{"header past the end", file(one, 0)[:20], "after the length"},
		{"truncated data", file(one, 7), "do not lie in the 7 bytes"},
		{"more data than tensors", file(one, 9), "the tensors use 8"},
		{"not JSON", file("hello world", 0), "not a JSON object"},
		{"an array", file("[1,2]", 0), "not a JSON object"},
		{"cut JSON", file(`{"x":{"dtype":`, 0), "not valid JSON"},
		{"behind the object", file(`{}{}`, 0), "goes on"},
		{"twice", file(`{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2), "twice"},
		{"dtype", file(`{"x":{"dtype":"F7","shape":[1],"data_offsets":[0,1]}}`, 1), `unknown dtype "F7"`},
		{"field missing", file(`{"x":{"dtype":"U8","shape":[1]}}`, 1), "needs dtype"},
		{"field unknown", file(`{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"y":1}}`, 1), "cannot be read"},
		{"shape", file(`{"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8), "needs 12 bytes"},
		{"negative shape", file(`{"x":{"dtype":"F32","shape":[-1,-2],"data_offsets":[0,8]}}`, 8), "negative or too large"},
		{"overflowing shape", file(`{"x":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,8]}}`, 8), "negative or too large"},
		{"fraction", file(`{"x":{"dtype":"F32","shape":[1.5],"data_offsets":[0,8]}}`, 8), "cannot be read"},
		{"reversed", file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8), "do not lie"},
		{"negative offset", file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}`, 8), "do not lie"},
		{"overlap", file(`{"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"y":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}`, 6), "overlap"},
		{"gap", file(`{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"y":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, 3), "gap"},
		{"null dimension", file(`{"x":{"dtype":"U8","shape":[null],"data_offsets":[0,0]}}`, 0), "no array of integers"},
		{"null shape", file(`{"x":{"dtype":"U8","shape":null,"data_offsets":[0,1]}}`, 1), "no array of integers"},
		{"null dtype", file(`{"x":{"dtype":null,"shape":[1],"data_offsets":[0,1]}}`, 1), "dtype is no string"},
		{"null entry", file(`{"x":null}`, 0), "no JSON object"},
		{"field twice", file(`{"x":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}}`, 1), "names a field twice"},
		{"field in capitals", file(`{"x":{"DTYPE":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), `unknown field "DTYPE"`},
		{"dimensions", file(`{"x":{"dtype":"U8","shape":[`+strings.Repeat("1,", 64)+`1],"data_offsets":[0,1]}}`, 1), "65 dimensions"},
		{"null metadata", file(`{"__metadata__":null}`, 0), "object of strings"},
		{"null in metadata", file(`{"__metadata__":{"a":null}}`, 0), "object of strings"},
		{"metadata twice", file(`{"__metadata__":{"a":"b","a":"c"}}`, 0), "object of strings"},
		{"metadata", file(`{"__metadata__":{"a":1}}`, 0), "object of strings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.b)
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, c.b, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("ReadFile: error %v, want %q", err, c.want)
			}
		})
	}
}

func TestReadFileErrors(t *testing.T) {
	if _, err := ReadFile(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := ReadFile(os.DevNull); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("device: %v", err)
	}
	if _, err := ReadFile(t.TempDir()); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("directory: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, f := range []*File{
		{Tensors: []Tensor{{"x", F32, []int64{2}, make([]byte, 7)}}},
		{Tensors: []Tensor{{"x", "F7", []int64{2}, make([]byte, 7)}}},
		{Tensors: []Tensor{{"x", U8, []int64{1}, make([]byte, 1)}, {"x", U8, []int64{1}, make([]byte, 1)}}},
		{Tensors: []Tensor{{"__metadata__", U8, []int64{1}, make([]byte, 1)}}},
	} {
		dir := t.TempDir()
		if err := WriteFile(filepath.Join(dir, "f"), f); err == nil {
			t.Errorf("%+v was written", f)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("a refused file left %v", left)
		}
	}
}

func FuzzParse(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(file(`{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8))
	f.Add(file(`{"__metadata__":{"a":"b"}}`, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Parse(b)
		if err != nil {
			return
		}
		total := 0
		for i := range got.Tensors {
			if n, ok := bytesOf(got.Tensors[i].DType, got.Tensors[i].Shape); !ok || n != int64(len(got.Tensors[i].Data)) {
				t.Fatalf("tensor %d has %d bytes, its shape says %d", i, len(got.Tensors[i].Data), n)
			}
			total += len(got.Tensors[i].Data)
		}
		if total > len(b) {
			t.Fatalf("%d bytes of tensors from a file of %d", total, len(b))
		}
	})
}
