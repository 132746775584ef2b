//go:build !cgo || !linux

package barelaunch

import (
	"time"

	oxrt "github.com/oxideinfer/oxide/runtime"
)

// Run returns ErrNoDriver: there is no driver to call.
func Run(Call, Mode, int) (time.Duration, error) { return 0, oxrt.ErrNoDriver }
