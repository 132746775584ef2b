package emulated_test

import (
	"testing"

	"github.com/oxideinfer/oxide/runtime/emulated"
	"github.com/oxideinfer/oxide/runtime/internal/maptest"
)

func TestTensorMaps(t *testing.T) {
	b := open(t, emulated.Options{})
	maptest.Run(t, b.dev, b.stream)
}
