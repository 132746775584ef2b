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

// rowVariant picks the smallest register-resident variant that holds a row, "" if none does. Names are
// PREFIX_T<threads>x<packets>SUFFIX.
func rowVariant(variants []string, prefix, suffix string, hidden int) string {
	best, bestCapacity := "", 0
	for _, v := range variants {
		var threads, packets int
		size, ok := strings.CutPrefix(v, prefix+"_T")
		if !ok {
			continue
		}
		if size, ok = strings.CutSuffix(size, suffix); !ok {
			continue
		}
		if n, err := fmt.Sscanf(size, "%dx%d", &threads, &packets); n != 2 || err != nil || fmt.Sprintf("%dx%d", threads, packets) != size {
			continue
		}
		capacity := threads * packets * packet
		if capacity >= hidden && (best == "" || capacity < bestCapacity) {
			best, bestCapacity = v, capacity
		}
	}
	return best
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
