package emulated

import (
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/internal/maptest"
)

func TestTensorMaps(t *testing.T) {
	rt, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	dev, err := rt.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := dev.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	maptest.Run(t, dev, stream)
	if err := errors.Join(stream.Close(), rt.Close()); err != nil {
		t.Error(err)
	}
}

// TestRefusedTensorMaps: the runtime refuses what the emulator's rules refuse, which were compared with a driver.
func TestRefusedTensorMaps(t *testing.T) {
	maptest.Random(20000, func(b *oxrt.TensorBox, v *oxrt.TensorView) {
		m := mapOf(b, v)
		want := m.Check()
		var refused *emulate.TensorMapError
		if errors.As(want, &refused) && refused.Unmodelled {
			want = nil
		}
		if err := b.Check(v); (err == nil) != (want == nil) {
			t.Fatalf("%+v %+v: %v, the rules say %v", *b, *v, err, want)
		}
	})
}
