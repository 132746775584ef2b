package cubin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// ErrNoPip says that wheels can be fetched by nobody: there is neither pip nor pip3 nor a python3 with pip.
var ErrNoPip = errors.New("no pip, pip3 or python3 -m pip (version 20 or later) found")

// PlatformError says that the package index has no wheel for this machine.
type PlatformError struct {
	Tool     Tool
	Platform string
}

func (e *PlatformError) Error() string {
	return fmt.Sprintf("%s: NVIDIA publishes no wheel for %s (only linux/amd64 and linux/arm64); bind a program by %s",
		e.Tool, e.Platform, e.Tool.Env)
}

// HashError says that a wheel is not the pinned one.
type HashError struct{ Path, Want, Got string }

func (e *HashError) Error() string {
	return fmt.Sprintf("%s: SHA-256 is %s, wanted %s: not the pinned wheel, nothing was installed", e.Path, e.Got, e.Want)
}

// Install puts every tool that the cache lacks into it and returns where they are. With from it takes the wheels
// that lie in that folder, otherwise pip downloads them; nothing else of Python is used, and neither a virtual
// environment nor root is needed. Progress goes to log. Concurrent installs do not disturb each other.
func (s Search) Install(ctx context.Context, from string, log io.Writer) ([]Program, error) {
	var programs []Program
	for _, t := range Tools() {
		p, err := s.installTool(ctx, t, from, log)
		if err != nil {
			return nil, fmt.Errorf("install %s: %w", t, err)
		}
		programs = append(programs, p)
	}
	return programs, nil
}

func (s Search) installTool(ctx context.Context, t Tool, from string, log io.Writer) (Program, error) {
	dir, err := s.toolDir(t)
	if err != nil {
		return Program{}, err
	}
	path := filepath.Join(dir, t.Name)
	if v, err := programVersion(ctx, path); err == nil && v == t.Version {
		return Program{Tool: t, Path: path, Version: v}, nil
	}
	w, ok := t.wheels[s.platform()]
	if !ok {
		return Program{}, &PlatformError{t, s.platform()}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Program{}, err
	}
	file := filepath.Join(from, w.file)
	if from == "" {
		tmp, err := os.MkdirTemp(dir, ".wheel-")
		if err != nil {
			return Program{}, err
		}
		defer os.RemoveAll(tmp)
		fmt.Fprintf(log, "oxidegen: downloading the wheel of %s\n", t)
		if err := s.download(ctx, t, w, tmp); err != nil {
			return Program{}, err
		}
		file = filepath.Join(tmp, w.file)
	}
	if err := unpack(file, w.sha256, t.member, path); err != nil {
		return Program{}, err
	}
	v, err := programVersion(ctx, path)
	if err != nil {
		return Program{}, fmt.Errorf("%s was unpacked but does not run: %w", path, err)
	}
	fmt.Fprintf(log, "oxidegen: installed %s %s at %s\n", t.Name, v, path)
	return Program{Tool: t, Path: path, Version: v}, nil
}

func (s Search) platform() string {
	if s.Platform != "" {
		return s.Platform
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}

// download runs pip. --platform makes the choice of the wheel independent of what this machine's pip would prefer,
// so that there is one hash per machine kind.
func (s Search) download(ctx context.Context, t Tool, w wheel, dir string) error {
	pip, err := s.pip(ctx)
	if err != nil {
		return fmt.Errorf("%w: install one of them (for example the package python3-pip), or download %s elsewhere and "+
			"run: oxidegen toolchain install -from DIR", err, w.file)
	}
	args := append(pip[1:], "download", "--no-deps", "--only-binary=:all:", "--platform", w.platform,
		"--disable-pip-version-check", "--no-input", "--quiet", "--dest", dir, t.requirement())
	cmd := exec.CommandContext(ctx, pip[0], args...)
	cmd.Env = append(os.Environ(), "PIP_REQUIRE_VIRTUALENV=0")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(out.String()))
	}
	return nil
}

var pipVersion = regexp.MustCompile(`^pip (\d+)\.`)

// pip finds a pip that knows the manylinux2014 tag.
func (s Search) pip(ctx context.Context) ([]string, error) {
	for _, c := range [][]string{{"pip"}, {"pip3"}, {"python3", "-m", "pip"}} {
		path := s.lookPath(c[0])
		if path == "" {
			continue
		}
		command := append([]string{path}, c[1:]...)
		out, err := exec.CommandContext(ctx, path, append(c[1:len(c):len(c)], "--version")...).Output()
		if err != nil {
			continue
		}
		if m := pipVersion.FindSubmatch(out); m != nil {
			if major, err := strconv.Atoi(string(m[1])); err == nil && major >= 20 {
				return command, nil
			}
		}
	}
	return nil, ErrNoPip
}

// lookPath is exec.LookPath with this search's environment.
func (s Search) lookPath(name string) string {
	for _, dir := range filepath.SplitList(s.getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
