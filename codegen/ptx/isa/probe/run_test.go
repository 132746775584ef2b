package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// fake refuses lines that contain one of the words, as ptxas would: with the line's number, or without one.
func fake(words []string, lineless bool) Assembler {
	return func(_ context.Context, ptx string) error {
		var out strings.Builder
		for i, line := range strings.Split(ptx, "\n") {
			if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
				if lineless {
					return &Rejected{Output: "fatal : something is wrong\n"}
				}
				fmt.Fprintf(&out, "line %d; error : no %s\n", i+1, strings.TrimSpace(line))
			}
		}
		if out.Len() == 0 {
			return nil
		}
		return &Rejected{Output: out.String()}
	}
}

// TestRunFindsTheCulprits proves that refusals are attributed to the right forms, with and without line numbers.
func TestRunFindsTheCulprits(t *testing.T) {
	var probes []Probe
	for i := range 57 {
		probes = append(probes, Probe{Mnemonic: fmt.Sprintf("op%d", i), Text: fmt.Sprintf("op%d;", i)})
	}
	for _, lineless := range []bool{false, true} {
		answers, err := Run(t.Context(), fake([]string{"op7;", "op31;", "op32;"}, lineless), probes, Options{Batch: 20, Parallel: 2})
		if err != nil {
			t.Fatal(err)
		}
		if len(answers) != len(probes) {
			t.Fatalf("%d answers", len(answers))
		}
		for m, a := range answers {
			bad := m == "op7" || m == "op31" || m == "op32"
			if bad != (a != "") {
				t.Errorf("lineless %v: %s: answer %q", lineless, m, a)
			}
			if bad && !lineless && a != "no "+m+";" {
				t.Errorf("%s: answer %q", m, a)
			}
		}
	}
}

// TestRunStops proves that an error which is no answer ends the run.
func TestRunStops(t *testing.T) {
	broken := errors.New("the disk is full")
	_, err := Run(t.Context(), func(context.Context, string) error { return broken }, []Probe{{Mnemonic: "a", Text: "a;"}}, Options{})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// TestVariants compares whole instructions: kinds, types and numbers of operands follow from the form.
func TestVariants(t *testing.T) {
	for _, c := range []struct{ mnemonic, text string }{
		{"fma.rn.f32", "fma.rn.f32 %f32_0, %f32_1, %f32_2, %f32_3;"},
		{"ld.shared.v2.b64", "ld.shared.v2.b64 {%b64_0, %b64_1}, [sh];"},
		{"mbarrier.arrive.release.cluster.shared::cluster.b64", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%b64_1];"},
		{"cp.async.bulk.prefetch.tensor.2d.L2.global", "cp.async.bulk.prefetch.tensor.2d.L2.global [%b64_1, {%b32_1, %b32_2}];"},
		{"elect.sync", "elect.sync %b32_0|%pred_1, %b32_2;"},
		{"wgmma.wait_group.sync.aligned", "wgmma.wait_group.sync.aligned 0;"},
	} {
		f, err := isa.Parse(c.mnemonic)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := Variants(f)[0].Text; got != c.text {
			t.Errorf("got  %s\nwant %s", got, c.text)
		}
	}
}

// TestSample proves that a sample holds every value and every pair of values that the row allows.
func TestSample(t *testing.T) {
	for r := range isa.Rows() {
		if r.Opcode() != "atom" {
			continue
		}
		missing := map[[2]string]bool{}
		pairs := func(f *isa.Form, fn func(p [2]string)) {
			mods := f.Mods()
			for i := range mods {
				for j := i; j < len(mods); j++ {
					fn([2]string{mods[i], mods[j]})
				}
			}
		}
		n := 0
		for f := range r.Forms() {
			n++
			pairs(f, func(p [2]string) { missing[p] = true })
		}
		sample := Sample(r.Forms(), 50)
		for _, f := range sample {
			pairs(f, func(p [2]string) { delete(missing, p) })
		}
		if len(missing) > 0 || n > 1000 && len(sample) > n/2 {
			t.Errorf("%s: %d of %d forms, %d pairs missing", r.Syntax, len(sample), n, len(missing))
		}
	}
}
