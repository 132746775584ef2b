package ptxcase

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/internal/safetensors"
)

const (
	formatName  = "ptx-fixture/1"
	maxJSON     = 16 << 20
	maxBytes    = 1 << 32 // of all buffers together
	maxLaunches = 1 << 16
	bufferAlign = 256 // of every buffer's address
)

// caseFile is the JSON file. Fields for people only are left out.
type caseFile struct {
	Format   string       `json:"format"`
	Name     string       `json:"name"`
	Known    []string     `json:"known_findings"`
	PTX      string       `json:"ptx"`
	Data     string       `json:"data"`
	Buffers  []bufferDesc `json:"buffers"`
	Maps     []mapDesc    `json:"tensor_maps"`
	Launches []launchDesc `json:"launches"`
	Outputs  []outputDesc `json:"outputs"`
}

type bufferDesc struct {
	Name  string  `json:"name"`
	DType string  `json:"dtype"`
	Shape []int64 `json:"shape"`
	Bytes int64   `json:"bytes"`
	Role  string  `json:"role"`
	Align int64   `json:"align"`
	Init  string  `json:"init"`
	Fill  uint8   `json:"fill"`
}

// mapDesc is a tensor map: the arguments of cuTensorMapEncodeTiled.
type mapDesc struct {
	Name        string   `json:"name"`
	Buffer      string   `json:"buffer"`
	Offset      int64    `json:"buffer_offset"`
	DType       string   `json:"dtype"`
	Rank        int      `json:"rank"`
	Dims        []uint64 `json:"global_dim"`
	Strides     []uint64 `json:"global_strides"`
	Box         []uint32 `json:"box_dim"`
	Steps       []uint32 `json:"element_strides"`
	Interleave  string   `json:"interleave"`
	Swizzle     string   `json:"swizzle"`
	L2Promotion string   `json:"l2_promotion"`
	OOBFill     string   `json:"oob_fill"`
}

type launchDesc struct {
	Entry   string      `json:"entry"`
	Grid    dims        `json:"grid"`
	Block   dims        `json:"block"`
	Cluster *dims       `json:"cluster"`
	Dynamic uint32      `json:"dynamic_smem"`
	PDL     bool        `json:"pdl"`
	Params  []paramDesc `json:"params"`
}

// dims is a size in x, y and z. encoding/json alone fills up a shorter array and cuts a longer one.
type dims [3]uint32

// UnmarshalJSON implements json.Unmarshaler.
func (d *dims) UnmarshalJSON(b []byte) error {
	var list []*uint32
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) != len(d) || slices.Contains(list, nil) {
		return fmt.Errorf("%s is not a size in x, y and z", b)
	}
	for i, n := range list {
		d[i] = *n
	}
	return nil
}

type paramDesc struct {
	Type   string `json:"type"`
	Bits   string `json:"bits"`
	Buffer string `json:"buffer"`
	Offset int64  `json:"offset"`
	Null   bool   `json:"null"`
	Map    string `json:"map"`
}

type outputDesc struct {
	Buffer string  `json:"buffer"`
	Tensor string  `json:"tensor"`
	Class  string  `json:"cls"`
	Ulp    uint64  `json:"ulp"`
	Abs    float64 `json:"abs"`
	Rel    float64 `json:"rel"`
	NaN    string  `json:"nan"`
}

// loaded is a case with everything it names.
type loaded struct {
	caseFile
	module *ptx.Module
	text   []byte
	data   *safetensors.File
}

// inputError is a case that cannot be run.
type inputError struct {
	status string
	line   int
	err    error
}

func (e *inputError) Error() string { return e.err.Error() }

func (e *inputError) Unwrap() error { return e.err }

func unreadable(format string, args ...any) error {
	return &inputError{status: StatusUnreadable, err: fmt.Errorf(format, args...)}
}

// load reads a case file and what it names.
func load(path string) (*loaded, error) {
	c, err := loadFiles(path)
	if err != nil {
		return nil, err
	}
	return c, c.checkTensors()
}

