package trial

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/internal/numfmt"
)

// formats are the element types with a fraction. The others are unsigned or signed integers.
var formats = map[string]numfmt.Format{"f32": numfmt.F32, "f16": numfmt.F16, "bf16": numfmt.BF16, "e4m3": numfmt.E4M3, "e5m2": numfmt.E5M2}

var mapTypes = map[string]emulate.MapType{"u8": emulate.MapU8, "e4m3": emulate.MapU8, "e5m2": emulate.MapU8, "u16": emulate.MapU16,
	"f16": emulate.MapF16, "bf16": emulate.MapBF16, "f32": emulate.MapF32, "u32": emulate.MapU32, "s32": emulate.MapS32, "f64": emulate.MapF64}

var swizzles = map[string]emulate.MapSwizzle{"": emulate.SwizzleNone, "32B": emulate.Swizzle32B, "64B": emulate.Swizzle64B, "128B": emulate.Swizzle128B}

// width is the bytes of a scalar type.
func width(typ string) (int, error) {
	if f, ok := formats[typ]; ok {
		return f.Bits() / 8, nil
	}
	n, err := strconv.Atoi(strings.TrimLeft(typ, "usbf"))
	if err != nil || n%8 != 0 || n > 64 || n <= 0 {
		return 0, fmt.Errorf("no values of type %s can be given here", typ)
	}
	return n / 8, nil
}

// put writes a number in a type's format.
func put(b []byte, typ string, x float64) {
	bits := uint64(int64(x))
	switch f, ok := formats[typ]; {
	case ok:
		bits = uint64(f.Encode(x, numfmt.RN))
	case typ == "f64":
		bits = math.Float64bits(x)
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(b, word[:])
}

// scalar reads a number of a type.
func scalar(typ, text string, size int) ([]byte, error) {
	b := make([]byte, max(size, 8))
	if _, float := formats[typ]; float || typ == "f64" {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no %s", text, typ)
		}
		put(b, typ, x)
		return b[:size], nil
	}
	n, err := strconv.ParseUint(text, 0, 8*size)
	if err != nil {
		var s int64
		if s, err = strconv.ParseInt(text, 0, 8*size); err != nil {
			return nil, fmt.Errorf("%q is no %s", text, typ)
		}
		n = uint64(s)
	}
	binary.LittleEndian.PutUint64(b, n)
	return b[:size], nil
}

// memory is what SHAPE[:FILL] says.
type memory struct {
	dims []int // the outermost first
	fill string
}

const maxElements = 1 << 32

func parseMemory(text string) (m memory, err error) {
	shape, fill, _ := strings.Cut(text, ":")
	m.fill = fill
	total := 1
	for part := range strings.SplitSeq(shape, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n <= 0 || n > maxElements/total {
			return m, fmt.Errorf("%q is no memory: want COUNT or ROWSxCOLUMNS of elements, and :FILL behind it where needed", text)
		}
		m.dims = append(m.dims, n)
		total *= n
	}
	return m, nil
}

func (m memory) elements() int {
	n := 1
	for _, d := range m.dims {
		n *= d
	}
	return n
}

// bytes makes the contents: normally distributed numbers, zeros for integers, or what FILL says.
func (m memory) bytes(typ string) ([]byte, error) {
	w, err := width(typ)
	if err != nil {
		return nil, err
	}
	value, err := m.filler(typ)
	if err != nil {
		return nil, err
	}
	b := make([]byte, m.elements()*w)
	if value == nil {
		return b, nil
	}
	for i := range m.elements() {
		put(b[i*w:(i+1)*w], typ, value(i))
	}
	return b, nil
}

func (m memory) filler(typ string) (func(i int) float64, error) {
	_, float := formats[typ]
	float = float || typ == "f64"
	switch {
	case m.fill == "" && float, m.fill == "normal":
		r := rand.New(rand.NewPCG(1, 2))
		table := make([]float64, 4096)
		for i := range table {
			table[i] = r.NormFloat64()
		}
		return func(i int) float64 { return table[(i+i>>12*7)&4095] }, nil
	case m.fill == "" || m.fill == "zero":
		return nil, nil
	case m.fill == "iota":
		return func(i int) float64 { return float64(i) }, nil
	}
	x, err := strconv.ParseFloat(m.fill, 64)
	if err != nil {
		return nil, fmt.Errorf("no fill %q: there are normal, zero, iota, or a number", m.fill)
	}
	return func(int) float64 { return x }, nil
}

