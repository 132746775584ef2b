package cubin_test

import (
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin"
)

// FuzzRead: any bytes give a cubin or an error, never a panic.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01\x41\x08"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := cubin.Read(b); (c == nil) == (err == nil) && c == nil {
			t.Error("neither a cubin nor an error")
		}
	})
}

// TestReadDamaged flips every byte of a real cubin in turn; each gives a cubin or an error.
func TestReadDamaged(t *testing.T) {
	whole := assemble(t, "shared").Cubin
	b := make([]byte, len(whole))
	for i := range whole {
		copy(b, whole)
		b[i] ^= 0xff
		cubin.Read(b)
		cubin.Read(whole[:i])
	}
}
