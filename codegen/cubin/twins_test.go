package cubin_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
)

var twinCubins = flag.String("twins", "", "folder of cubins that nvcc made of testdata/twins: record their counts")

const (
	countsFile = "testdata/twins/counts.txt"
	generated  = "../../gen"
)

// A kernel may be this much over its twin: ptxas schedules and allocates by heuristics, so that equal code comes out a
// little longer or shorter; nvcc unrolls loops of one load 16 times and we 8, for short rows: the loop itself then counts double.
const (
	spareInstructions = 0.03
	spareLoop         = 0.15
	spareRegisters    = 2
)

// loop is one innermost loop: its instructions, and its loads and stores of global memory. Unrolling differs, so only
// instructions for each access compare.
type loop struct{ instructions, loads, stores int }

const loopFormat = "%d/%d+%d"

func (l loop) String() string { return fmt.Sprintf(loopFormat, l.instructions, l.loads, l.stores) }

func (l loop) cost() float64 { return float64(l.instructions) / float64(max(1, l.loads+l.stores)) }

// leftOver tells whether l does one by one what the unrolled loop main leaves.
func (l loop) leftOver(main loop) bool {
	return l.loads < main.loads && l.loads*main.stores == l.stores*main.loads
}

// counts is what can be said about a kernel's code without running it.
type counts struct {
	total, registers int
	loops            []loop
}

func (c counts) String() string {
	return fmt.Sprintf("%4d %3d  %s", c.total, c.registers, strings.Trim(fmt.Sprint(c.loops), "[]"))
}

// TestTwins holds every kernel that has a CUDA C++ twin to the code that nvcc makes of the twin.
func TestTwins(t *testing.T) {
	d := cubintest.Disassembler(t)
	if *twinCubins != "" {
		record(t, d, *twinCubins)
	}
	twins := readCounts(t)
	for _, name := range sortedNames(twins) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, have := twins[name], countKernel(t, d, kernelFile(t, name), name)
			t.Logf("%-56s ours %v\n%-56s nvcc %v", name, have, "", want)
			if spare := int(float64(want.total) * spareInstructions); have.total > want.total+spare {
				t.Errorf("%d instructions, nvcc makes %d of the twin", have.total, want.total)
			}
			if have.registers > want.registers+spareRegisters {
				t.Errorf("%d registers, nvcc takes %d for the twin", have.registers, want.registers)
			}
			compareLoops(t, have.loops, want.loops)
		})
	}
}

// compareLoops compares the loops of the passes over a row, in order. nvcc may double the last one for a condition that
// does not change in it.
func compareLoops(t *testing.T, have, want []loop) {
	have, want = mainLoops(have), mainLoops(want)
	if len(have) > len(want) {
		t.Errorf("main loops %v, the twin has %v", have, want)
		return
	}
	for i, l := range have {
		if l.cost() > want[i].cost()*(1+spareLoop) {
			t.Errorf("main loop %d is %v, the twin's %v", i, l, want[i])
		}
	}
}

// mainLoops drops the loops next to an unrolled one that do what it leaves.
func mainLoops(all []loop) []loop {
	var main []loop
	for i, l := range all {
		if i > 0 && l.leftOver(all[i-1]) || i+1 < len(all) && l.leftOver(all[i+1]) {
			continue
		}
		main = append(main, l)
	}
	return main
}

// TestEveryAlgorithmHasATwin keeps the comparison complete for the families that have one.
func TestEveryAlgorithmHasATwin(t *testing.T) {
	have := map[string]bool{}
	for name := range readCounts(t) {
		have[algorithmOf(name)] = true
	}
	for _, family := range []string{"normalization", "activation"} {
		files, err := filepath.Glob(filepath.Join(generated, family, "*.cubin"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no cubins of family %s: %v", family, err)
		}
		for _, f := range files {
			if a := algorithmOf(filepath.Base(f)); !have[a] {
				t.Errorf("%s has no twin in testdata/twins", a)
				have[a] = true
			}
		}
	}
}

func algorithmOf(kernel string) string {
	name, _, _ := strings.Cut(kernel, "_")
	return name
}

func kernelFile(t *testing.T, name string) string {
	files, err := filepath.Glob(filepath.Join(generated, "*", name+".sm_90a.cubin"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d cubins of %s: %v", len(files), name, err)
	}
	return files[0]
}

func countKernel(t *testing.T, d cubin.Disassembler, file, entry string) counts {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cubin.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	list, err := d.SASS(context.Background(), b, entry)
	if err != nil {
		t.Fatal(err)
	}
	code := withoutPadding(list)
	if len(code) == 0 || c.Entry(entry) == nil {
		t.Fatalf("%s has no code for %s", file, entry)
	}
	return counts{len(code), c.Entry(entry).Resources.Registers, innermostLoops(code)}
}

// withoutPadding drops what stands behind the code: a branch to itself, then no-ops up to the alignment.
func withoutPadding(list []cubin.Instruction) []cubin.Instruction {
	for len(list) > 0 && list[len(list)-1].Opcode() == "NOP" {
		list = list[:len(list)-1]
	}
	if n := len(list); n > 0 && list[n-1].Label != "" && branchTarget(list[n-1]) == list[n-1].Label {
		list = list[:n-1]
	}
	return list
}

func branchTarget(i cubin.Instruction) string {
	if i.Opcode() != "BRA" {
		return ""
	}
	_, after, _ := strings.Cut(i.Text, "`(")
	label, _, _ := strings.Cut(after, ")")
	return label
}

// innermostLoops finds the stretches from a label to a branch back to it that hold no other one.
func innermostLoops(list []cubin.Instruction) []loop {
	at, done := map[string]int{}, 0
	var loops []loop
	for i, in := range list {
		if in.Label != "" {
			at[in.Label] = i
		}
		first, back := at[branchTarget(in)]
		if !back || first < done {
			continue
		}
		l := loop{instructions: i + 1 - first}
		for _, x := range list[first : i+1] {
			switch x.Opcode() {
			case "LDG":
				l.loads++
			case "STG":
				l.stores++
			}
		}
		loops, done = append(loops, l), i+1
	}
	return loops
}

func readCounts(t *testing.T) map[string]counts {
	b, err := os.ReadFile(countsFile)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]counts{}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		var c counts
		if _, err := fmt.Sscan(strings.Join(words[1:], " "), &c.total, &c.registers); err != nil {
			t.Fatalf("%s: %q: %v", countsFile, line, err)
		}
		for _, w := range words[3:] {
			var l loop
			if _, err := fmt.Sscanf(w, loopFormat, &l.instructions, &l.loads, &l.stores); err != nil {
				t.Fatalf("%s: %q: %v", countsFile, line, err)
			}
			c.loops = append(c.loops, l)
		}
		all[words[0]] = c
	}
	return all
}

func record(t *testing.T, d cubin.Disassembler, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.cubin"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cubins in %s: %v", dir, err)
	}
	var lines []string
	tool := ""
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := cubin.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		tool = c.Tool
		for _, e := range c.Entries {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%-56s %v", e.Name, countKernel(t, d, f, e.Name)), " "))
		}
	}
	slices.Sort(lines)
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Made by record.sh with nvcc 13.0.88 -O3 -std=c++17 -arch=sm_90a (%s).\n", tool)
	fmt.Fprintf(&out, "# kernel, instructions, registers, innermost loops as instructions/global loads+stores\n%s\n", strings.Join(lines, "\n"))
	if err := os.WriteFile(countsFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sortedNames(all map[string]counts) []string {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
