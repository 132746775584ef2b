package cubin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Search says where the toolchain is looked for. The zero value searches as the documentation of the command says:
// an environment variable binds; otherwise the first program of exactly the pinned version in PATH, the CUDA home
// and the own cache is taken, and others are skipped.
type Search struct {
	// Bind maps a tool's name to a path that the caller chose, usually by a flag. It wins over the environment.
	Bind map[string]string
	// Getenv reads the environment; nil means os.Getenv.
	Getenv func(string) string
	// CacheDir is the own cache; empty means oxide/toolchain below os.UserCacheDir.
	CacheDir string
	// CUDAHomes are folders whose bin is looked into; nil means CUDA_HOME, CUDA_PATH and /usr/local/cuda.
	CUDAHomes []string
	// Platform is GOOS/GOARCH of the wheels that Install takes; empty means this machine's.
	Platform string
}

// Skipped is a program that was found and not taken.
type Skipped struct{ Path, Reason string }

func (s Skipped) String() string { return s.Path + ": " + s.Reason }

// NotFoundError says that no program of the pinned version was found, what was skipped, and what to do.
type NotFoundError struct {
	Tool    Tool
	Skipped []Skipped
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s not found in PATH, the CUDA home or the own cache", e.Tool)
	for _, s := range e.Skipped {
		fmt.Fprintf(&b, "\n\tskipped %s", s)
	}
	fmt.Fprintf(&b, "\n\tinstall it by: go tool oxidegen toolchain install\n\tor bind another one by %s=/path/to/%s",
		e.Tool.Env, e.Tool.Name)
	return b.String()
}

// BindError says that a path chosen on purpose cannot be used.
type BindError struct {
	Tool    Tool
	BoundBy string
	Path    string
	Err     error
}

func (e *BindError) Error() string {
	return fmt.Sprintf("%s: %s binds it to %s, which does not work: %v", e.Tool.Name, e.BoundBy, e.Path, e.Err)
}

func (e *BindError) Unwrap() error { return e.Err }

// Find looks for one tool. The second result lists programs that were skipped, for a note to the user.
func (s Search) Find(ctx context.Context, t Tool) (Program, []Skipped, error) {
	if path, by := s.bound(t); path != "" {
		version, err := programVersion(ctx, path)
		if err != nil {
			return Program{}, nil, &BindError{t, by, path, err}
		}
		return Program{Tool: t, Path: path, Version: version, BoundBy: by}, nil, nil
	}
	var skipped []Skipped
	for _, path := range s.candidates(t) {
		version, err := programVersion(ctx, path)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			skipped = append(skipped, Skipped{path, err.Error()})
		case version != t.Version:
			skipped = append(skipped, Skipped{path, "version " + version + ", wanted " + t.Version})
		default:
			return Program{Tool: t, Path: path, Version: version}, skipped, nil
		}
	}
	return Program{}, skipped, &NotFoundError{t, skipped}
}

func (s Search) bound(t Tool) (path, by string) {
	if p := s.Bind[t.Name]; p != "" {
		return p, "-" + t.Name
	}
	return s.getenv(t.Env), t.Env
}

// candidates lists absolute paths in search order, each once.
func (s Search) candidates(t Tool) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(s.getenv("PATH")) {
		if filepath.IsAbs(dir) { // a relative entry would make the result depend on the working directory
			dirs = append(dirs, dir)
		}
	}
	for _, home := range s.cudaHomes() {
		dirs = append(dirs, filepath.Join(home, "bin"))
	}
	if cache, err := s.toolDir(t); err == nil {
		dirs = append(dirs, cache)
	}
	var paths []string
	seen := map[string]bool{}
	for _, dir := range dirs {
		p := filepath.Join(dir, t.Name)
		if !seen[p] {
			seen[p] = true
			paths = append(paths, p)
		}
	}
	return paths
}

func (s Search) cudaHomes() []string {
	if s.CUDAHomes != nil {
		return s.CUDAHomes
	}
	var homes []string
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if h := s.getenv(name); h != "" {
			homes = append(homes, h)
		}
	}
	return append(homes, "/usr/local/cuda")
}

// toolDir is the folder of the own cache that holds t. The version is part of the path: caches of several releases
// of this library live side by side.
func (s Search) toolDir(t Tool) (string, error) {
	base := s.CacheDir
	if base == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no cache folder for the toolchain: %w (set XDG_CACHE_HOME or HOME)", err)
		}
		base = filepath.Join(user, "oxide", "toolchain")
	}
	return filepath.Join(base, t.Name+"-"+t.Version), nil
}

func (s Search) getenv(name string) string {
	if s.Getenv != nil {
		return s.Getenv(name)
	}
	return os.Getenv(name)
}

var versionLine = regexp.MustCompile(`(?m)\bV(\d+\.\d+\.\d+)\s*$`)

// programVersion asks the program itself. The last word of its version line is like V13.0.88.
func programVersion(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", errors.New("is a folder")
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("--version: %w", hideNotExist(err))
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return "", errors.New("--version prints no version that can be read")
	}
	return string(m[1]), nil
}

// hideNotExist keeps "the loader of this program is missing" apart from "there is no such program": both are
// ENOENT to exec, and only the second may be passed over in silence.
func hideNotExist(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return errors.New(err.Error())
	}
	return err
}

// IsBound reports whether a flag or the environment chose a path for t on purpose.
func (s Search) IsBound(t Tool) bool {
	path, _ := s.bound(t)
	return path != ""
}
