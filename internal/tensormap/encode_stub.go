//go:build !cgo || !linux

package tensormap

import (
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	oxrt "github.com/oxideinfer/oxide/runtime"
)

// Encode returns ErrNoDriver: there is no driver to call.
func Encode(*emulate.TensorMap) ([]byte, error) { return nil, oxrt.ErrNoDriver }
