package isa_test

import (
	"errors"
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

func ExampleParse() {
	f, err := isa.Parse("ld.v4.global.nc.L2::cache_hint.L1::no_allocate.f32")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Mnemonic())
	for _, s := range f.Operands() {
		fmt.Println(s.Name, s.Dir, s.Kind, s.Type, s.N)
	}
	// Output:
	// ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32
	// d def vector f32 4
	// a use address f32 0
	// cache-policy use register b64 0
}

func ExampleParse_errors() {
	_, err := isa.Parse("ld.global.v4.f64")
	fmt.Println(errors.Is(err, isa.ErrInvalid))
	var e *isa.Error
	if errors.As(err, &e) {
		fmt.Println(e.Where)
	}
	_, err = isa.Parse("tcgen05.alloc")
	fmt.Println(errors.Is(err, isa.ErrUnmodelled))
	// Output:
	// true
	// v4 => type!=b64|u64|s64|f64
	// true
}

func ExampleForm_Op() {
	f, err := isa.Parse("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Op(), f.Mod("dim"), f.Space("dst"), f.Async(), f.Reads(), f.Writes())
	// Output: cp.async.bulk.tensor 2d shared::cluster mbarrier [global] [shared::cluster]
}
