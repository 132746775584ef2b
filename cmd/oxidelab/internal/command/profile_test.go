package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/profilepage"
)

func TestProfile(t *testing.T) {
	s, _, _ := files(t, `{"hidden": 4096, "input": "bf16"}`, nil)
	html := filepath.Join(t.TempDir(), "page.html")
	status, said, errOut := call("profile", "normalization.rms_norm", "--spec", s, "--dims", "8192", "--json", "--html", html)
	if status != 0 || errOut != "" {
		t.Fatalf("status %d: %s", status, errOut)
	}
	var pages []profilepage.Page
	if err := json.Unmarshal([]byte(said), &pages); err != nil || len(pages) != 1 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	p := &pages[0]
	const bytes = 8192 * 4096 * 2 // of x and of y; the weights are 4096 more elements
	if r, w := p.Profile.Footprint.Read.Grid, p.Profile.Footprint.Write.Grid; r != bytes+4096*2 || w != bytes {
		t.Errorf("%g bytes read and %g written, want %d and %d", r, w, bytes+4096*2, bytes)
	}
	if e := p.Profile.Total.Load.Efficiency(); e != 1 {
		t.Errorf("loads use %g of their sectors", e)
	}
	if p.Estimate.By != "memory" || p.Estimate.Seconds < 2*bytes/4.55e12 {
		t.Errorf("%+v", p.Estimate)
	}
	store := false
	for _, l := range p.Lines {
		store = store || strings.Contains(l.Text, "StorePacketIf") && l.Counts.Store.Bytes == uint64(p.Profile.Blocks)*4096*2
	}
	if !store {
		t.Error("no line of source has the stores")
	}
	if page, err := os.ReadFile(html); err != nil || !strings.Contains(string(page), "StorePacketIf") || strings.Contains(string(page), "http") {
		t.Errorf("the page lacks the source or refers elsewhere: %v", err)
	}
}

func TestProfileRefuses(t *testing.T) {
	s, _, _ := files(t, spec, nil)
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"hidden": `), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		part string
	}{
		{[]string{}, "needs one operator"},
		{[]string{"normalization.rms_norm", "--dims", "3"}, "--spec"},
		{[]string{"normalization.rms_norm", "--spec", s}, "--dims"},
		{[]string{"nonsense", "--spec", s, "--dims", "3"}, `no operator "nonsense"`},
		{[]string{"normalization.rms_norm", "--spec", "nowhere.json", "--dims", "3"}, "nowhere.json"},
		{[]string{"normalization.rms_norm", "--spec", broken, "--dims", "3"}, "broken.json"},
		{[]string{"normalization.rms_norm", "--spec", s, "--dims", "three"}, "no list of sizes"},
		{[]string{"normalization.rms_norm", "--spec", s, "--dims", "3,4"}, "sizes"},
		{[]string{"normalization.rms_norm", "--spec", s, "--dims", "3", "--algorithm", "Nonsense"}, "Nonsense"},
		{[]string{"normalization.rms_norm", "--spec", s, "--dims", "3", "--blocks", "-1"}, "negative"},
		{[]string{"normalization.rms_norm", "--spec", s, "--dims", "3", "--html", "/nowhere/x.html"}, "/nowhere"},
	} {
		status, said, errOut := call(append([]string{"profile"}, c.args...)...)
		if status != exitUnable || said != "" || !strings.Contains(errOut, c.part) {
			t.Errorf("profile %v: status %d, said %q, error %q; want %q", c.args, status, said, errOut, c.part)
		}
	}
}
