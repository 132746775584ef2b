// Package trial runs an operator once on a device under hard conditions: outputs are poisoned, sentinels lie around every
// region and between the rows, all of it NaN in every format, and everything that is not an output must come back
// unchanged. The tests of the families and `oxidelab` use it.
package trial
