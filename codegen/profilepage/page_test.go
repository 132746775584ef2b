package profilepage

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/linemap"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
)

// sample is a kernel of this package with a helper of another one and a line that the map does not name.
func sample(t *testing.T) *Page {
	t.Helper()
	const own, lib = "github.com/oxideinfer/oxide/codegen/profilepage", "example.com/lib"
	lines := linemap.New([]linemap.Position{
		{Line: 10, Frames: []linemap.Frame{{File: own + "/doc.go", Line: 5, Func: "a"}}},
		{Line: 11, Frames: []linemap.Frame{{File: lib + "/sum.go", Line: 9, Func: "sum"}, {File: own + "/doc.go", Line: 6, Func: "a"}}},
		{Line: 12, Frames: []linemap.Frame{{File: own + "/doc.go", Line: 5, Func: "a"}}},
	})
	list := []profile.Line{
		{Line: 9, Op: "ld.param", Counts: profile.Counts{Warp: 4}},
		{Line: 10, Op: "ld.global", Counts: profile.Counts{Warp: 8, Thread: 256, Load: profile.Memory{Requests: 8, Sectors: 64, Bytes: 1024}}},
		{Line: 11, Op: "ld.shared", Counts: profile.Counts{Warp: 16, SharedLoad: profile.Banks{Requests: 16, Phases: 48, Least: 16}}},
		{Line: 12, Op: "add", Counts: profile.Counts{Warp: 8, Thread: 256}},
	}
	p := &profile.Profile{Kernel: "k", Grid: [3]uint32{8, 1, 1}, Block: [3]uint32{256, 1, 1}, Cluster: [3]uint32{1, 1, 1}, Blocks: 4, Lines: list, Dynamic: 1024}
	for i := range list {
		p.Total.Add(&list[i].Counts)
	}
	page, err := New(Kernel{"k <1>", own, "sm_90a", cubin.Resources{Registers: 64, StaticSharedBytes: 16}, lines}, p, profile.H200, profile.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	page.AddSource(context.Background(), ".")
	return page
}

func TestFold(t *testing.T) {
	p := sample(t)
	if len(p.Lines) != 3 {
		t.Fatalf("%d lines: %+v", len(p.Lines), p.Lines)
	}
	none, five, six := p.Lines[0], p.Lines[1], p.Lines[2]
	if none.Number != 0 || none.Counts.Warp != 4 {
		t.Errorf("what no line is known for: %+v", none)
	}
	if five.Number != 5 || five.Counts.Warp != 16 || len(five.PTX) != 2 || !strings.HasPrefix(five.Text, "//") {
		t.Errorf("line 5: %+v", five)
	}
	if six.Number != 6 || six.Counts.SharedLoad.Phases != 48 { // the helper counts where it is called
		t.Errorf("line 6: %+v", six)
	}
	if p.Occupancy.Blocks != 4 || p.Occupancy.LimitedBy != "registers" { // 64 registers × 256 threads × 4 = 65536
		t.Errorf("occupancy %v", p.Occupancy)
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := sample(t).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"4 of 8 blocks ran", "64 a thread", "1040 B a block", "loads 50 %", "12 phases a block, 67 % of them for conflicts",
		"   warps threads sectors eff%  phases   confl\n", "       4     128      16   50                     5  // stands", "       9     128      16   50      12       8        all lines\n"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is missing in\n%s", part, b.String())
		}
	}
}

func TestHTMLAndJSON(t *testing.T) {
	p := sample(t)
	var b bytes.Buffer
	if err := HTML(&b, []*Page{p, p}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Count(page, "<h1>k &lt;1&gt;</h1>") != 2 || !strings.Contains(page, "ld.shared") || strings.Contains(page, "://") || strings.Contains(page, "<script") {
		t.Error("the page is not what it should be")
	}
	b.Reset()
	if err := JSON(&b, []*Page{p}); err != nil {
		t.Fatal(err)
	}
	var back []Page
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back) != 1 || len(back[0].Lines) != 3 || back[0].Lines[2].Counts.SharedLoad.Phases != 48 {
		t.Errorf("%v: %+v", err, back)
	}
}

func TestFigures(t *testing.T) {
	for x, want := range map[float64]string{0: "", 1: "1", 0.25: "0.25", 7.375: "7.38", 99999: "99999", 123456: "123.5k", 1.25e6: "1.25M", 2.5e9: "2.50G"} {
		if got := figure(x); got != want {
			t.Errorf("%g is shown as %q, want %q", x, got, want)
		}
	}
}
