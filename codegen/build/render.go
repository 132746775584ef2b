package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// files are generated files by slash path below the output folder.
type files map[string][]byte

// render computes every file of the given families. It depends on nothing but its arguments: no clock, no
// environment, no map order.
func render(l Layout, pkgs []Package, families map[string]string, arts []artifact) (files, error) {
	out := files{}
	for _, p := range pkgs {
		family := families[p.Path]
		var own []artifact
		for _, a := range arts {
			if a.kernel.Package == p.Path {
				own = append(own, a)
			}
		}
		if err := renderFamily(out, l, p, family, own); err != nil {
			return nil, err
		}
	}
	others, err := otherFamilies(l, families)
	if err != nil {
		return nil, err
	}
	return out, renderTexts(out, l, arts, others)
}

func renderFamily(out files, l Layout, p Package, family string, arts []artifact) error {
	m := Manifest{Format: manifestFormat, Package: l.sourcePackage(p.Path), Artifacts: []Row{}}
	for _, a := range arts {
		m.Artifacts = append(m.Artifacts, a.row)
		out[path.Join(family, a.row.Cubin)] = a.cubin
		out[path.Join(ptxFamily, a.row.PTX)] = []byte(a.kernel.PTX)
		out[path.Join(ptxFamily, mapName(a.row.PTX))] = []byte(a.kernel.Map)
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	out[path.Join(family, manifestName)] = text
	var names []string
	for start := 0; start < len(arts); {
		end := start
		for end < len(arts) && arts[end].kernel.Algorithm == arts[start].kernel.Algorithm {
			end++
		}
		name := arts[start].kernel.Algorithm
		names = append(names, name)
		if text, err = bindingFile(l, family, arts[start:end]); err != nil {
			return fmt.Errorf("binding of %s: %w", name, err)
		}
		out[path.Join(family, "z"+snake(name)+".go")] = text
		start = end
	}
	if text, err = familyFile(l, family, m.Package, names); err != nil {
		return err
	}
	out[path.Join(family, "zfamily.go")] = text
	return nil
}

// mapName is the position map beside a text.
func mapName(ptxFile string) string { return strings.TrimSuffix(ptxFile, ".ptx") + ".map" }

// digest identifies what a generated file was made from: the texts and contracts of its artifacts. Contracts are hashed as the
// manifest has them: the boxes of tensor maps are pointers, and addresses differ from run to run.
func digest(arts []artifact) (string, error) {
	var b bytes.Buffer
	for _, a := range arts {
		launch, err := json.Marshal(a.row.Launch)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", a.kernel.Name(), a.row.PTXSHA256, a.row.CubinSHA256, launch)
	}
	return bundle.Hash(b.Bytes())[:16], nil
}

// otherFamilies reads which texts belong to families that this build does not touch: gen/ptx has one table for all.
func otherFamilies(l Layout, built map[string]string) ([]Row, error) {
	var rows []Row
	names, err := familiesOnDisk(l)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if ownedBy(built, name) || !l.sourceExists(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(l.Dir(), name, manifestName))
		if err != nil {
			return nil, err
		}
		m, err := decodeManifest(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(l.Dir(), name, manifestName), err)
		}
		rows = append(rows, m.Artifacts...)
	}
	return rows, nil
}

// familiesOnDisk lists folders that hold a manifest, sorted.
func familiesOnDisk(l Layout) ([]string, error) {
	entries, err := os.ReadDir(l.Dir())
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(l.Dir(), e.Name(), manifestName)); e.IsDir() && err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func ownedBy(families map[string]string, name string) bool {
	for _, f := range families {
		if f == name {
			return true
		}
	}
	return false
}

// sourceExists reports whether the package that a family's manifest names is still there. A manifest that cannot be
// read counts as alive: deleting is for families whose source is gone, not for damaged ones.
func (l Layout) sourceExists(family string) bool {
	text, err := os.ReadFile(filepath.Join(l.Dir(), family, manifestName))
	if err != nil {
		return true
	}
	m, err := decodeManifest(text)
	if err != nil {
		return true
	}
	_, err = os.Stat(filepath.Join(l.Module.Dir, filepath.FromSlash(m.Package)))
	return err == nil || !os.IsNotExist(err)
}

func renderTexts(out files, l Layout, arts []artifact, others []Row) error {
	var texts []textEntry
	for _, a := range arts {
		texts = append(texts, textEntry{a.row.PTXSHA256, a.row.PTX})
	}
	for _, r := range others {
		texts = append(texts, textEntry{r.PTXSHA256, r.PTX})
	}
	slices.SortFunc(texts, func(a, b textEntry) int { return strings.Compare(a.file, b.file) })
	text, err := textsFile(l, texts)
	if err != nil {
		return err
	}
	out[path.Join(ptxFamily, "zptx.go")] = text
	return nil
}
