//go:build !(cgo && linux)

package oxrt_test

import (
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

func TestNoDriverWithoutCgo(t *testing.T) {
	if _, err := oxrt.OpenWith(oxrt.Options{Library: "/lib/libcuda.so.1"}); !errors.Is(err, oxrt.ErrNoDriver) {
		t.Errorf("got %v", err)
	}
}
