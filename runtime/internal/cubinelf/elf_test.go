package cubinelf

import (
	"os"
	"strings"
	"testing"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOnePTXForTwoTargetsIsToldApart(t *testing.T) {
	for _, target := range []string{"sm_90", "sm_90a"} {
		f, err := Parse(read(t, "tiny_"+target+".cubin"))
		if err != nil {
			t.Fatal(err)
		}
		if f.SM != 90 || f.Arch != target {
			t.Errorf("%s: read SM %d, arch %q", target, f.SM, f.Arch)
		}
		e, ok := f.Entry("tiny")
		if !ok {
			t.Fatalf("%s: no entry", target)
		}
		if len(e.Params) != 2 || e.Params[0] != (Param{0, 8}) || e.Params[1] != (Param{8, 4}) || e.ParamBytes != 12 {
			t.Errorf("%s: params %+v, %d bytes", target, e.Params, e.ParamBytes)
		}
		if e.Block != [3]uint32{32, 1, 1} {
			t.Errorf("%s: block %v", target, e.Block)
		}
		if _, ok := f.Entry("tin"); ok {
			t.Errorf("%s: found an entry that is not there", target)
		}
	}
}

func TestArchOption(t *testing.T) {
	for options, want := range map[string]string{
		"-arch sm_90a -v":        "sm_90a",
		"-v -arch=sm_90":         "sm_90",
		"--gpu-name sm_100a":     "sm_100a",
		"-arch sm_90 -arch sm_1": "sm_1",
		"-arch":                  "",
		"-architecture sm_90":    "",
		"":                       "",
	} {
		if got := archOption(options); got != want {
			t.Errorf("%q: got %q, want %q", options, got, want)
		}
	}
}

func TestRefusesWhatIsNoCubin(t *testing.T) {
	good := read(t, "tiny_sm_90a.cubin")
	edit := func(at int, v byte) []byte {
		b := append([]byte(nil), good...)
		b[at] = v
		return b
	}
	for name, b := range map[string][]byte{
		"empty":           nil,
		"short":           good[:63],
		"magic":           edit(0, 'x'),
		"32 bit":          edit(4, 1),
		"big endian":      edit(5, 2),
		"machine":         edit(18, 62),
		"relocatable":     edit(16, 1),
		"section size":    edit(58, 40),
		"table outside":   edit(45, 1),
		"no name section": edit(62, 200),
		"truncated":       good[:len(good)-800],
	} {
		if _, err := Parse(b); err == nil || !strings.Contains(err.Error(), "not a cubin") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(read(f, "tiny_sm_90a.cubin"), "tiny")
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		if file, err := Parse(b); err == nil {
			file.Entry(name)
		}
	})
}
