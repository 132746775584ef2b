package invoke_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial/trialtest"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	gen "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

type spec struct{ MaxRows int }

// pages is an operator of one table; what its algorithms launch does not matter here.
func pages() *catalog.Operator {
	algorithm := func(name string) catalog.Algorithm { return catalog.Algorithm{Name: name, Provider: "Oxide"} }
	return &catalog.Operator{
		Name:       "test.pages",
		Fields:     []catalog.Field{{Name: "max_rows", Go: "MaxRows", Kind: catalog.Int, Min: 1, Max: 100, Doc: "d"}},
		Dims:       []catalog.Dim{{Name: "rows", Max: "max_rows"}},
		Algorithms: []catalog.Algorithm{algorithm("Plain"), algorithm("Checking"), algorithm("Eager")},
	}
}

func planned(t *testing.T, dev *oxrt.Device, rows int, options ...invoke.Option) (invoke.Plan, error) {
	t.Helper()
	a := gen.Artifacts()[0]
	return invoke.New(dev, pages(), &spec{rows}, 16, []invoke.Candidate{
		{Artifact: a}, {Artifact: a, Workspace: 512, Checks: []string{"table", "lengths"}}, {Artifact: a, Graph: oxrt.GraphNowhere},
	}, options)
}

func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestEqualInputsGiveEqualPlans, and every difference another fingerprint.
func TestEqualInputsGiveEqualPlans(t *testing.T) {
	dev, _ := trialtest.Device(t)
	seen := map[string]string{}
	for name, make := range map[string]func() (invoke.Plan, error){
		"plain":    func() (invoke.Plan, error) { return planned(t, dev, 4) },
		"rows":     func() (invoke.Plan, error) { return planned(t, dev, 5) },
		"apart":    func() (invoke.Plan, error) { return planned(t, dev, 4, invoke.WithoutOverlap()) },
		"checking": func() (invoke.Plan, error) { return planned(t, dev, 4, invoke.WithAlgorithm("Checking")) },
		"trusted": func() (invoke.Plan, error) {
			return planned(t, dev, 4, invoke.WithAlgorithm("Checking"), invoke.Trusted())
		},
		"eager": func() (invoke.Plan, error) { return planned(t, dev, 4, invoke.WithAlgorithm("Eager")) },
	} {
		one, err := make()
		a, b := must(t, one, err), must(t, one, err)
		if two, err := make(); err != nil || two.Fingerprint() != a.Fingerprint() || two.String() != b.String() {
			t.Errorf("%s: %v and %v", name, a.String(), two.String())
		}
		if other := seen[a.Fingerprint()]; other != "" {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		seen[a.Fingerprint()] = name
		for _, part := range []string{"test.pages", "Oxide", a.Algorithm(), a.GraphPolicy().String(), a.Artifacts()[0].CubinSHA256[:12]} {
			if !strings.Contains(a.String(), part) {
				t.Errorf("%s: %q does not say %q", name, a.String(), part)
			}
		}
	}
}

func TestPlanSaysWhatACallNeeds(t *testing.T) {
	dev, _ := trialtest.Device(t)
	for _, c := range []struct {
		options   []invoke.Option
		policy    oxrt.GraphPolicy
		workspace int64
		checked   bool
	}{
		{nil, oxrt.GraphAnywhere, 0, false},
		{[]invoke.Option{invoke.WithAlgorithm("Checking")}, oxrt.GraphSupplied, 512, true},
		{[]invoke.Option{invoke.WithAlgorithm("Checking"), invoke.Trusted()}, oxrt.GraphSupplied, 512, false},
		{[]invoke.Option{invoke.WithAlgorithm("Eager")}, oxrt.GraphNowhere, 0, false},
	} {
		p, err := planned(t, dev, 4, c.options...)
		must(t, p.Provider(), err)
		d := p.Describe()
		if p.GraphPolicy() != c.policy || p.WorkspaceBytes() != c.workspace || (p.Validation() != nil) != c.checked || d.Checked != c.checked ||
			d.Workspace != c.workspace || d.Graph != c.policy.String() || p.Device() != dev {
			t.Errorf("%+v: %v", c, p.String())
		}
	}
	if _, err := planned(t, dev, 4, invoke.Trusted()); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("trusted, with nothing to check: %v", err)
	}
}

func TestStatusAndWorkspaceOfACall(t *testing.T) {
	dev, stream := trialtest.Device(t)
	checking, err := planned(t, dev, 4, invoke.WithAlgorithm("Checking"))
	must(t, "", err)
	trusted, err := planned(t, dev, 4, invoke.WithAlgorithm("Checking"), invoke.Trusted())
	must(t, "", err)
	buf, err := dev.Alloc(1024)
	must(t, buf, err)
	defer buf.Close()
	begin := func() *oxrt.Scope {
		s, err := stream.Begin()
		return must(t, s, err)
	}
	s := begin()
	if st, err := checking.Status(s); err != nil || st.Record == 0 || st.Operator != 0 {
		t.Errorf("checked: %+v, %v", st, err)
	}
	if st, err := trusted.Status(s); err != nil || st.Record != 0 || st.Operator != oxrt.StatusUnchecked {
		t.Errorf("trusted: %+v, %v", st, err)
	}
	if w, err := checking.Workspace(s, buf.All(oxrt.U8)); err != nil || w.Ptr() != buf.Ptr() {
		t.Errorf("the caller's workspace: %v", err)
	}
	s.Drop()
	small, err := buf.Region(0, oxrt.U8, 100)
	must(t, small, err)
	odd, err := buf.Region(16, oxrt.U8, 600)
	must(t, odd, err)
	for name, given := range map[string]oxrt.Region{"none": {}, "too small": small, "misaligned": odd} {
		s := begin()
		if _, err := checking.Workspace(s, given); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Submit(); !errors.Is(err, oxrt.ErrContract) {
			t.Errorf("%s: submitted, %v", name, err)
		}
	}
	must(t, "", stream.ReserveWorkspace(checking.WorkspaceBytes()))
	s = begin()
	if w, err := checking.Workspace(s, oxrt.Region{}); err != nil || w.Bytes() != 512 {
		t.Errorf("the stream's workspace: %d bytes, %v", w.Bytes(), err)
	}
	s.Drop()
}
