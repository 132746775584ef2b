package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
)

// artifact is one instance with its cubin.
type artifact struct {
	kernel *bundle.Kernel
	row    Row
	cubin  []byte
	kept   bool // taken from disk, not assembled
}

// Progress is told after every assembled kernel.
type Progress func(done, total int, name string)

// ptxasProvider finds the assembler when the first kernel needs it: a build in which nothing changed works without.
type ptxasProvider struct {
	find    func() (cubin.Program, error)
	workers int
	once    sync.Once
	asm     *cubin.Assembler
	err     error
}

func (p *ptxasProvider) assembler() (*cubin.Assembler, error) {
	p.once.Do(func() {
		program, err := p.find()
		if err != nil {
			p.err = err
			return
		}
		p.asm = cubin.NewAssembler(program, p.workers)
	})
	return p.asm, p.err
}

// assembly turns kernels into artifacts.
type assembly struct {
	layout   Layout
	families map[string]string // package -> family
	version  string            // of the ptxas whose cubins may be kept
	bound    bool
	again    bool // assemble even what is current
	ungated  bool // only look: let spills and warnings pass
	ptxas    *ptxasProvider
	progress Progress
	src      sources
}

// run assembles what is not current. All mistakes are collected.
func (a *assembly) run(ctx context.Context, kernels []bundle.Kernel) ([]artifact, error) {
	all := make([]artifact, len(kernels))
	var todo []int
	manifests := map[string]*Manifest{}
	for i := range kernels {
		k := &kernels[i]
		family := a.families[k.Package]
		if _, ok := manifests[family]; !ok {
			manifests[family] = a.onDisk(family)
		}
		all[i] = artifact{kernel: k}
		if a.again || !a.keep(&all[i], manifests[family], family) {
			todo = append(todo, i)
		}
	}
	err := a.assembleAll(ctx, all, todo)
	return all, err
}

func (a *assembly) onDisk(family string) *Manifest {
	text, err := os.ReadFile(filepath.Join(a.layout.Dir(), family, manifestName))
	if err != nil {
		return nil
	}
	m, err := decodeManifest(text)
	if err != nil {
		return nil // it will be written anew
	}
	return m
}

// keep takes the cubin on disk if it was made from this text by this ptxas, and is still what the manifest says.
func (a *assembly) keep(art *artifact, m *Manifest, family string) bool {
	if m == nil {
		return false
	}
	k := art.kernel
	row := m.row(k)
	if row == nil || row.PTXSHA256 != k.PTXSHA256() || row.Ptxas != a.version ||
		row.Key != cubin.Key([]byte(k.PTX), a.version, cubin.Flags(k.Target)) || row.Cubin != filepath.Base(row.Cubin) {
		return false
	}
	b, err := os.ReadFile(filepath.Join(a.layout.Dir(), family, row.Cubin))
	if err != nil || bundle.Hash(b) != row.CubinSHA256 {
		return false
	}
	result, err := reread(b, k, row)
	if err != nil || result.Check(k.Entry, allowance(k.Declares)) != nil {
		return false // what the gate refuses must be ptxas's word, not the manifest's
	}
	art.cubin, art.row, art.kept = b, a.row(k, result), true
	return true
}

// reread rebuilds an assembler's result from a cubin and its row: everything that the ELF says is read anew.
func reread(b []byte, k *bundle.Kernel, row *Row) (*cubin.Result, error) {
	elf, err := cubin.Read(b)
	if err != nil {
		return nil, err
	}
	e := elf.Entry(k.Entry)
	if e == nil || elf.Arch != k.Target {
		return nil, fmt.Errorf("cubin of %s for %s", k.Entry, elf.Arch)
	}
	res := e.Resources
	if res.StackBytes > 0 { // without a frame there are no spills
		res.SpillStoreBytes, res.SpillLoadBytes = row.Resources.SpillStoreBytes, row.Resources.SpillLoadBytes
	}
	return &cubin.Result{Cubin: b, Log: row.Log, Target: k.Target, Flags: cubin.Flags(k.Target), Key: row.Key,
		Resources: map[string]cubin.Resources{k.Entry: res}}, nil
}

func (a *assembly) assembleAll(ctx context.Context, all []artifact, todo []int) error {
	var asm *cubin.Assembler
	if len(todo) > 0 {
		var err error
		if asm, err = a.ptxas.assembler(); err != nil {
			return fmt.Errorf("%d of %d kernels must be assembled: %w", len(todo), len(all), err)
		}
	}
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for _, i := range todo {
		wg.Go(func() {
			k := all[i].kernel
			r, err := asm.Assemble(ctx, []byte(k.PTX), k.Target)
			if err != nil {
				errs[i] = err
			} else {
				all[i].cubin, all[i].row = r.Cubin, a.row(k, r)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			if a.progress != nil {
				a.progress(done, len(todo), k.Name())
			}
		})
	}
	wg.Wait()
	return a.judge(ctx, all, errs)
}

// judge turns errors of ptxas and broken declarations into problems at Go lines.
func (a *assembly) judge(ctx context.Context, all []artifact, errs []error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var problems Problems
	for i, art := range all {
		err := errs[i]
		if err == nil && !a.ungated {
			result := &cubin.Result{Log: art.row.Log, Resources: map[string]cubin.Resources{art.kernel.Entry: art.row.Resources}}
			err = result.Check(art.kernel.Entry, art.row.allowance())
		}
		if err == nil {
			continue
		}
		found := explain(art.kernel, err, a.src)
		if len(found) == 0 {
			return fmt.Errorf("%s: %w", art.kernel.Name(), err) // ptxas did not run at all
		}
		problems = append(problems, found...)
	}
	if len(problems) > 0 {
		return problems.sorted()
	}
	return nil
}

func (a *assembly) row(k *bundle.Kernel, r *cubin.Result) Row {
	var log []cubin.Diagnostic
	for _, d := range r.Log {
		if d.Code != "" {
			log = append(log, d)
		}
	}
	return Row{
		Algorithm: k.Algorithm, Variant: k.Variant, Target: k.Target, Entry: k.Entry,
		Launch: k.Contract, Declares: k.Declares,
		PTX: a.families[k.Package] + "/" + fileBase(k) + ".ptx", PTXSHA256: k.PTXSHA256(),
		Ptxas: a.version, PtxasBound: a.bound, Flags: r.Flags, Key: r.Key,
		Cubin: fileBase(k) + ".cubin", CubinSHA256: bundle.Hash(r.Cubin),
		Resources: r.Resources[k.Entry], Log: log,
	}
}
