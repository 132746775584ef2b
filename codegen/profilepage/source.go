package profilepage

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// AddSource looks for the source files, as the go command finds their packages from dir, and puts the text of each line beside
// it. Lines whose file is not there or is shorter stay without.
func (p *Page) AddSource(ctx context.Context, dir string) {
	texts := map[string][]string{}
	for pkg, folder := range folders(ctx, dir, p.Files()) {
		for _, f := range p.Files() {
			if path.Dir(f) != pkg {
				continue
			}
			if b, err := os.ReadFile(filepath.Join(folder, path.Base(f))); err == nil {
				texts[f] = strings.Split(string(b), "\n")
			}
		}
	}
	for i := range p.Lines {
		l := &p.Lines[i]
		if text := texts[l.File]; l.Number > 0 && l.Number <= len(text) {
			l.Text = strings.ReplaceAll(strings.TrimRight(text[l.Number-1], " \t\r"), "\t", "    ")
		}
	}
}

// folders asks the go command where packages lie. Without one, or outside of a module, nothing is found.
func folders(ctx context.Context, dir string, files []string) map[string]string {
	var pkgs []string
	for _, f := range files {
		if d := path.Dir(f); !slices.Contains(pkgs, d) {
			pkgs = append(pkgs, d)
		}
	}
	if len(pkgs) == 0 {
		return nil
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-f", "{{.ImportPath}}\t{{.Dir}}"}, pkgs...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if pkg, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[pkg] = folder
		}
	}
	return found
}
