//go:build linux

package abi

import (
	"testing"
	"unsafe"
)

// BenchmarkCall is a call up to its submission: what the library does in Go.
func BenchmarkCall(b *testing.B) {
	t := newBench(b, bindings("normalization.rms_norm"))
	call := t.call()
	for b.Loop() {
		p, _ := t.plans.get(t.plan)
		s, _ := t.streams.get(t.stream)
		scope, err := s.value.stream.Begin()
		if err != nil {
			b.Fatal(err)
		}
		if err := p.value.call(scope, s.value, unsafe.Pointer(&call)); err != nil {
			b.Fatal(err)
		}
		scope.Drop()
	}
}
