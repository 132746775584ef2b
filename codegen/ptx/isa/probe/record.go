package probe

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Record holds the answers of one assembler, as isa/testdata keeps them.
type Record struct {
	Assembler string            // name and version
	Target    string            // like sm_90a
	Answers   map[string]string // mnemonic to "ok" or to the first error message
}

const okAnswer = "ok"

// NewRecord makes a record of the answers of Run.
func NewRecord(assembler, target string, answers map[string]string) *Record {
	r := &Record{assembler, target, make(map[string]string, len(answers))}
	for m, a := range answers {
		if a == "" {
			a = okAnswer
		}
		r.Answers[m] = strings.Join(strings.Fields(a), " ")
	}
	return r
}

// Write writes one line an answer, sorted, so that two records can be compared by eye.
func (r *Record) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\t%s\n", r.Assembler, r.Target)
	for _, m := range slices.Sorted(maps.Keys(r.Answers)) {
		fmt.Fprintf(b, "%s\t%s\n", m, r.Answers[m])
	}
	return b.Flush()
}

// ReadRecord reads what Write wrote.
func ReadRecord(rd io.Reader) (*Record, error) {
	r := &Record{Answers: map[string]string{}}
	lines := bufio.NewScanner(rd)
	for n := 1; lines.Scan(); n++ {
		left, right, ok := strings.Cut(lines.Text(), "\t")
		switch head, isHead := strings.CutPrefix(left, "# "); {
		case !ok:
			return nil, fmt.Errorf("line %d of the record has no tab", n)
		case isHead && n == 1:
			r.Assembler, r.Target = head, right
		case n == 1:
			return nil, fmt.Errorf("the record does not say whose answers it holds")
		case r.Answers[left] != "":
			return nil, fmt.Errorf("line %d of the record answers for %s again", n, left)
		default:
			r.Answers[left] = right
		}
	}
	return r, lines.Err()
}

// Mismatch is a mnemonic about which the table and the assembler disagree.
type Mismatch struct {
	Mnemonic string
	Answer   string // of the assembler
	Table    error  // nil: the table allows it
}

// String says who says what.
func (m Mismatch) String() string {
	if m.Table == nil {
		return fmt.Sprintf("%s: in the table, but the assembler says: %s", m.Mnemonic, m.Answer)
	}
	return fmt.Sprintf("%s: accepted by the assembler, but %v", m.Mnemonic, m.Table)
}

// Mismatches compares the record with the table. Tolerated counts the mnemonics that the manual does not define and
// that ptxas is known to read over; see leniencies.
func (r *Record) Mismatches() (all []Mismatch, tolerated int) {
	for _, m := range slices.Sorted(maps.Keys(r.Answers)) {
		_, err := isa.Parse(m)
		switch accepted := r.Answers[m] == okAnswer; {
		case (err == nil) == accepted:
		case accepted && lenient(m) != "":
			tolerated++
		default:
			all = append(all, Mismatch{m, r.Answers[m], err})
		}
	}
	return all, tolerated
}

// Thin keeps at most n probes of each opcode, evenly spaced, so that a record stays small.
func Thin(probes []Probe, n int) []Probe {
	total, taken, index := map[string]int{}, map[string]int{}, map[string]int{}
	opcode := func(p Probe) string { op, _, _ := strings.Cut(p.Mnemonic, "."); return op }
	for _, p := range probes {
		total[opcode(p)]++
	}
	var out []Probe
	for _, p := range probes {
		op := opcode(p)
		if index[op]*n/total[op] >= taken[op] && taken[op] < n {
			taken[op]++
			out = append(out, p)
		}
		index[op]++
	}
	return out
}
