package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
)

// VerifyReport says what was compared.
type VerifyReport struct {
	Kernels  int
	Families []string
	Ptxas    string // the program that reassembled every cubin, or why none did
	Bytes    bool   // cubin bytes were compared with a fresh assembly
}

// Verify proves that the files below the output folder are what the source gives: the texts by their hashes without
// any ptxas, and the cubins' bytes as well where the ptxas of the manifests exists. Every difference is a *Fault;
// all are reported, joined.
func Verify(ctx context.Context, opt Options) (*VerifyReport, error) {
	s, err := open(ctx, opt, TraceOptions{})
	if err != nil {
		return nil, err
	}
	return s.verify(ctx)
}

func (s *session) verify(ctx context.Context) (*VerifyReport, error) {
	version, bound, err := s.ptxasVersion(ctx)
	if err != nil {
		return nil, err
	}
	v := &verifier{layout: s.layout, families: s.families, pkgs: s.pkgs, version: version, bound: bound}
	v.check(s.bundle.Kernels)
	r := &VerifyReport{Kernels: len(s.bundle.Kernels)}
	for _, p := range s.pkgs {
		r.Families = append(r.Families, s.families[p.Path])
	}
	program, err := s.findPtxas(ctx)
	var missing *cubin.NotFoundError
	switch {
	case errors.As(err, &missing):
		r.Ptxas = "no ptxas " + version + " here: the texts' hashes were compared, the cubins' bytes were not assembled again"
	case err != nil:
		return nil, err
	default:
		r.Ptxas, r.Bytes = program.String(), true
		if err := v.reassemble(ctx, cubin.NewAssembler(program, s.opt.Workers)); err != nil {
			return nil, err
		}
	}
	return r, v.err()
}

// verifier compares one state of the output folder with one set of kernels.
type verifier struct {
	layout   Layout
	families map[string]string
	pkgs     []Package
	version  string
	bound    bool
	faults   []error
	arts     []artifact // those whose cubins are consistent
}

func (v *verifier) fault(kind error, file string, r *Row, want, got string) {
	f := &Fault{Kind: kind, File: file, Want: want, Got: got}
	if r != nil {
		f.Artifact = r.Name()
	}
	v.faults = append(v.faults, f)
}

func (v *verifier) err() error { return errors.Join(v.faults...) }

// check compares everything that needs no ptxas.
func (v *verifier) check(kernels []bundle.Kernel) {
	for _, p := range v.pkgs {
		family := v.families[p.Path]
		m, ok := v.manifest(family, p)
		if !ok {
			continue
		}
		matched := map[*Row]bool{}
		for i := range kernels {
			if k := &kernels[i]; k.Package == p.Path {
				row := m.row(k)
				if row == nil {
					v.fault(ErrNoArtifact, path.Join(family, manifestName), &Row{Algorithm: k.Algorithm, Variant: k.Variant, Target: k.Target}, "", "")
					continue
				}
				if matched[row] = true; v.row(family, k, row) {
					v.arts = append(v.arts, artifact{kernel: k, row: *row, cubin: v.read(path.Join(family, row.Cubin))})
				}
			}
		}
		for i := range m.Artifacts {
			if r := &m.Artifacts[i]; !matched[r] {
				v.fault(ErrExtra, path.Join(family, manifestName), r, "", r.Cubin)
			}
		}
	}
	// Comparing files whose artifacts are wrong would say the same again in other words.
	if len(v.faults) == 0 {
		v.generated()
	}
	v.extras()
}

