package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/linemap"
)

// Selection names kernels. Empty fields select all.
type Selection struct{ Algorithm, Variant, Target string }

// ParseSelection reads ALGORITHM or ALGORITHM/VARIANT.
func ParseSelection(s string) Selection {
	algorithm, variant, _ := strings.Cut(s, "/")
	return Selection{Algorithm: algorithm, Variant: variant}
}

func (s Selection) matches(k *bundle.Kernel) bool {
	return (s.Algorithm == "" || s.Algorithm == k.Algorithm) && (s.Variant == "" || s.Variant == k.Variant) &&
		(s.Target == "" || s.Target == k.Target)
}

func (s Selection) pick(kernels []bundle.Kernel) ([]bundle.Kernel, error) {
	var picked []bundle.Kernel
	for i := range kernels {
		if s.matches(&kernels[i]) {
			picked = append(picked, kernels[i])
		}
	}
	if len(picked) > 0 {
		return picked, nil
	}
	var names []string
	for i := range kernels {
		name := kernels[i].Algorithm
		if s.Algorithm == name {
			name = kernels[i].Name()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return nil, fmt.Errorf("no kernel %s; there are:\n\t%s", s, strings.Join(names, "\n\t"))
}

func (s Selection) String() string {
	text := s.Algorithm
	if s.Variant != "" {
		text += "/" + s.Variant
	}
	if s.Target != "" {
		text += " for " + s.Target
	}
	return text
}

// Traces returns the selected kernels as the source describes them now.
func Traces(ctx context.Context, opt Options, trace TraceOptions, sel Selection) ([]bundle.Kernel, error) {
	s, err := open(ctx, opt, trace)
	if err != nil {
		return nil, err
	}
	return sel.pick(s.bundle.Kernels)
}

// Inspected is a kernel with its cubin and the machine code's origin.
type Inspected struct {
	Kernel       bundle.Kernel
	Row          Row
	Released     bool // the cubin is the one on disk; otherwise it was assembled for this report
	Instructions []cubin.Instruction
	Lines        *linemap.Map // from PTX lines to Go lines
}

// Frames returns the Go frames of an instruction, the innermost first.
func (i *Inspected) Frames(in cubin.Instruction) []bundle.Frame {
	if in.Line == 0 {
		return nil
	}
	return i.Lines.Frames(in.Line)
}

// Inspect disassembles the selected kernels. Problems of the gate, spills above all, do not stop it: it is how they
// are looked into.
func Inspect(ctx context.Context, opt Options, sel Selection) ([]Inspected, error) {
	s, err := open(ctx, opt, TraceOptions{})
	if err != nil {
		return nil, err
	}
	program, err := s.findPtxas(ctx)
	if err != nil {
		return nil, err
	}
	nvdisasm, _, err := opt.Search.Find(ctx, cubin.Nvdisasm())
	if err != nil {
		return nil, err
	}
	arts, err := s.assembled(ctx, sel)
	if err != nil {
		return nil, err
	}
	asm := cubin.NewAssembler(program, opt.Workers)
	d := cubin.Disassembler{Program: nvdisasm}
	var all []Inspected
	for _, art := range arts {
		k := art.kernel
		list, err := d.Listing(ctx, asm, []byte(k.PTX), art.cubin, k.Target, k.Entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name(), err)
		}
		all = append(all, Inspected{*k, art.row, art.kept, list, k.Lines()})
	}
	return all, nil
}

// Assembled returns the selected kernels as Inspect does, without their instructions: what is current on disk needs no
// toolchain.
func Assembled(ctx context.Context, opt Options, sel Selection) ([]Inspected, error) {
	s, err := open(ctx, opt, TraceOptions{})
	if err != nil {
		return nil, err
	}
	arts, err := s.assembled(ctx, sel)
	if err != nil {
		return nil, err
	}
	var all []Inspected
	for _, art := range arts {
		all = append(all, Inspected{*art.kernel, art.row, art.kept, nil, art.kernel.Lines()})
	}
	return all, nil
}

// assembled is the selected kernels with cubins, whatever the gate says of them.
func (s *session) assembled(ctx context.Context, sel Selection) ([]artifact, error) {
	kernels, err := sel.pick(s.bundle.Kernels)
	if err != nil {
		return nil, err
	}
	a, err := s.assembly(ctx)
	if err != nil {
		return nil, err
	}
	a.ungated = true
	return a.run(ctx, kernels)
}

// List reads the manifests on disk. It needs neither the kernels' source to compile nor a toolchain.
func List(ctx context.Context, opt Options) ([]Row, error) {
	if opt.Dir == "" {
		opt.Dir = "."
	}
	root, err := mainModule(ctx, opt.Dir)
	if err != nil {
		return nil, err
	}
	l := Layout{Module: root, Out: opt.Out}
	names, err := familiesOnDisk(l)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, name := range names {
		file := filepath.Join(l.Dir(), name, manifestName)
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		m, err := decodeManifest(text)
		if err != nil {
			return nil, &Fault{Kind: ErrManifest, File: relative(file), Got: err.Error()}
		}
		rows = append(rows, m.Artifacts...)
	}
	return rows, nil
}
