package linemap_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/oxideinfer/oxide/codegen/linemap"
)

func frames(list ...linemap.Frame) []linemap.Frame { return list }

var (
	outer = linemap.Frame{File: "m/k/norm.go", Line: 41, Func: "rmsNorm"}
	inner = linemap.Frame{File: "m/lib/reduce.go", Line: 27, Func: "Elements.At"}
)

var positions = []linemap.Position{
	{Line: 5, Frames: frames(outer)}, {Line: 6, Frames: frames(outer)}, {Line: 7, Frames: frames(inner, outer)}, {Line: 9, Frames: frames(outer)}, {Line: 12},
}

const text = `file m/k/norm.go
file m/lib/reduce.go
at 0 41 - rmsNorm
at 1 27 0 Elements.At
5 0
7 1
9 0
12 -
`

func TestRoundTrip(t *testing.T) {
	m := linemap.New(positions)
	if diff := cmp.Diff(text, string(m.Encode())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again, err := linemap.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*linemap.Map{m, again} {
		for line, want := range map[int][]linemap.Frame{
			1: nil, 4: nil, 5: frames(outer), 6: frames(outer), 7: frames(inner, outer), 8: frames(inner, outer), 9: frames(outer), 11: frames(outer), 12: nil, 99: nil,
		} {
			if diff := cmp.Diff(want, m.Frames(line)); diff != "" {
				t.Errorf("PTX line %d (-want +got):\n%s", line, diff)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, bad := range []string{"x 0", "5", "5 0", "file a\nat 1 1 - f", "file a\nat 0 1 0 f", "file a\nat 0 1 -", "file a\nat 0 x - f", "5 -\n5 -", "at", "-1 7"} {
		if _, err := linemap.Decode([]byte(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(text))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := linemap.Decode(b)
		if err != nil {
			return
		}
		m.Frames(7)
		if _, err := linemap.Decode(m.Encode()); err != nil {
			t.Errorf("what Encode writes is refused: %v", err)
		}
	})
}
