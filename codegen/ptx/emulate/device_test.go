package emulate

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func TestHostAccess(t *testing.T) {
	d := NewDevice(Config{MaxBytes: 1000})
	a, err := d.Alloc("a", 100)
	if err != nil || a%256 != 0 || a < 1<<32 {
		t.Fatalf("address %#x: %v", a, err)
	}
	b, err := d.Alloc("b", 0)
	if err != nil || b == a {
		t.Fatalf("empty allocation at %#x: %v", b, err)
	}
	if err := d.Write(a+10, []byte{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if err := d.Copy(a+50, a+10, 3); err != nil {
		t.Fatal(err)
	}
	if err := d.Memset(a, 9, 2); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 100)
	if err := d.Read(a, got); err != nil {
		t.Fatal(err)
	}
	if got[0] != 9 || got[12] != 3 || !slices.Equal(got[50:53], []byte{1, 2, 3}) {
		t.Errorf("memory %v", got)
	}
	for name, err := range map[string]error{
		"write past the end": d.Write(a+99, []byte{1, 2}),
		"read nowhere":       d.Read(5, got),
		"memset in the gap":  d.Memset(a+100, 0, 1),
		"copy overflow":      d.Copy(a, a, ^uint64(0)),
	} {
		var e *MemoryError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Alloc("c", 901); err == nil {
		t.Error("allocated more than MaxBytes")
	}
	if err := d.Free(a); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc("c", 1000); err != nil {
		t.Errorf("after Free: %v", err)
	}
}

// TestMap: a kernel works on the host's bytes, at the host's address where it wants that.
func TestMap(t *testing.T) {
	host := make([]byte, 64)
	for _, want := range []uint64{0, 0xc000123000} {
		b := newBench(t, Config{}, kernelText(1, `mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5; st.global.u32 [%rd6], %r0;`))
		addr, err := b.dev.Map("host", want, host)
		if err != nil || want != 0 && addr != want {
			t.Fatalf("mapped at %#x: %v", addr, err)
		}
		b.bufs = []uint64{addr}
		clear(host)
		b.clean(block(16), 0)
		if host[60] != 15 {
			t.Errorf("host memory %v", host)
		}
		if res := b.launch(block(17), 0); len(res.Findings) != 1 {
			t.Errorf("past the end: %v", res.Findings)
		}
		if _, err := b.dev.Map("again", addr+32, host); err == nil {
			t.Error("mapped twice")
		}
		if err := b.dev.Free(addr); err != nil {
			t.Error(err)
		}
		if _, err := b.dev.Map("again", 0xc000123000, host); err != nil {
			t.Error(err)
		}
	}
	d := NewDevice(Config{})
	for _, addr := range []uint64{16, 1 << 40, 3<<40 + 5, ^uint64(0) - 3} {
		if _, err := d.Map("bad", addr, host); err == nil {
			t.Errorf("mapped at %#x", addr)
		}
	}
	view, err := d.Bytes(must(d.Alloc("x", 8)), 8)
	if err != nil || !bytes.Equal(view, make([]byte, 8)) {
		t.Errorf("view %v: %v", view, err)
	}
}

func must(a uint64, err error) uint64 {
	if err != nil {
		panic(err)
	}
	return a
}
