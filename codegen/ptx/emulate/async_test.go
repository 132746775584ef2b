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
