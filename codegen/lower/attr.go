package lower

import "github.com/oxideinfer/oxide/ir"

// flag is the modifier of a flag attribute, empty if it is not set.
func flag(o *ir.Op, name string) string {
	if o.Flag(name) {
		return name
	}
	return ""
}
