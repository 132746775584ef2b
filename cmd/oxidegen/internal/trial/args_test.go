package trial

import (
	"bytes"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

func TestScalars(t *testing.T) {
	for _, c := range []struct {
		typ, text string
		size      int
		want      []byte
	}{
		{"u32", "258", 4, []byte{2, 1, 0, 0}},
		{"u16", "0xffff", 2, []byte{255, 255}},
		{"s32", "-2", 4, []byte{254, 255, 255, 255}},
		{"u64", "4294967296", 8, []byte{0, 0, 0, 0, 1, 0, 0, 0}},
		{"f32", "1.5", 4, []byte{0, 0, 0xc0, 0x3f}},
		{"bf16", "-2", 2, []byte{0, 0xc0}},
		{"f64", "1", 8, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
	} {
		if got, err := scalar(c.typ, c.text, c.size); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s %s: % x, %v; want % x", c.typ, c.text, got, err, c.want)
		}
	}
	for _, c := range [][2]string{{"u32", "4294967296"}, {"u32", "1.5"}, {"f32", "one"}, {"u32", ""}} {
		if got, err := scalar(c[0], c[1], 4); err == nil {
			t.Errorf("%s %q is % x", c[0], c[1], got)
		}
	}
}

func TestMemory(t *testing.T) {
	for _, c := range []struct {
		text, typ string
		want      []byte
	}{
		{"4:iota", "u8", []byte{0, 1, 2, 3}},
		{"2x2", "s16", make([]byte, 8)},
		{"2:1", "f16", []byte{0, 0x3c, 0, 0x3c}},
		{"2:-1", "s32", []byte{255, 255, 255, 255, 255, 255, 255, 255}},
		{"2:zero", "f32", make([]byte, 8)},
	} {
		m, err := parseMemory(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got, err := m.bytes(c.typ); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s of %s: % x, %v; want % x", c.text, c.typ, got, err, c.want)
		}
	}
	for _, text := range []string{"", "0", "-1", "x", "4x", "99999999999", "65536x65537", "4,4"} {
		if m, err := parseMemory(text); err == nil {
			t.Errorf("%q is %+v", text, m)
		}
	}
}

// A map of dense rows: sizes the innermost first, strides from the second dimension on.
func TestTensorMap(t *testing.T) {
	box := &bundle.Box{Elem: "bf16", Dims: []int{64, 8}, Swizzle: "128B"}
	m, err := parseMemory("32x256")
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.tensorMap(box, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	want, err := (&emulate.TensorMap{Type: emulate.MapBF16, Rank: 2, Address: 1 << 20, Dims: [5]uint64{256, 32}, Strides: [4]uint64{512},
		Box: [5]uint32{64, 8}, ElementStrides: [5]uint32{1, 1}, Swizzle: emulate.Swizzle128B}).Encode()
	if err != nil || !bytes.Equal(got, want[:]) {
		t.Errorf("% x, want % x (%v)", got, want, err)
	}
	if _, err := (memory{dims: []int{32}}).tensorMap(box, 0); err == nil || !strings.Contains(err.Error(), "1 dimensions for a box of 2") {
		t.Errorf("%v", err)
	}
}

func TestLaunch(t *testing.T) {
	free := bundle.Contract{MaxThreads: 256, DynamicSharedBytes: 64, ProgrammaticLaunch: true}
	if _, err := (Call{Grid: [3]uint32{1, 1, 1}, Dynamic: -1}).launch(&free); err == nil || !strings.Contains(err.Error(), "-block") {
		t.Errorf("a block that nobody gives: %v", err)
	}
	l, err := Call{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1}, Dynamic: -1}.launch(&free)
	if err != nil || l.Block != [3]uint32{64, 1, 1} || l.Dynamic != 64 || !l.Dependent || l.HasCluster {
		t.Errorf("%+v, %v", l, err)
	}
	fixed := bundle.Contract{Block: [3]int{128, 1, 1}, Cluster: [3]int{2, 1, 1}}
	if l, err = (Call{Dynamic: 32}).launch(&fixed); err != nil || l.Cluster != [3]uint32{2, 1, 1} || !l.HasCluster || l.Dynamic != 32 {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err = (Call{Cluster: [3]uint32{4, 1, 1}}).launch(&fixed); err == nil {
		t.Error("a cluster that the kernel is not for is taken")
	}
}
