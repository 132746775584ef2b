package golden

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	_ "embed"

	"github.com/oxideinfer/oxide/internal/safetensors"
)

//go:embed testdata/tensor.safetensors.gz
var tensorRecording []byte

// Recording is what a device left in the outputs of cases.
type Recording struct {
	// Header says gpu, driver, ptxas, date, seed.
	Header map[string]string
	bits   map[string][]byte
	sums   map[string][]byte
}

// TensorRecording is the recording of [Tensor].
func TensorRecording() (*Recording, error) { return readRecording(tensorRecording) }

func readRecording(packed []byte) (*Recording, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	f, err := safetensors.Parse(raw)
	if err != nil {
		return nil, err
	}
	r := &Recording{Header: f.Metadata, bits: map[string][]byte{}, sums: map[string][]byte{}}
	for _, t := range f.Tensors {
		if t.DType == safetensors.U8 {
			r.sums[t.Name] = t.Data
		} else {
			r.bits[t.Name] = t.Data
		}
	}
	return r, nil
}

// Compare returns how many words of an output differ from the recorded ones, and the first; where only a hash is
// kept, all or none. It fails where the case was not recorded.
func (r *Recording) Compare(name string, got []byte) (different, first int, err error) {
	if sum := r.sums[name]; sum != nil {
		if h := sha256.Sum256(got); !bytes.Equal(h[:], sum) {
			return len(got) / 4, 0, nil
		}
		return 0, 0, nil
	}
	want, ok := r.bits[name]
	if !ok || len(want) != len(got) {
		return 0, 0, fmt.Errorf("golden: %s is not recorded", name)
	}
	first = -1
	for i := 0; i+4 <= len(got); i += 4 {
		if !bytes.Equal(got[i:i+4], want[i:i+4]) {
			if different++; first < 0 {
				first = i / 4
			}
		}
	}
	return different, first, nil
}

// Word is a recorded word of an output that is kept whole.
func (r *Recording) Word(name string, i int) []byte {
	if b := r.bits[name]; 4*i+4 <= len(b) {
		return b[4*i : 4*i+4]
	}
	return nil
}

// Keep packs the outputs that "oxidelab ptx record" left in a folder.
func Keep(dir string, cases []*Case) ([]byte, error) {
	f := &safetensors.File{Metadata: map[string]string{"seed": strconv.Itoa(seed), "date": time.Now().UTC().Format(time.DateOnly)}}
	for _, c := range cases {
		if err := header(f.Metadata, filepath.Join(dir, c.Name+".json")); err != nil {
			return nil, err
		}
		data, err := safetensors.ReadFile(filepath.Join(dir, c.Name+".safetensors"))
		if err != nil {
			return nil, err
		}
		for _, b := range c.Buffers {
			if !b.Out {
				continue
			}
			t := data.Find("out:" + b.Name)
			if t == nil {
				return nil, fmt.Errorf("golden: %s has no output %s", c.Name, b.Name)
			}
			kept := safetensors.Tensor{Name: c.Name + "/" + b.Name, DType: safetensors.U32, Shape: t.Shape, Data: t.Data}
			if c.Digest {
				sum := sha256.Sum256(t.Data)
				kept.DType, kept.Shape, kept.Data = safetensors.U8, []int64{sha256.Size}, sum[:]
			}
			f.Tensors = append(f.Tensors, kept)
		}
	}
	var raw, packed bytes.Buffer
	if err := safetensors.Write(&raw, f); err != nil {
		return nil, err
	}
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(raw.Bytes()); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// header copies the circumstances of a recorded case, which must be those of the others.
func header(to map[string]string, path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var c struct {
		Recorded *struct {
			GPU    string `json:"gpu"`
			Driver int    `json:"cuda_driver"`
			Ptxas  string `json:"ptxas"`
		} `json:"recorded"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	if c.Recorded == nil {
		return fmt.Errorf("golden: %s was not recorded", filepath.Base(path))
	}
	for k, v := range map[string]string{"gpu": c.Recorded.GPU, "driver": strconv.Itoa(c.Recorded.Driver), "ptxas": c.Recorded.Ptxas} {
		if old, ok := to[k]; ok && old != v {
			return fmt.Errorf("golden: %s: %s %q, others have %q", filepath.Base(path), k, v, old)
		}
		to[k] = v
	}
	return nil
}
