//go:build linux

package abi

import (
	"testing"
	"unsafe"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// BenchmarkCall is a call up to its submission: what the library does in Go.
func BenchmarkCall(b *testing.B) {
	t := newBench(b, bindings("normalization.rms_norm"))
	call := t.call()
	for b.Loop() {
		p, _ := t.plans.get(t.plan)
		s, _ := t.streams.get(t.stream)
		c := p.value.calls.Get().(*catalog.Call)
		if err := p.value.read(c, s.value, unsafe.Pointer(&call)); err != nil {
			b.Fatal(err)
		}
		p.value.prepared.get(p.value.plan, c.Dims)
		p.value.calls.Put(c)
	}
}