// arguments are NAME=VALUE.
func arguments(list []string, params []bundle.Param) (map[string]string, error) {
	given := map[string]string{}
	for _, a := range list {
		name, value, _ := strings.Cut(a, "=")
		if !slices.ContainsFunc(params, func(p bundle.Param) bool { return p.Name == name }) {
			return nil, fmt.Errorf("the kernel has no parameter %q; %s", name, wanted(params))
		}
		if _, twice := given[name]; twice {
			return nil, fmt.Errorf("parameter %q is given twice", name)
		}
		given[name] = value
	}
	for _, p := range params {
		if _, ok := given[p.Name]; !ok {
			return nil, fmt.Errorf("parameter %q is missing; %s", p.Name, wanted(params))
		}
	}
	return given, nil
}

// wanted says what a command line must give.
func wanted(params []bundle.Param) string {
	var parts []string
	for _, p := range params {
		switch {
		case p.Box != nil:
			parts = append(parts, fmt.Sprintf("%s=DIMS of %s, the outermost first, %d of them", p.Name, p.Box.Elem, len(p.Box.Dims)))
		case p.Pointer:
			parts = append(parts, fmt.Sprintf("%s=COUNT of %s or null", p.Name, p.Type))
		default:
			parts = append(parts, p.Name+"="+strings.ToUpper(p.Type))
		}
	}
	return "it takes " + strings.Join(parts, ", ")
}

// block makes the parameter buffer and the memory that it points to.
func block(dev *emulate.Device, c *bundle.Contract, given map[string]string) ([]byte, error) {
	out := make([]byte, c.ParamBytes)
	for i := range c.Params {
		p := &c.Params[i]
		value, err := parameter(dev, p, given[p.Name])
		if err != nil {
			return nil, fmt.Errorf("parameter %q: %w", p.Name, err)
		}
		copy(out[p.Offset:p.Offset+p.Size], value)
	}
	return out, nil
}

func parameter(dev *emulate.Device, p *bundle.Param, text string) ([]byte, error) {
	if p.Box == nil && !p.Pointer {
		return scalar(p.Type, text, p.Size)
	}
	if p.Pointer && text == "null" {
		return make([]byte, p.Size), nil
	}
	m, err := parseMemory(text)
	if err != nil {
		return nil, err
	}
	typ := p.Type
	if p.Box != nil {
		typ = p.Box.Elem
	}
	addr, err := m.place(dev, p.Name, typ)
	if err != nil {
		return nil, err
	}
	if p.Box != nil {
		return m.tensorMap(p.Box, addr)
	}
	return binary.LittleEndian.AppendUint64(nil, addr), nil
}

func (m memory) place(dev *emulate.Device, name, typ string) (uint64, error) {
	data, err := m.bytes(typ)
	if err != nil {
		return 0, err
	}
	addr, err := dev.Alloc(name, uint64(len(data)))
	if err != nil {
		return 0, err
	}
	return addr, dev.Write(addr, data)
}

// tensorMap describes dense memory.
func (m memory) tensorMap(b *bundle.Box, addr uint64) ([]byte, error) {
	if len(m.dims) != len(b.Dims) {
		return nil, fmt.Errorf("%d dimensions for a box of %d", len(m.dims), len(b.Dims))
	}
	typ, ok := mapTypes[b.Elem]
	if !ok {
		return nil, fmt.Errorf("no tensor maps of %s can be made here", b.Elem)
	}
	w, err := width(b.Elem)
	if err != nil {
		return nil, err
	}
	t := emulate.TensorMap{Type: typ, Rank: len(b.Dims), Address: addr, Swizzle: swizzles[b.Swizzle], FillNaN: b.FillNaN}
	stride := uint64(w)
	for i := range b.Dims {
		n := uint64(m.dims[len(m.dims)-1-i])
		t.Dims[i], t.Box[i], t.ElementStrides[i] = n, uint32(b.Dims[i]), 1
		if stride *= n; i < len(b.Dims)-1 {
			t.Strides[i] = stride
		}
	}
	encoded, err := t.Encode()
	return encoded[:], err
}
