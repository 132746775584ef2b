package emulate

import (
	"fmt"
	"sync"

	"github.com/oxideinfer/oxide/codegen/ptx"
)

// Program is a decoded PTX module. It is immutable after Load and may run on several devices at once.
type Program struct {
	// Position maps a line of the PTX text to a place in the source it was made from; nil where nobody knows. It
	// must be set before the first launch.
	Position func(line int) string

	module  *ptx.Module
	kernels []*Kernel
	consts  []lanes // constants, broadcast over the lanes
	constAt map[uint64]src
	vars    []*ptx.Var // module variables in .global and .const

	ring        bool // decoded for ring mode
	ringOnce    sync.Once
	ringProgram *Program
	ringErr     error
}

// Kernel is one entry of a program.
type Kernel struct {
	Name   string
	Params []Param

	prog       *Program
	fn         *ptx.Func
	code       []inst
	names      []string // of registers, then of predicates
	nregs      int
	npreds     int
	paramBytes int
	localBytes int
	// Static shared memory ends at sharedStatic, counted from the start of the window; dynamic shared memory follows,
	// aligned to dynamicAlign.
	sharedStatic uint32
	dynamicAlign uint32
	vars         map[*ptx.Var]address
	// private: no CTA can see what another does, so CTAs may run in any order and in parallel.
	private bool
	// asynchronous: it has operations that work behind a warp, or mbarriers.
	asynchronous bool
	// writes holds the offsets of the parameters that it may write through; nil: unknown.
	writes map[uint64]bool
	// warpgroups: the kernel has wgmma instructions.
	warpgroups bool
	// clustered: the text uses what clusters have, so shared addresses carry the rank.
	clustered bool
}

// Param is one kernel parameter. Offset is its place in the bytes that Launch takes.
type Param struct {
	Name   string
	Type   string // "u64", "f32", "b8" for a byte array
	Offset int
	Size   int
	Align  int
}

// ParamBytes is the size of the parameter block that Launch takes.
func (k *Kernel) ParamBytes() int { return k.paramBytes }

// StaticShared is the size of the kernel's static shared memory in bytes.
func (k *Kernel) StaticShared() int { return int(k.sharedStatic) - sharedUserStart }

// Directives are the launch restrictions in the text.
func (k *Kernel) Directives() ptx.Directives { return k.fn.Directives }

// Program returns the program that the kernel belongs to.
func (k *Kernel) Program() *Program { return k.prog }

// Kernel returns the entry of that name, or nil.
func (p *Program) Kernel(name string) *Kernel {
	for _, k := range p.kernels {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Kernels returns the entries in text order.
func (p *Program) Kernels() []*Kernel { return p.kernels }

// DecodeError says that a module contains something that the emulator does not model.
type DecodeError struct {
	Line, Col int
	Func      string
	Text      string // the instruction
	Reason    string
}

// Error implements error.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("emulate: line %d: %s: %q: %s", e.Line, e.Func, e.Text, e.Reason)
}

// inst is a decoded instruction: either exec, which computes and falls through, or ctl, which may move the
// fragment.
type inst struct {
	exec execFn
	// ctl returns true when the set of fragments changed or the current one may not go on.
	ctl      func(w *warp, in *inst, m uint32) bool
	guard    int32 // predicate, or noGuard
	guardNot bool
	visible  bool // somebody else can see its effect: an undefined guard is reported
	uni      bool // bra.uni
	spin     bool // a backward branch of a loop that waits for somebody
	target   int32
	line     int32
	uses     []int32 // registers whose definedness flows to outs
	outs     []int32
	writes   []int32 // every register it writes
	text     *ptx.Instr
	own      bool       // does what the text says; false for helpers beside it
	places   []place    // the address operands
	bar      *barrierOp // of a CTA barrier
}

// execFn computes an instruction for the lanes in m.
type execFn func(w *warp, in *inst, m uint32)

const noGuard = int32(-1)

// Load decodes a module. What the emulator does not model is an error of type *DecodeError, a module for another chip one
// of type *TargetError.
func Load(m *ptx.Module) (*Program, error) {
	if err := checkTarget(m); err != nil {
		return nil, err
	}
	p := &Program{module: m, constAt: map[uint64]src{}}
	for _, d := range m.Decls {
		if v, ok := d.(*ptx.Var); ok && isModuleMemory(v) {
			p.vars = append(p.vars, v)
		}
	}
	if err := p.decode(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Program) decode() error {
	for _, f := range p.module.Funcs() {
		if !f.Entry || f.Body == nil {
			continue
		}
		k, err := decodeKernel(p, f)
		if err != nil {
			return err
		}
		p.kernels = append(p.kernels, k)
	}
	return nil
}

// constant returns an operand for a value.
func (p *Program) constant(v uint64) src {
	if s, ok := p.constAt[v]; ok {
		return s
	}
	var l lanes
	for i := range l {
		l[i] = v
	}
	s := ^src(len(p.consts))
	p.consts = append(p.consts, l)
	p.constAt[v] = s
	return s
}
