package emulate

import "testing"

func TestParseAsync(t *testing.T) {
	for _, m := range []AsyncMode{AsyncLate, AsyncEarly, AsyncRandom} {
		if got, err := ParseAsync(m.String()); err != nil || got != m {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	if _, err := ParseAsync("sometimes"); err == nil {
		t.Error("an unknown mode is taken")
	}
}

func TestParseChecks(t *testing.T) {
	for list, want := range map[string]Checks{"all": AllChecks, "none": 0, "memcheck": Memcheck, "racecheck, synccheck": Racecheck | Synccheck, "memcheck,initcheck,asynccheck,racecheck,synccheck,wgmmacheck": AllChecks} {
		if got, err := ParseChecks(list); err != nil || got != want {
			t.Errorf("%s: %b, %v", list, got, err)
		}
	}
	for _, list := range []string{"", "memcheck,", "everything"} {
		if _, err := ParseChecks(list); err == nil {
			t.Errorf("%q is taken", list)
		}
	}
}
