package oxrt_test

import (
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

// TestOpen: where there is no driver, Open says so; where there is one, it opens and closes.
func TestOpen(t *testing.T) {
	rt, err := oxrt.Open()
	if err != nil {
		if !errors.Is(err, oxrt.ErrNoDriver) && !errors.Is(err, oxrt.ErrNoDevice) {
			t.Errorf("got %v", err)
		}
		return
	}
	must(t, rt.Close())
	if _, err := rt.Devices(); !errors.Is(err, oxrt.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestOpenDriverNeedsOne(t *testing.T) {
	if _, err := oxrt.OpenDriver(nil); !errors.Is(err, oxrt.ErrNoDriver) {
		t.Errorf("got %v", err)
	}
}
