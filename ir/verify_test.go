package ir_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/ir"
)

// A bad kernel marks the line of each mistake with "// want CODE"; a finding about the contract belongs to the line of
// the function. The test fails for a finding that is missing, extra, or on another line.
type badKernel struct {
	name     string
	file     string
	contract ir.Contract
	target   ir.Target
	body     func(*ir.Kernel)
	helper   string // function that has marks, too
}

var warpBlock = ir.Contract{Block: [3]int{128}}

func (b badKernel) build() (*ir.Kernel, error) {
	if b.contract.Block == [3]int{} {
		b.contract.Block = warpBlock.Block
	}
	if b.target == "" {
		return ir.BuildFunc(b.name, b.contract, b.body)
	}
	return ir.BuildFunc(b.name, b.contract, b.body, b.target)
}

func TestVerifierFindsEveryMistake(t *testing.T) {
	perCode := map[string]int{}
	for _, b := range badKernels() {
		t.Run(b.name, func(t *testing.T) {
			want := wanted(t, b.file, b.name, b.helper)
			k, err := b.build()
			var got []string
			var fs ir.Findings
			if err != nil && !errors.As(err, &fs) {
				t.Fatal(err)
			}
			for _, f := range fs {
				line := 0
				if len(f.Pos) > 0 {
					line = f.Pos[0].Line
				}
				got = append(got, fmt.Sprintf("%s:%d", f.Code, line))
				if f.Msg == "" || f.Code == "" {
					t.Errorf("finding without text: %+v", f)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %v\nwant %v\n%v\n%v", got, want, err, k)
			}
			for _, w := range want {
				perCode[strings.Split(w, ":")[0]]++
			}
		})
	}
	for _, code := range ir.Codes() {
		if perCode[code] < 2 && code != ir.CodeNotUniform && code != ir.CodeTied { // see demand_test.go

			t.Errorf("%s has %d bad kernels, want 2", code, perCode[code])
		}
	}
}

var wantMark = regexp.MustCompile(`// want ([A-Z_ ]+)$`)

// wanted reads the marks of one function of a test file.
func wanted(t *testing.T, file, name, helper string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	inside, found := false, false
	for i, line := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "func "); ok {
			fn, _, _ := strings.Cut(rest, "(")
			inside = fn == name || fn == helper
			found = found || inside
		}
		if m := wantMark.FindStringSubmatch(line); inside && m != nil {
			for _, code := range strings.Fields(m[1]) {
				list = append(list, fmt.Sprintf("%s:%d", code, i+1))
			}
		}
	}
	if !found {
		t.Fatalf("%s has no function %s", file, name)
	}
	return list
}
