//go:build cgo && linux

package main_test

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// library is the shared library, built once.
var library = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "liboxide.so")
	out, err := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-w", "-o", path, ".").CombinedOutput() // valgrind reads no DWARF 5 of Go's
	if err != nil {
		return "", &buildError{err, out}
	}
	return path, nil
})

type buildError struct {
	err error
	out []byte
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + string(e.out) }

var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "oxide-abi"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

func built(t *testing.T) string {
	t.Helper()
	path, err := library()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// compile builds a C program against the library.
func compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	lib := built(t)
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	args := append([]string{"-g", "-O1", "-Wall", "-Wextra", "-Werror", "-I.", "-o", program, source, "-Wl,--as-needed", lib}, flags...)
	if out, err := exec.Command("cc", append(args, "-ldl", "-lm", "-lpthread")...).CombinedOutput(); err != nil {
		t.Fatalf("cc %s: %v\n%s", source, err, out)
	}
	return program
}

// run runs a program and returns what it printed.
func run(t *testing.T, cmd *exec.Cmd, env ...string) string {
	t.Helper()
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%.4000s", cmd.Args, err, out)
	}
	return string(out)
}

func TestBadCalls(t *testing.T) {
	if out := run(t, exec.Command(compile(t, "testdata/bad.c"))); !strings.Contains(out, "wrong calls, 0 failures") {
		t.Error(out)
	}
}

func TestBadCallsUnderAddressSanitizer(t *testing.T) {
	probe := exec.Command("cc", "-fsanitize=address,undefined", "-x", "c", "-", "-o", filepath.Join(t.TempDir(), "probe"))
	probe.Stdin = strings.NewReader("int main(void) { return 0; }")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("not run, because the C compiler has no AddressSanitizer: %s", out)
	}
	for _, source := range []string{"testdata/bad.c", "testdata/threads.c"} {
		run(t, exec.Command(compile(t, source, "-fsanitize=address,undefined", "-fno-sanitize-recover=all")), "ASAN_OPTIONS=detect_leaks=0")
	}
}

// TestBadCallsUnderValgrind: valgrind takes goroutine stacks for memory below its idea of the stack, so what it says about memory of the
// Go runtime counts for nothing. What it says about the program's heap and stack counts.
func TestBadCallsUnderValgrind(t *testing.T) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		t.Skip("not run, because valgrind is not installed")
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(valgrind, "-q", "--error-limit=no", "--undef-value-errors=no", "--log-file="+log, compile(t, "testdata/bad.c"))
	run(t, cmd, "GODEBUG=asyncpreemptoff=1")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range bytes.Split(text, []byte("== \n")) {
		if bytes.Contains(block, []byte("Invalid")) && !bytes.Contains(block, []byte("anonymous segment")) {
			t.Errorf("valgrind:\n%s", block)
		}
	}
}

func TestForeignThreads(t *testing.T) { run(t, exec.Command(compile(t, "testdata/threads.c"))) }

func TestSignals(t *testing.T) {
	run(t, exec.Command(compile(t, "testdata/signals.c"), built(t)))
}

func TestSignalsInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("not run, because python3 is not installed")
	}
	run(t, exec.Command(python, "testdata/signals.py", built(t)))
}

// TestCallersContext runs over a fake driver.
func TestCallersContext(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join("..", "..", "runtime", "internal", "fakecuda", "lib", "fake.c")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", filepath.Join(dir, "libcuda.so.1"), fake, "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	run(t, exec.Command(compile(t, "testdata/context.c")), "LD_LIBRARY_PATH="+dir)
}

func TestExample(t *testing.T) {
	source := filepath.Join("..", "..", "examples", "c", "rmsnorm.c")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n >= 80 {
		t.Errorf("the example has %d lines, want less than 80", n)
	}
	if out := run(t, exec.Command(compile(t, source))); !strings.Contains(out, "emulated: y[0][1] = 0.027384") {
		t.Error(out)
	}
}

// TestHeader: the header is C11 and C++, without warnings.
func TestHeader(t *testing.T) {
	for _, language := range [][]string{{"cc", "-std=c11", "-x", "c"}, {"c++", "-std=c++11", "-x", "c++"}} {
		if _, err := exec.LookPath(language[0]); err != nil {
			t.Logf("%s: not run, because it is not installed", language[0])
			continue
		}
		cmd := exec.Command(language[0], append(language[1:], "-Wall", "-Wextra", "-pedantic", "-Werror", "-I.", "-fsyntax-only", "-")...)
		cmd.Stdin = strings.NewReader("#include \"oxide.h\"\nint main(void) { return 0; }\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", language, err, out)
		}
	}
}

// TestStaticTLS: the library's thread-local variables go to the static TLS block, of which a program such as PyTorch leaves little.
func TestStaticTLS(t *testing.T) {
	f, err := elf.Open(built(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS && p.Memsz > 64 {
			t.Errorf("%d bytes of thread-local variables, want at most 64", p.Memsz)
		}
	}
}
