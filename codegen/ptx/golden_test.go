package ptx

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

var update = flag.Bool("update", false, "write what the tests get into testdata")

// TestParsePrint: want.ptx is the canonical spelling of in.ptx, and stays as it is.
func TestParsePrint(t *testing.T) {
	files, err := filepath.Glob("testdata/parse/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := checkFixedPoint(t, a.Files[0].Data)
			compare(t, file, a, &a.Files[1], got)
		})
	}
}

func compare(t *testing.T, file string, a *txtar.Archive, want *txtar.File, got []byte) {
	t.Helper()
	if string(want.Data) == string(got) {
		return
	}
	if !*update {
		t.Errorf("%s: got\n%s\nwant\n%s", want.Name, got, want.Data)
		return
	}
	want.Data = got
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestErrors: every refusal names line, column and text.
func TestErrors(t *testing.T) {
	const file = "testdata/errors/errors.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(a.Files); i += 2 {
		in, want := a.Files[i], &a.Files[i+1]
		t.Run(in.Name, func(t *testing.T) {
			_, err := Parse(kernelText(in))
			var list ErrorList
			if !errors.As(err, &list) {
				t.Fatalf("not refused, or by another type of error: %v", err)
			}
			compare(t, file, a, want, []byte(err.Error()+"\n"))
		})
	}
}

// kernelText is a file of the archive, put into a kernel if it is the body of one.
func kernelText(f txtar.File) []byte {
	if !strings.HasPrefix(f.Name, "body/") {
		return f.Data
	}
	const head = ".version 9.0 .target sm_90a .address_size 64 .entry k() { " +
		".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>;"
	return []byte(head + strings.Replace(string(f.Data), "\t", " ", 1) + "}")
}

// TestErrorKinds: unknown PTX, text that is no PTX, and PTX that cannot be loaded are three errors.
func TestErrorKinds(t *testing.T) {
	const head = ".version 9.0 .target sm_90a .entry k() { .reg .b32 %r<3>; "
	kinds := []error{isa.ErrUnmodelled, ErrSyntax, ErrInvalid}
	for _, c := range []struct {
		body string
		kind error
	}{
		{"frob.b32 %r1; }", isa.ErrUnmodelled},
		{"add.frob.s32 %r1, %r1, %r1; }", isa.ErrUnmodelled},
		{"mov.u32 %r1, %pm3; }", isa.ErrUnmodelled},
		{"add.s32 %r1 %r1; }", ErrSyntax},
		{"ret;", ErrSyntax},
		{"add.s32 %r1, %r1, %r3; }", ErrInvalid},
		{"add.rn.s32 %r1, %r1, %r2; }", ErrInvalid},
	} {
		_, err := Parse([]byte(head + c.body))
		for _, kind := range kinds {
			if errors.Is(err, kind) != (kind == c.kind) {
				t.Errorf("%s: errors.Is(%v, %v) is %v", c.body, err, kind, kind != c.kind)
			}
		}
	}
}
