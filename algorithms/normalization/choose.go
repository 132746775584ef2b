package normalization

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
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
// those the widest block for few rows and for many the one that prefetches, or else the narrowest. Names are
// PREFIX_T<threads>x<packets>SUFFIX, with _Ahead behind them where rows are prefetched.
func rowVariant(variants []string, prefix, suffix string, hidden, maxRows int) string {
	few := maxRows <= fewRows
	best, capacity := leastVariant(variants, prefix, suffix, hidden, few)
	if few {
		return best
	}
	if ahead, c := leastVariant(variants, prefix, suffix+aheadSuffix, hidden, few); ahead != "" && c == capacity {
		return ahead
	}
	return best
}

const aheadSuffix = "_Ahead"

// aheadBlocks is how far ahead the plan's kernel prefetches, 0 if it does not. The variants that do keep 1024 threads on a
// multiprocessor.
func aheadBlocks(p *invoke.Plan) uint32 {
	if !strings.HasSuffix(p.Artifacts()[0].Variant, aheadSuffix) {
		return 0
	}
	return p.Resident(1024)
}

// leastVariant is a variant of the least capacity that holds the row, with the widest or the narrowest block.
func leastVariant(variants []string, prefix, suffix string, hidden int, widest bool) (best string, bestCapacity int) {
	bestThreads := 0
	for _, v := range variants {
		threads, packets, ok := rowSize(v, prefix, suffix)
		capacity := threads * packets * rows.Packet
		if !ok || capacity < hidden {
			continue
		}
		better := capacity < bestCapacity
		if capacity == bestCapacity {
			better = widest == (threads > bestThreads)
		}
		if best == "" || better {
			best, bestCapacity, bestThreads = v, capacity, threads
		}
	}
	return best, bestCapacity
}

// soloVariant replaces the variant for two inputs of up to 8192 elements where there are about as many rows as an H200 has
// multiprocessors: of a block of 1024×2 only one fits a multiprocessor, and the next call's blocks do not wait beside it
// (bench/NOTES.md: 128 rows in 3.24 instead of 3.46 µs; at 64 and at 160 rows it is slower).
func soloVariant(variants []string, chosen, prefix, suffix string, hidden, maxRows int) string {
	const leastRows, mostRows, leastHidden, mostHidden = 97, 132, 4097, 8192
	solo := prefix + "_T1024x2" + suffix
	if maxRows < leastRows || maxRows > mostRows || hidden < leastHidden || hidden > mostHidden || !slices.Contains(variants, solo) {
		return chosen
	}
	return solo
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
