package normalization

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/rows"
	"github.com/oxideinfer/oxide/runtime"
)

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
// more. A constant, so that the choice does not depend on the device.
const fewRows = 256

// rowVariant picks a register-resident variant, "" if none holds the row: one of the least capacity that does, and of
// those the widest block for few rows and the narrowest for many. Names are PREFIX_T<threads>x<packets>SUFFIX.
func rowVariant(variants []string, prefix, suffix string, hidden, maxRows int) string {
	best, bestCapacity, bestThreads := "", 0, 0
	for _, v := range variants {
		threads, packets, ok := rowSize(v, prefix, suffix)
		capacity := threads * packets * rows.Packet
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

// tooLong says that no register-resident variant holds the row.
func tooLong(op *catalog.Operator, variant string, hidden int) error {
	if variant == "" {
		return op.Refuse("hidden", "a row that fits the registers of one block for this algorithm", fmt.Sprint(hidden))
	}
	return nil
}
