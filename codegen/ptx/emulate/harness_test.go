package emulate

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// kernelText wraps a body in a module with one kernel that takes pointers p0, p1, … and n.
func kernelText(pointers int, body string) string {
	var b strings.Builder
	b.WriteString(".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n")
	b.WriteString(".visible .entry k(")
	for i := range pointers {
		b.WriteString(".param .u64 p" + itoa(i) + ", ")
	}
	b.WriteString(".param .u32 n)\n{\n")
	b.WriteString(".reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .f32 %f<60>; .reg .b64 %rd<40>; .reg .f64 %fd<10>;\n")
	b.WriteString("mov.u32 %r0, %tid.x; ld.param.u32 %r1, [n];\n")
	for i := range pointers {
		b.WriteString("ld.param.u64 %rd" + itoa(i) + ", [p" + itoa(i) + "];\n")
	}
	b.WriteString(body)
	b.WriteString("\nret;\n}\n")
	return b.String()
}

// bench is one kernel with its device and buffers.
type bench struct {
	t    testing.TB
	dev  *Device
	k    *Kernel
	bufs []uint64
	size []int
}

func load(t testing.TB, text string) *Program {
	t.Helper()
	m, err := ptx.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(text))
	}
	p, err := Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func numbered(text string) string {
	var b strings.Builder
	for i, l := range strings.Split(text, "\n") {
		b.WriteString(itoa(i+1) + ": " + l + "\n")
	}
	return b.String()
}

// newBench allocates a buffer for each argument: a []byte, []uint32 or []float32 is written, an int only reserves
// bytes.
func newBench(t testing.TB, cfg Config, text string, bufs ...any) *bench {
	t.Helper()
	b := &bench{t: t, dev: NewDevice(cfg), k: load(t, text).Kernel("k")}
	for i, v := range bufs {
		var raw []byte
		n := 0
		switch v := v.(type) {
		case int:
			n = v
		case []byte:
			raw = v
		case []uint32:
			for _, x := range v {
				raw = binary.LittleEndian.AppendUint32(raw, x)
			}
		case []float32:
			for _, x := range v {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
			}
		}
		n = max(n, len(raw))
		addr, err := b.dev.Alloc("buf"+itoa(i), uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		if raw != nil {
			if err := b.dev.Write(addr, raw); err != nil {
				t.Fatal(err)
			}
		}
		b.bufs, b.size = append(b.bufs, addr), append(b.size, n)
	}
	return b
}

func (b *bench) params(n uint32) []byte {
	var raw []byte
	for _, a := range b.bufs {
		raw = binary.LittleEndian.AppendUint64(raw, a)
	}
	return binary.LittleEndian.AppendUint32(raw, n)
}

func (b *bench) launch(l LaunchConfig, n uint32) *Result {
	b.t.Helper()
	res, err := b.dev.Launch(b.k, l, b.params(n))
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// clean launches and demands that no checker spoke.
func (b *bench) clean(l LaunchConfig, n uint32) *Result {
	b.t.Helper()
	res := b.launch(l, n)
	for _, f := range res.Findings {
		b.t.Errorf("finding: %v", f)
	}
	return res
}

func (b *bench) u32(i int) []uint32 {
	b.t.Helper()
	raw := make([]byte, b.size[i])
	if err := b.dev.Read(b.bufs[i], raw); err != nil {
		b.t.Fatal(err)
	}
	out := make([]uint32, len(raw)/4)
	for j := range out {
		out[j] = binary.LittleEndian.Uint32(raw[4*j:])
	}
	return out
}

func block(x uint32) LaunchConfig { return LaunchConfig{Block: [3]uint32{x, 1, 1}} }

func grid(g, x uint32) LaunchConfig {
	return LaunchConfig{Grid: [3]uint32{g, 1, 1}, Block: [3]uint32{x, 1, 1}}
}
