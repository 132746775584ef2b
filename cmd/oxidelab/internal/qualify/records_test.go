package qualify

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"

	gennormalization "github.com/oxideinfer/oxide/gen/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

func TestStampDemandsACleanCommit(t *testing.T) {
	commit := strings.Repeat("ab", 20)
	for name, c := range map[string]struct {
		settings []debug.BuildSetting
		ok       bool
	}{
		"clean":       {[]debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "t"}, {Key: "vcs.modified", Value: "false"}}, true},
		"dirty":       {[]debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "t"}, {Key: "vcs.modified", Value: "true"}}, false},
		"not stamped": {nil, false},
		"half":        {[]debug.BuildSetting{{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "t"}}, false},
	} {
		s, err := stampOf(&debug.BuildInfo{Main: debug.Module{Path: "m"}, Settings: c.settings})
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrUnstamped) || c.ok && (s.Commit != commit || s.Module != "m") {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestPTXASIsReadFromTheCubins(t *testing.T) {
	all := gennormalization.Artifacts()
	if v := PTXAS(all); v != "13.0.88" {
		t.Errorf("%q", v)
	}
	other := *all[0]
	other.Cubin = []byte("Cuda compilation tools, release 12.9, V12.9.1")
	if v := PTXAS([]*oxrt.Artifact{all[0], &other}); v != "" {
		t.Errorf("two versions are called %q", v)
	}
}

func TestToolLogs(t *testing.T) {
	for _, c := range []struct {
		name, log string
		want      toolReport
		kernel    string
	}{
		{"clean", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", toolReport{complete: true}, ""},
		{"races", "========= COMPUTE-SANITIZER\n========= Error: Race reported between Write access\n=========     at OxideA_B+0x1\n=========\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
			toolReport{complete: true, errors: 1}, "OxideA_B"},
		{"cut off", "========= COMPUTE-SANITIZER\n========= Error: no device\n", toolReport{first: "========= COMPUTE-SANITIZER ========= Error: no device"}, ""},
		{"empty", "", toolReport{}, ""},
	} {
		got := parseToolLog(c.log)
		if got.complete != c.want.complete || got.errors != c.want.errors || got.first != c.want.first {
			t.Errorf("%s: %+v", c.name, got)
		}
		if _, ok := got.findings[c.kernel]; (c.kernel != "") != ok {
			t.Errorf("%s: findings %v", c.name, got.findings)
		}
	}
}
