package gemm

import (
	_ "embed" // the table
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// tuned is what `oxidelab tune` measured: behind a comment one line a size, "operator m×n×k algorithm µs algorithm µs …", the
// fastest first.
//
//go:embed ztuned.txt
var tuned string

// measuredAt returns the table's line for calls of up to m rows: that of the least m at or above it, if it is less than twice as
// much. n are columns of d.
func measuredAt(table, operator string, m, n, k int) (size string, fields []string) {
	nearest := 2 * m
	for line := range strings.Lines(table) {
		rest, ok := strings.CutPrefix(line, operator+" ")
		if !ok {
			continue
		}
		var of [3]int
		all := strings.Fields(rest)
		if got, err := fmt.Sscanf(all[0], "%d×%d×%d", &of[0], &of[1], &of[2]); got < len(of) || err != nil {
			continue
		}
		if of[1] == n && of[2] == k && of[0] >= m && of[0] < nearest {
			nearest, size, fields = of[0], all[0], all[1:]
		}
	}
	return size, fields
}

// measured returns the algorithm that was measured fastest among those that can run the Spec, and what the table says; -1 where the
// Spec's n and k have no line or none of a line's algorithms can.
func measured(table string, op *catalog.Operator, refused func(int) error, m, n, k int) (int, string) {
	size, fields := measuredAt(table, op.Name, m, n, k)
	for i := 0; i+1 < len(fields); i += 2 {
		for j, a := range op.Algorithms {
			if a.Name == fields[i] && refused(j) == nil {
				return j, fmt.Sprintf("measured at %s on an H200 in µs: %s", size, strings.Join(fields, " "))
			}
		}
	}
	return -1, ""
}
