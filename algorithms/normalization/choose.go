package normalization

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// target is the only target with artifacts so far.
const target = "sm_90a"

// packet is how many elements a packet kernel moves together.
const packet = 8

// typesName is the part of a variant's name that says the element types.
func typesName(input, weight, output oxrt.DType) string {
	return strings.ToUpper(fmt.Sprintf("%v_W%v_%v", input, weight, output))
}

// inWeightName is the part of a variant's name where the output has the input's type.
func inWeightName(input, weight oxrt.DType) string {
	return strings.ToUpper(fmt.Sprintf("%v_W%v", input, weight))
}

// suffix is the part of a variant's name that says the rounding. f32 rows have no format to round to.
func suffix(r Rounding, input oxrt.DType) string {
	if r == RoundBeforeWeight && input != oxrt.F32 {
		return "_Before"
	}
	return ""
}

// fewRows is the most rows for which one block should finish its row as soon as possible. Beyond, more rows in flight pay
// more. Measured on an H200; a constant, so that a plan does not depend on the device.
const fewRows = 256

// rowVariant picks a register-resident variant, "" if none holds the row: one of the least capacity that does, and of
// those the widest block for few rows and the narrowest for many. Names are PREFIX_T<threads>x<packets>SUFFIX.
func rowVariant(variants []string, prefix, suffix string, hidden, maxRows int) string {
	best, bestCapacity, bestThreads := "", 0, 0
	for _, v := range variants {
		threads, packets, ok := rowSize(v, prefix, suffix)
		capacity := threads * packets * packet
		if !ok || capacity < hidden {
			continue
		}
		better := capacity < bestCapacity
		if capacity == bestCapacity {
			better = (maxRows <= fewRows) == (threads > bestThreads)
		}
		if best == "" || better {
			best, bestCapacity, bestThreads = v, capacity, threads
		}
	}
	return best
}

// rowSize reads threads and packets out of a variant's name.
func rowSize(variant, prefix, suffix string) (threads, packets int, ok bool) {
	size, ok := strings.CutPrefix(variant, prefix+"_T")
	if !ok {
		return 0, 0, false
	}
	if size, ok = strings.CutSuffix(size, suffix); !ok {
		return 0, 0, false
	}
	n, err := fmt.Sscanf(size, "%dx%d", &threads, &packets)
	return threads, packets, n == 2 && err == nil && fmt.Sprintf("%dx%d", threads, packets) == size
}

// named is a field of a Spec.
type named struct {
	name  string
	value int
}

// notPacked says why 16-byte accesses cannot read the rows, nil if they can. Alignment and strides are what counts.
func notPacked(op *catalog.Operator, align, hidden int, strides ...named) error {
	if align%16 != 0 {
		return op.Refuse("align", "a multiple of 16 for this algorithm", fmt.Sprint(align))
	}
	if hidden%packet != 0 {
		return op.Refuse("hidden", "a multiple of 8 for this algorithm", fmt.Sprint(hidden))
	}
	for _, s := range strides {
		if s.value%packet != 0 {
			return op.Refuse(s.name, "a multiple of 8 for this algorithm", fmt.Sprint(s.value))
		}
	}
	return nil
}

// tooLong says that no register-resident variant holds the row.
func tooLong(op *catalog.Operator, variant string, hidden int) error {
	if variant == "" {
		return op.Refuse("hidden", "a row that fits the registers of one block for this algorithm", fmt.Sprint(hidden))
	}
	return nil
}
