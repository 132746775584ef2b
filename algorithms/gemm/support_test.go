package gemm

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
)

var update = flag.Bool("update", false, "write the support table anew")

const supportFile = "../../docs/gemm-support.md"

// epilogues are what a product may do behind its sums, or to its operands; each changes a Spec's form that is otherwise plain.
var epilogues = []struct {
	name   string
	serves func(kind) bool
	change func(*form)
}{
	{"none", always, func(*form) {}},
	{"bias", always, func(f *form) { f.bias = true }},
	{"bias f32", always, func(f *form) { f.bias, f.biasType = true, oxrt.F32 }},
	{"addend", plain, func(f *form) { f.accumulate = true }},
	{"addend f32", plain, func(f *form) { f.accumulate, f.addend = true, oxrt.F32 }},
	{"SiLU", plain, func(f *form) { f.activation = SiLU }},
	{"GELU", plain, func(f *form) { f.activation = GELU }},
	{"GELU tanh", plain, func(f *form) { f.activation = GELUTanh }},
	{"GeGLU", func(k kind) bool { return k.gated }, func(f *form) { f.activation = GELU }},
	{"alpha", exactly, func(f *form) { f.alpha = 0.5 }},
	{"row factor", unscaledOnly, func(f *form) { f.factor = true }},
	{"RMSNorm factor", unscaledOnly, func(f *form) { f.factor, f.fromSquares = true, true }},
	{"sum of squares", exactly, func(f *form) { f.squares = true }},
	{"b by k", exactly, func(f *form) { f.byK = true }},
	{"any alignment", always, func(f *form) { f.align = 4 }},
}

func always(kind) bool         { return true }
func plain(k kind) bool        { return !k.gated }
func exactly(k kind) bool      { return k == kind{} }
func unscaledOnly(k kind) bool { return k.scaling == unscaled }

// supportOf is one line: for each epilogue whether an algorithm takes a product of m rows.
func supportOf(k kind, number, m int, input, output oxrt.DType) string {
	op := operator(k)
	var b strings.Builder
	for _, e := range epilogues {
		other := oxrt.BF16
		if k.scaling == unscaled {
			other = input
		}
		f := form{scaling: k.scaling, gated: k.gated, maxM: m, n: 64, k: 256, input: input, output: output, addend: other, biasType: other, align: 16, alpha: 1, beta: 1,
			outputScale: 1}
		if k.gated {
			f.activation = SiLU
		}
		f = f.dense(0, 0, 0, 0)
		e.change(&f)
		switch {
		case !e.serves(k):
			b.WriteString(" – |")
		case candidates(op, k, &f)[number].Refusal == nil:
			b.WriteString(" yes |")
		default:
			b.WriteString(" |")
		}
	}
	return b.String()
}

// supportTable has a line for every operator, pair of types and set of algorithms that support the same.
func supportTable() string {
	var b strings.Builder
	b.WriteString("<!-- Written by go test ./algorithms/gemm -run SupportTable -update; a test holds the plans to it. -->\n# What each algorithm of matrix products takes\n\n" +
		"Every cell is an answer of a plan for n = 64 and k = 256 with rows at multiples of 16 bytes; what a cell does not say yes to is refused when planning. " +
		"Few rows: max_m 8; more: max_m 256. A dash: the operator has no such thing.\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "\n## %s\n\n| types | max_m | algorithms |", names[k])
		rule := "\n|---|---|---|"
		for _, e := range epilogues {
			b.WriteString(" " + e.name + " |")
			rule += "---|"
		}
		b.WriteString(rule + "\n")
		inputs := []oxrt.DType{oxrt.BF16, oxrt.F16}
		if k.scaling != unscaled {
			inputs = inputs[:0]
			inputs = append(inputs, oxrt.E4M3)
		}
		for _, input := range inputs {
			for _, output := range []oxrt.DType{oxrt.BF16, oxrt.F16, oxrt.F32, oxrt.E4M3} {
				for _, m := range []int{8, 256} {
					b.WriteString(supportLines(k, m, input, output))
				}
			}
		}
	}
	return b.String()
}

// supportLines joins the algorithms with the same support.
func supportLines(k kind, m int, input, output oxrt.DType) string {
	var lines []string
	who := map[string][]string{}
	for number, a := range operator(k).Algorithms {
		line := supportOf(k, number, m, input, output)
		if !strings.Contains(line, "yes") {
			continue
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		who[line] = append(who[line], strings.TrimPrefix(a.Name, "OxideSm90Matmul"))
	}
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "| %v → %v | %d | %s |%s\n", input, output, m, strings.Join(who[line], ", "), line)
	}
	return b.String()
}

// TestSupportTable: the committed table is what plans answer.
func TestSupportTable(t *testing.T) {
	got := supportTable()
	if *update {
		if err := os.WriteFile(supportFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(supportFile)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("line %d of %s (written with -update) is\n%s\nand plans say\n%s", i+1, supportFile, wantLines[i], gotLines[i])
		}
	}
	t.Fatalf("%s has %d lines, plans give %d", supportFile, len(wantLines), len(gotLines))
}

// TestWhatMustBeSupported: two-byte numbers with every epilogue, e4m3 in each scaling with none, bias and SwiGLU, in any number of rows.
func TestWhatMustBeSupported(t *testing.T) {
	for _, k := range kinds {
		inputs := []oxrt.DType{oxrt.BF16, oxrt.F16}
		if k.scaling != unscaled {
			inputs = []oxrt.DType{oxrt.E4M3}
		}
		for _, input := range inputs {
			for _, output := range []oxrt.DType{oxrt.BF16, oxrt.F16, oxrt.F32, oxrt.E4M3} {
				for _, m := range []int{1, 8, 256, 8192} {
					taken := make([]bool, len(epilogues))
					for number := range operator(k).Algorithms {
						for i, cell := range strings.Split(strings.TrimSuffix(supportOf(k, number, m, input, output), "|"), "|") {
							taken[i] = taken[i] || strings.Contains(cell, "yes")
						}
					}
					for i, e := range epilogues {
						if taken[i] != e.serves(k) {
							t.Errorf("%s %v→%v, max_m %d, %s: supported %v", names[k], input, output, m, e.name, taken[i])
						}
					}
				}
			}
		}
	}
}
