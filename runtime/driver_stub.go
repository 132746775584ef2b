//go:build !(cgo && linux)

package oxrt

import "fmt"

func openLibrary(Options) (Driver, error) {
	return nil, fmt.Errorf("%w: this program was built without cgo or not for Linux", ErrNoDriver)
}