// loadFiles is load without a look at the tensors.
func loadFiles(path string) (*loaded, error) {
	raw, err := readLimited(path, maxJSON)
	if err != nil {
		return nil, err
	}
	c := &loaded{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&c.caseFile); err != nil {
		return nil, unreadable("%s: %w", filepath.Base(path), err)
	}
	if dec.More() {
		return nil, unreadable("%s: text follows the JSON object", filepath.Base(path))
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if c.text, err = readLimited(filepath.Join(dir, c.PTX), maxJSON); err != nil {
		return nil, err
	}
	if c.data, err = safetensors.ReadFile(filepath.Join(dir, c.Data)); err != nil {
		return nil, unreadable("%s: %w", c.Data, err)
	}
	if c.module, err = parse(c.text); err != nil {
		return nil, err
	}
	return c, nil
}

func readLimited(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable("%w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, unreadable("%s: no regular file, or over %d bytes", path, limit)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable("%w", err)
	}
	return b, nil
}

// check looks at the JSON by itself.
func (c *caseFile) check() error {
	if c.Format != formatName {
		return unreadable("format %q, want %q", c.Format, formatName)
	}
	if !local(c.PTX) || !local(c.Data) {
		return unreadable("ptx %q and data %q must be file names beside the case", c.PTX, c.Data)
	}
	seen := map[string]bool{}
	left := int64(maxBytes)
	for _, b := range c.Buffers {
		size := dtypeSize(b.DType)
		if size == 0 {
			return unreadable("buffer %q: unknown dtype %q", b.Name, b.DType)
		}
		n := int64(size)
		for _, d := range b.Shape {
			if d < 0 || d != 0 && n > maxBytes/d {
				return unreadable("buffer %q: shape %v is negative or too large", b.Name, b.Shape)
			}
			n *= d
		}
		if n != b.Bytes {
			return unreadable("buffer %q: shape %v of %s has %d bytes, not %d", b.Name, b.Shape, b.DType, n, b.Bytes)
		}
		if left -= n; left < 0 {
			return unreadable("buffer %q: the buffers have more than %d bytes together", b.Name, int64(maxBytes))
		}
		if seen[b.Name] {
			return unreadable("buffer %q is listed twice", b.Name)
		}
		seen[b.Name] = true
		if b.Align < 0 || b.Align > bufferAlign || b.Align&(b.Align-1) != 0 {
			return unreadable("buffer %q: an alignment of %d; powers of two up to %d are given", b.Name, b.Align, bufferAlign)
		}
		if b.Init != "tensor" && b.Init != "fill" {
			return unreadable("buffer %q: unknown init %q", b.Name, b.Init)
		}
		if !slices.Contains([]string{"in", "out", "inout", "scratch"}, b.Role) {
			return unreadable("buffer %q: unknown role %q", b.Name, b.Role)
		}
	}
	if len(c.Launches) == 0 || len(c.Launches) > maxLaunches {
		return unreadable("%d launches", len(c.Launches))
	}
	for _, o := range c.Outputs {
		if !seen[o.Buffer] {
			return unreadable("output %q is no buffer", o.Buffer)
		}
		if !slices.Contains([]string{"exact", "hw", "approx"}, o.Class) || o.NaN != "any" && o.NaN != "bits" {
			return unreadable("output %q: class %q, nan %q", o.Buffer, o.Class, o.NaN)
		}
	}
	return nil
}

func local(name string) bool {
	return name != "" && name == filepath.Base(name) && name != ".." && name != "."
}

// checkTensors looks at the data that the case names.
func (c *loaded) checkTensors() error {
	need := func(name string, b *bufferDesc) error {
		t := c.data.Find(name)
		if t == nil {
			return unreadable("%s has no tensor %q", c.Data, name)
		}
		if int64(len(t.Data)) != b.Bytes || safetensorsType(b.DType) != t.DType || !slices.Equal(t.Shape, b.Shape) {
			return unreadable("tensor %q is %s %v, buffer %q is %s %v", name, t.DType, t.Shape, b.Name, b.DType, b.Shape)
		}
		return nil
	}
	for i := range c.Buffers {
		if b := &c.Buffers[i]; b.Init == "tensor" {
			if err := need(b.Name, b); err != nil {
				return err
			}
		}
	}
	for _, o := range c.Outputs {
		if err := need(o.Tensor, c.buffer(o.Buffer)); err != nil {
			return err
		}
	}
	return nil
}

func (c *caseFile) buffer(name string) *bufferDesc {
	for i := range c.Buffers {
		if c.Buffers[i].Name == name {
			return &c.Buffers[i]
		}
	}
	return nil
}

// bufferAt names the buffer that an address lies in, and the byte in it.
func (c *caseFile) bufferAt(addr map[string]uint64, a uint64) (name string, offset uint64) {
	for i := range c.Buffers {
		b := &c.Buffers[i]
		if base, ok := addr[b.Name]; ok && a-base < uint64(b.Bytes) {
			return b.Name, a - base
		}
	}
	return "", 0
}

// encodeParam returns the bytes of a parameter; nil for a tensor map that was refused.
func encodeParam(p *paramDesc, addr map[string]uint64, maps map[string][]byte) ([]byte, error) {
	given := 0
	for _, is := range []bool{p.Null, p.Buffer != "", p.Map != "", p.Bits != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, unreadable("a parameter needs one of bits, buffer, null and map, not %d", given)
	}
	switch {
	case p.Null:
		return make([]byte, 8), nil
	case p.Map != "":
		b, ok := maps[p.Map]
		if !ok || p.Type != "tensormap" {
			return nil, unreadable("a parameter of type %q names tensor map %q", p.Type, p.Map)
		}
		return b, nil
	case p.Buffer != "":
		a, ok := addr[p.Buffer]
		if !ok {
			return nil, unreadable("a parameter names buffer %q, which is not listed", p.Buffer)
		}
		return binary.LittleEndian.AppendUint64(nil, a+uint64(p.Offset)), nil
	}
	b, err := hex.DecodeString(strings.TrimPrefix(p.Bits, "0x"))
	if err != nil || !strings.HasPrefix(p.Bits, "0x") || len(b) != dtypeSize(p.Type) {
		return nil, unreadable("parameter bits %q of type %q", p.Bits, p.Type)
	}
	slices.Reverse(b)
	return b, nil
}
