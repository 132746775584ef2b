package cubin

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program writes a shell script that answers --version the way NVIDIA's programs do.
func program(t *testing.T, path, version string) string {
	t.Helper()
	text := fmt.Sprintf("#!/bin/sh\necho 'fake: tool'\necho 'Cuda compilation tools, release 0.0, V%s'\necho 'Build x'\n", version)
	return script(t, path, text)
}

func script(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// fakeTool is a tool whose wheel the test makes itself, and the folder that holds the wheel.
func fakeTool(t *testing.T) (Tool, string) {
	t.Helper()
	dir := t.TempDir()
	const file = "fake_tool-1.2.3-py3-none-any.whl"
	f, err := os.Create(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range map[string]string{
		"nvidia/bin/faketool": "#!/bin/sh\necho 'Cuda compilation tools, release 1.2, V1.2.3'\n",
		"nvidia/bin/other":    "not wanted",
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return Tool{
		Name: "faketool", Version: "1.2.3", Env: "OXIDE_FAKETOOL", Package: "fake-tool", member: "nvidia/bin/faketool",
		wheels: map[string]wheel{"linux/test": {"any", file, hex.EncodeToString(sum[:])}},
	}, dir
}

type environment map[string]string

func (e environment) search(cache string) Search {
	return Search{Getenv: func(n string) string { return e[n] }, CacheDir: cache, CUDAHomes: []string{}, Platform: "linux/test"}
}

func TestSearchOrder(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	tool := Tool{Name: "faketool", Version: "1.2.3", Env: "OXIDE_FAKETOOL"}
	old := program(t, filepath.Join(dir, "old", "faketool"), "1.0.0")
	inPath := program(t, filepath.Join(dir, "path", "faketool"), "1.2.3")
	inCUDA := program(t, filepath.Join(dir, "cuda", "bin", "faketool"), "1.2.3")
	inCache := program(t, filepath.Join(dir, "cache", "faketool-1.2.3", "faketool"), "1.2.3")
	paths := func(names ...string) string {
		for i := range names {
			names[i] = filepath.Join(dir, names[i])
		}
		return strings.Join(names, string(filepath.ListSeparator))
	}
	for _, c := range []struct {
		name    string
		env     environment
		bind    string
		cuda    string
		want    string
		version string
		skipped int
	}{
		{"flag before environment", environment{"OXIDE_FAKETOOL": inPath}, old, "cuda", old, "1.0.0", 0},
		{"environment binds another version", environment{"OXIDE_FAKETOOL": old, "PATH": paths("path")}, "", "cuda", old, "1.0.0", 0},
		{"PATH", environment{"PATH": paths("none", "path")}, "", "cuda", inPath, "1.2.3", 0},
		{"another version in PATH is skipped", environment{"PATH": paths("old", "path")}, "", "cuda", inPath, "1.2.3", 1},
		{"CUDA home", environment{"PATH": paths("old")}, "", "cuda", inCUDA, "1.2.3", 1},
		{"cache", environment{"PATH": paths("old")}, "", "none", inCache, "1.2.3", 1},
		{"relative PATH entries do not count", environment{"PATH": "path"}, "", "none", inCache, "1.2.3", 0},
	} {
		s := c.env.search(filepath.Join(dir, "cache"))
		s.CUDAHomes = []string{filepath.Join(dir, c.cuda)}
		s.Bind = map[string]string{"faketool": c.bind}
		p, skipped, err := s.Find(ctx, tool)
		if err != nil || p.Path != c.want || p.Version != c.version || len(skipped) != c.skipped {
			t.Errorf("%s: %v %v %v, want %s", c.name, p, skipped, err, c.want)
		}
		if bound := p.BoundBy != ""; bound != (c.want == old) {
			t.Errorf("%s: BoundBy %q", c.name, p.BoundBy)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	tool := Tool{Name: "faketool", Version: "1.2.3", Env: "OXIDE_FAKETOOL"}
	old := program(t, filepath.Join(dir, "faketool"), "1.0.0")
	broken := script(t, filepath.Join(dir, "b", "faketool"), "#!/does/not/exist\n")

	_, _, err := environment{"PATH": dir + ":" + filepath.Dir(broken)}.search(t.TempDir()).Find(ctx, tool)
	var missing *NotFoundError
	if !errors.As(err, &missing) || len(missing.Skipped) != 2 {
		t.Fatalf("%v, want a *NotFoundError with both programs", err)
	}
	for _, part := range []string{old, "1.0.0", broken, "toolchain install", "OXIDE_FAKETOOL"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message lacks %q: %v", part, err)
		}
	}
	_, _, err = environment{"OXIDE_FAKETOOL": filepath.Join(dir, "none")}.search(t.TempDir()).Find(ctx, tool)
	var bind *BindError
	if !errors.As(err, &bind) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want a *BindError around os.ErrNotExist", err)
	}
}

func TestInstallFromFolder(t *testing.T) {
	ctx := context.Background()
	tool, wheels := fakeTool(t)
	s := environment{}.search(t.TempDir())
	p, err := s.installTool(ctx, tool, wheels, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := s.Find(ctx, tool)
	if err != nil || found.Path != p.Path {
		t.Errorf("installed at %s, found %v: %v", p.Path, found, err)
	}
	files, err := os.ReadDir(filepath.Dir(p.Path))
	if err != nil || len(files) != 1 {
		t.Errorf("the cache holds %v: only the program should be there (%v)", files, err)
	}
	// A second install has nothing to do and needs no wheel.
	if _, err := s.installTool(ctx, tool, t.TempDir(), io.Discard); err != nil {
		t.Error(err)
	}
}

func TestInstallRefuses(t *testing.T) {
	ctx := context.Background()
	tool, wheels := fakeTool(t)
	file := filepath.Join(wheels, tool.wheels["linux/test"].file)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
	s := environment{}.search(t.TempDir())
	_, err = s.installTool(ctx, tool, wheels, io.Discard)
	var hash *HashError
	if !errors.As(err, &hash) {
		t.Errorf("a changed wheel: %v, want a *HashError", err)
	}
	if _, err = s.installTool(ctx, tool, t.TempDir(), io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no wheel: %v", err)
	}
	s.Platform = "plan9/mips"
	var platform *PlatformError
	if _, err = s.installTool(ctx, tool, wheels, io.Discard); !errors.As(err, &platform) {
		t.Errorf("%v, want a *PlatformError", err)
	}
	if _, _, err := s.Find(ctx, tool); err == nil {
		t.Error("a refused wheel left a program behind")
	}
}

// TestInstallByPip runs a stand-in for pip that copies the wheel to where --dest says.
func TestInstallByPip(t *testing.T) {
	ctx := context.Background()
	tool, wheels := fakeTool(t)
	const old = "#!/bin/sh\necho 'pip 9.0.1 from /usr (python 2.7)'\n"
	const broken = "#!/bin/sh\necho 'No module named pip' >&2; exit 1\n"
	good := "#!/bin/sh\n[ \"$1\" = -m ] && shift 2\n[ \"$1\" = --version ] && { echo 'pip 23.2.1 from x'; exit; }\n" +
		"for a; do [ \"$prev\" = --dest ] && dest=$a; prev=$a; done\n" +
		"[ \"$a\" = fake-tool==1.2.3 ] || exit 9\n" +
		"exec /bin/cp " + wheels + "/*.whl \"$dest\"\n"
	for _, c := range []struct {
		name    string
		scripts map[string]string
		err     error
	}{
		{"pip", map[string]string{"pip": good}, nil},
		{"old pip, pip3", map[string]string{"pip": old, "pip3": good}, nil},
		{"python3 -m pip", map[string]string{"pip": broken, "python3": good}, nil},
		{"none", nil, ErrNoPip},
		{"unusable", map[string]string{"pip": old, "pip3": broken, "python3": broken}, ErrNoPip},
	} {
		bin := t.TempDir()
		for name, text := range c.scripts {
			script(t, filepath.Join(bin, name), text)
		}
		_, err := environment{"PATH": bin}.search(t.TempDir()).installTool(ctx, tool, "", io.Discard)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
		}
		if c.err != nil && err != nil && !strings.Contains(err.Error(), "-from DIR") {
			t.Errorf("%s: the message does not say what to do: %v", c.name, err)
		}
	}
}

func TestPinnedWheels(t *testing.T) {
	for _, tool := range Tools() {
		for _, platform := range []string{"linux/amd64", "linux/arm64"} {
			w := tool.wheels[platform]
			if len(w.sha256) != 64 || !strings.Contains(w.file, "-"+tool.Version+"-") || !strings.Contains(w.file, w.platform) {
				t.Errorf("%s for %s: %+v", tool, platform, w)
			}
		}
	}
}
