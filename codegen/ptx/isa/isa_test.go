package isa

import (
	"errors"
	"testing"
)

// TestTableCompiles proves that every text of the table is well formed.
func TestTableCompiles(t *testing.T) {
	for r := range Rows() {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		if r.Sec == "" || r.Doc == "" || r.PTX == 0 || r.SM == 0 {
			t.Errorf("%s: section, doc, PTX version or SM missing", r.Syntax)
		}
	}
}

func TestParseOrder(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"add.ftz.rn.f32", "add.rn.ftz.f32"},
		{"ld.global.nc.L1::no_allocate.v4.b32", "ld.global.nc.L1::no_allocate.v4.b32"},
		{"ld.v4.nc.L1::no_allocate.global.b32", "ld.global.nc.L1::no_allocate.v4.b32"},
		{"cvt.rn.f16.f32", "cvt.rn.f16.f32"},
		{"cvt.f16.rn.f32", "cvt.rn.f16.f32"},
		{"shfl.sync.bfly.b32", "shfl.sync.bfly.b32"},
		{"setp.and.lt.f32", "setp.lt.and.f32"},
	} {
		f, err := Parse(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if f.Mnemonic() != c.want {
			t.Errorf("%s: got %s, want %s", c.in, f.Mnemonic(), c.want)
		}
		if g, err := Parse(c.want); err != nil || g != f {
			t.Errorf("%s and %s give different forms (%v)", c.in, c.want, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		in   string
		kind error
	}{
		{"frobnicate.u32", ErrUnmodelled},
		{"add.quick.f32", ErrUnmodelled},
		{"", ErrUnmodelled},
		{"add.", ErrUnmodelled},
		{"mul.wide.u64", ErrInvalid},
		{"add.sat.u32", ErrInvalid},
		{"add", ErrInvalid},
		{"add.f32.f32", ErrInvalid},
		{"ld.v4.f64", ErrInvalid},
	} {
		if _, err := Parse(c.in); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want %v", c.in, err, c.kind)
		}
	}
}