func (v *verifier) read(name string) []byte {
	b, err := os.ReadFile(filepath.Join(v.layout.Dir(), filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	return b
}

func (v *verifier) manifest(family string, p Package) (*Manifest, bool) {
	name := path.Join(family, manifestName)
	text := v.read(name)
	if text == nil {
		v.fault(ErrMissingFile, name, nil, "the manifest of "+p.Path, "")
		return nil, false
	}
	m, err := decodeManifest(text)
	if err != nil {
		v.fault(ErrManifest, name, nil, "", err.Error())
		return nil, false
	}
	if want := v.layout.sourcePackage(p.Path); m.Package != want {
		v.fault(ErrManifest, name, nil, "package "+want, "package "+m.Package)
	}
	return m, true
}

// row checks one artifact and reports whether it is consistent.
func (v *verifier) row(family string, k *bundle.Kernel, r *Row) bool {
	before := len(v.faults)
	name := path.Join(family, manifestName)
	if want := k.PTXSHA256(); r.PTXSHA256 != want {
		v.fault(ErrStalePTX, name, r, want, r.PTXSHA256)
	}
	v.textFile(k, r, family)
	if !sameJSON(r.Launch, k.Contract) || !sameJSON(r.Declares, k.Declares) {
		v.fault(ErrContract, name, r, compactJSON(k.Contract), compactJSON(r.Launch))
	}
	if r.Entry != k.Entry {
		v.fault(ErrEntry, name, r, k.Entry, r.Entry)
	}
	if r.Ptxas != v.version || r.PtxasBound != v.bound || !slices.Equal(r.Flags, cubin.Flags(k.Target)) {
		v.fault(ErrToolchain, name, r, "ptxas "+v.version+" "+strings.Join(cubin.Flags(k.Target), " "), "ptxas "+r.Ptxas+" "+strings.Join(r.Flags, " "))
	} else if want := cubin.Key([]byte(k.PTX), r.Ptxas, r.Flags); r.PTXSHA256 == k.PTXSHA256() && r.Key != want {
		v.fault(ErrKey, name, r, want, r.Key)
	}
	v.cubin(family, k, r)
	return len(v.faults) == before
}

func (v *verifier) textFile(k *bundle.Kernel, r *Row, family string) {
	want := family + "/" + fileBase(k) + ".ptx"
	if r.PTX != want {
		v.fault(ErrPTXFile, path.Join(family, manifestName), r, want, r.PTX)
		return
	}
	text := v.read(path.Join(ptxFamily, r.PTX))
	if text == nil {
		v.fault(ErrMissingFile, path.Join(ptxFamily, r.PTX), r, "", "")
	} else if got := bundle.Hash(text); got != r.PTXSHA256 {
		v.fault(ErrPTXFile, path.Join(ptxFamily, r.PTX), r, r.PTXSHA256, got)
	}
}

// cubin checks the image: file, hash, then what the ELF says about itself.
func (v *verifier) cubin(family string, k *bundle.Kernel, r *Row) {
	if want := fileBase(k) + ".cubin"; r.Cubin != want {
		v.fault(ErrCubinHash, path.Join(family, manifestName), r, want, r.Cubin)
		return
	}
	name := path.Join(family, r.Cubin)
	b := v.read(name)
	if b == nil {
		v.fault(ErrMissingFile, name, r, "", "")
		return
	}
	if got := bundle.Hash(b); got != r.CubinSHA256 {
		v.fault(ErrCubinHash, name, r, r.CubinSHA256, got)
		return
	}
	elf, err := cubin.Read(b)
	if err != nil {
		v.fault(ErrNotCubin, name, r, "", err.Error())
		return
	}
	if elf.Arch != k.Target || !strings.HasPrefix(strings.TrimPrefix(k.Target, "sm_"), fmt.Sprint(elf.SM)) {
		v.fault(ErrTarget, name, r, k.Target, fmt.Sprintf("SM %d, %s", elf.SM, orNone(elf.Arch)))
	}
	if want := "ptxas V" + r.Ptxas; elf.Tool != want {
		v.fault(ErrToolchain, name, r, want, orNone(elf.Tool))
	}
	e := elf.Entry(k.Entry)
	if e == nil {
		v.fault(ErrEntry, name, r, k.Entry, entryNames(elf))
		return
	}
	v.resources(name, k, r, e.Resources)
}

func (v *verifier) resources(name string, k *bundle.Kernel, r *Row, got cubin.Resources) {
	if got.StackBytes > 0 { // the bytes spilled are in no ELF; a fresh assembly compares them
		got.SpillStoreBytes, got.SpillLoadBytes = r.Resources.SpillStoreBytes, r.Resources.SpillLoadBytes
	}
	if got != r.Resources {
		v.fault(ErrResources, name, r, compactJSON(r.Resources), compactJSON(got))
		return
	}
	result := cubin.Result{Log: r.Log, Resources: map[string]cubin.Resources{k.Entry: got}}
	if err := result.Check(k.Entry, allowance(k.Declares)); err != nil {
		v.fault(ErrGate, name, r, "", err.Error())
	}
}

func entryNames(c *cubin.Cubin) string {
	var names []string
	for _, e := range c.Entries {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// generated compares every file that the source determines, given the cubins on disk.
func (v *verifier) generated() {
	want, err := render(v.layout, v.pkgs, v.families, v.arts)
	if err != nil {
		v.faults = append(v.faults, err)
		return
	}
	for _, name := range sortedNames(want) {
		got := v.read(name)
		switch {
		case got == nil:
			v.fault(ErrMissingFile, name, nil, "", "")
		case !bytes.Equal(got, want[name]):
			v.fault(ErrGenerated, name, nil, bundle.Hash(want[name]), bundle.Hash(got))
		}
	}
}

// extras reports generated files that no kernel makes.
func (v *verifier) extras() {
	want := files{"ptx/zptx.go": nil}
	for _, p := range v.pkgs {
		family := v.families[p.Path]
		want[path.Join(family, "zfamily.go")], want[path.Join(family, manifestName)] = nil, nil
		if m, err := decodeManifest(v.read(path.Join(family, manifestName))); err == nil {
			for i := range m.Artifacts {
				r := &m.Artifacts[i]
				for _, name := range []string{path.Join(family, r.Cubin), path.Join(ptxFamily, r.PTX),
					path.Join(ptxFamily, mapName(r.PTX)), path.Join(family, "z"+snake(r.Algorithm)+".go")} {
					want[name] = nil
				}
			}
		}
	}
	names, err := stale(v.layout, want, v.families)
	if err != nil {
		v.faults = append(v.faults, err)
	}
	for _, name := range names {
		v.fault(ErrExtra, name, nil, "", "")
	}
}

// reassemble compares cubin bytes with what ptxas makes now.
func (v *verifier) reassemble(ctx context.Context, asm *cubin.Assembler) error {
	type outcome struct {
		result *cubin.Result
		err    error
	}
	outcomes := make([]chan outcome, len(v.arts))
	for i, a := range v.arts {
		outcomes[i] = make(chan outcome, 1)
		go func() {
			r, err := asm.Assemble(ctx, []byte(a.kernel.PTX), a.kernel.Target)
			outcomes[i] <- outcome{r, err}
		}()
	}
	for i, a := range v.arts {
		o := <-outcomes[i]
		if o.err != nil {
			return fmt.Errorf("%s: %w", a.kernel.Name(), o.err)
		}
		name := path.Join(v.families[a.kernel.Package], a.row.Cubin)
		if !bytes.Equal(o.result.Cubin, a.cubin) {
			v.fault(ErrCubinBytes, name, &a.row, bundle.Hash(o.result.Cubin), bundle.Hash(a.cubin))
		} else if got := o.result.Resources[a.kernel.Entry]; got != a.row.Resources {
			v.fault(ErrResources, name, &a.row, compactJSON(got), compactJSON(a.row.Resources))
		}
	}
	return nil
}

func compactJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func sameJSON(a, b any) bool { return compactJSON(a) == compactJSON(b) }
