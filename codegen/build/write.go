package build

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Changes lists what a build did to the output folder, by slash path below it.
type Changes struct{ Written, Removed []string }

// write stores files that differ, each under its name whole or not at all, and removes generated files that are no
// longer made: those of the built families, and families whose source is gone. Files of other families stay.
func write(l Layout, want files, families map[string]string) (Changes, error) {
	var c Changes
	stale, err := stale(l, want, families)
	if err != nil {
		return c, err
	}
	for _, name := range sortedNames(want) {
		file := filepath.Join(l.Dir(), filepath.FromSlash(name))
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, want[name]) {
			continue
		}
		if err := writeFile(file, want[name]); err != nil {
			return c, err
		}
		c.Written = append(c.Written, name)
	}
	for _, name := range stale {
		file := filepath.Join(l.Dir(), filepath.FromSlash(name))
		if err := os.Remove(file); err != nil {
			return c, err
		}
		os.Remove(filepath.Dir(file)) // goes when it is empty, which is all that is wanted
		c.Removed = append(c.Removed, name)
	}
	return c, nil
}

// generated reports whether oxidegen makes files of that name; others in the folder are somebody else's.
func generated(name string) bool {
	base := path.Base(name)
	switch path.Ext(base) {
	case ".cubin", ".ptx", ".map":
		return true
	case ".go":
		return strings.HasPrefix(base, "z")
	}
	return base == manifestName
}

// stale lists generated files on disk that this build owns and does not make.
func stale(l Layout, want files, families map[string]string) ([]string, error) {
	onDisk, err := filesOnDisk(l)
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	var names []string
	for _, name := range onDisk {
		family := familyOf(name)
		if _, known := gone[family]; !known {
			gone[family] = family != "" && !ownedBy(families, family) && l.isFamily(family) && !l.sourceExists(family)
		}
		owned := family == "" || ownedBy(families, family) || gone[family]
		if _, wanted := want[name]; owned && !wanted {
			names = append(names, name)
		}
	}
	return names, nil
}

// isFamily reports whether a folder of that name holds a manifest: only then is it oxidegen's to remove.
func (l Layout) isFamily(family string) bool {
	_, err := os.Stat(filepath.Join(l.Dir(), family, manifestName))
	return err == nil
}

// familyOf returns the family of a file, "" for the files that all families share.
func familyOf(name string) string {
	parts := strings.Split(name, "/")
	if parts[0] == ptxFamily {
		parts = parts[1:]
	}
	if len(parts) < 2 {
		return ""
	}
	return parts[0]
}

// filesOnDisk lists generated files below the output folder: those of families, and of gen/ptx.
func filesOnDisk(l Layout) ([]string, error) {
	var names []string
	for _, pattern := range []string{"*/*", ptxFamily + "/*/*"} {
		found, err := filepath.Glob(filepath.Join(l.Dir(), filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			rel, err := filepath.Rel(l.Dir(), file)
			if err != nil {
				return nil, err
			}
			if info, err := os.Lstat(file); err == nil && !info.IsDir() && generated(filepath.ToSlash(rel)) {
				names = append(names, filepath.ToSlash(rel))
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

func writeFile(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".oxidegen-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename, which is meant
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}

func sortedNames(m files) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
