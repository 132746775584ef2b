package probe

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

func acceptRecord(t *testing.T) *Record {
	t.Helper()
	f, err := os.Open("../testdata/accept-13.0.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadRecord(z)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTableAgreesWithRecord compares the table with what ptxas answered. After a change to the table that brings new
// forms, "oxidegen probe -record codegen/ptx/isa/testdata/accept-13.0.txt.gz" asks it again.
func TestTableAgreesWithRecord(t *testing.T) {
	r := acceptRecord(t)
	if r.Assembler != "ptxas 13.0.88" || r.Target != "sm_90a" {
		t.Fatalf("record of %s for %s", r.Assembler, r.Target)
	}
	all, tolerated := r.Mismatches()
	for _, m := range all {
		t.Error(m)
	}
	if tolerated > 100 {
		t.Errorf("%d mnemonics are tolerated: the rules of lenient.go are too wide", tolerated)
	}
}

// TestRecordIsComplete proves that the record answers for every form that a probe run would try today, and that it
// holds refused mnemonics of the opcodes whose rows have conditions.
func TestRecordIsComplete(t *testing.T) {
	r := acceptRecord(t)
	for _, p := range Accepted(1000) {
		if r.Answers[p.Mnemonic] == "" {
			t.Errorf("%s: no answer in the record", p.Mnemonic)
		}
	}
	refused := map[string]bool{}
	for m, a := range r.Answers {
		if a != okAnswer {
			op, _, _ := strings.Cut(m, ".")
			refused[op] = true
		}
	}
	for row := range isa.Rows() {
		if row.Where != "" && !refused[row.Opcode()] {
			t.Errorf("%s: the record holds no refused neighbour", row.Syntax)
		}
	}
}

// TestMismatches proves that both kinds of disagreement are found.
func TestMismatches(t *testing.T) {
	r := NewRecord("ptxas 0", "sm_90a", map[string]string{
		"popc.b32": "", "popc.b64": "Illegal\nmodifier", "popc.b16": "", "clz.b16": "Unexpected type",
		"testp.f32": "", "rcp.rn.ftz.f64": "", "wgmma.fence.sync": "No .aligned",
	})
	var got []string
	all, tolerated := r.Mismatches()
	if tolerated != 2 {
		t.Errorf("%d tolerated, want 2", tolerated)
	}
	for _, m := range all {
		got = append(got, m.String())
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "popc.b16: accepted") || got[1] != "popc.b64: in the table, but the assembler says: Illegal modifier" {
		t.Errorf("mismatches %q", got)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	r := NewRecord("ptxas 0", "sm_90a", map[string]string{"popc.b32": "", "clz.b16": "Unexpected type"})
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := "# ptxas 0\tsm_90a\nclz.b16\tUnexpected type\npopc.b32\tok\n"
	if b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
	got, err := ReadRecord(&b)
	if err != nil || got.Assembler != r.Assembler || got.Target != r.Target || got.Answers["clz.b16"] != "Unexpected type" || len(got.Answers) != 2 {
		t.Errorf("read %v, %v", got, err)
	}
	for _, bad := range []string{"popc.b32\tok\n", "# a\tb\npopc.b32 ok\n", "# a\tb\npopc.b32\tok\npopc.b32\tok\n"} {
		if _, err := ReadRecord(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read without an error", bad)
		}
	}
}

func TestThin(t *testing.T) {
	var all []Probe
	for i := range 100 {
		all = append(all, Probe{Mnemonic: "ld." + strings.Repeat("x", i)})
	}
	all = append(all, Probe{Mnemonic: "st.a"})
	out := Thin(all, 10)
	if len(out) != 11 || out[0].Mnemonic != "ld." || len(out[9].Mnemonic) != 3+90 || out[10].Mnemonic != "st.a" {
		t.Errorf("%d probes: %v", len(out), out)
	}
}
