package ir

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir/op"
)

// Kernel is a kernel under construction, and the finished IR afterwards. Kernel functions receive it.
type Kernel struct {
	Name     string // entry symbol
	Target   Target
	Contract Contract
	Params   []*ParamDecl
	Arrays   []*Array
	Body     *Region

	consts   map[constKey]*Value // only looked up, so its order does not matter
	frame    *frame
	findings []Finding
	pos      Pos // of the kernel function

	positions map[[maxDepth]uintptr]Pos
	vars      int
	closed    bool
}

// ParamDecl is a kernel parameter.
type ParamDecl struct {
	Name     string
	Type     Type
	Constant bool // no launch that may still be in flight writes what it points to
	Writes   bool // the kernel is meant to write through it
	Box      *Box // of a tensor map: what the host must encode, nil if that is not said
	Align    int  // promised alignment in bytes of the address and of every row the caller passes; 0: the element's
	Value    *Value
	Pos      Pos
}

// A tensor map is passed by value (PTX ISA 5.5.8).
const (
	TensorMapBytes = 128
	TensorMapAlign = 64
)

// Layout is the parameter's size and alignment in the parameter block: that of a C struct.
func (p *ParamDecl) Layout() (size, align int) {
	if p.Type.Kind == op.TensorMap {
		return TensorMapBytes, TensorMapAlign
	}
	size = p.Type.Bits() / 8
	return size, size
}

// Array is static or dynamic shared memory, an array in local memory, or one of registers.
type Array struct {
	Name    string
	Type    Type // of the pointer to its first element
	Count   int  // elements; 0 for all dynamic shared memory
	Align   int
	Dynamic bool
	Offset  int // in bytes, of a dynamic array
	Value   *Value
	Pos     Pos
}

// Bytes is the static size.
func (a *Array) Bytes() int { return a.Count * a.Type.Elem.Bytes() }

func newKernel(name string, target Target, contract Contract, pos Pos) *Kernel {
	for i := 1; i < 3; i++ { // x has no default: the verifier refuses 0
		if contract.Block[i] == 0 {
			contract.Block[i] = 1
		}
	}
	k := &Kernel{Name: name, Target: target, Contract: contract, Body: &Region{}, pos: pos}
	k.frame = &frame{kind: bodyFrame, region: k.Body}
	return k
}

// Block gives the contract's exact block size.
func (k *Kernel) Block() [3]int { return k.Contract.Block }

// Threads is the number of threads in a block.
func (k *Kernel) Threads() int { return k.Contract.Threads() }

type constKey struct {
	typ  Type
	bits uint64
}

// constant gives the one Value for a type and representation.
func (k *Kernel) constant(t Type, bits uint64) *Value {
	if n := t.Bits(); n < 64 {
		bits &= 1<<n - 1
	}
	key := constKey{t, bits}
	if c, ok := k.consts[key]; ok {
		return c
	}
	if k.consts == nil {
		k.consts = map[constKey]*Value{}
	}
	c := &Value{kernel: k, typ: t, kind: ConstValue, bits: bits}
	k.consts[key] = c
	return c
}

// Const gives the Value of a constant; passes use it.
func (k *Kernel) Const(t Type, bits uint64) *Value { return k.constant(t, bits) }

// number gives ids in textual order.
func (k *Kernel) number() {
	n := 0
	next := func(list []*Value) {
		for _, v := range list {
			v.id = n
			n++
		}
	}
	var region func(r *Region)
	region = func(r *Region) {
		next(r.Args)
		for _, o := range r.Ops {
			for _, inner := range o.Regions {
				region(inner)
			}
			next(o.Results)
		}
	}
	region(k.Body)
}

// finish replaces forwarded values and numbers the rest.
func (k *Kernel) finish() {
	k.Body.Walk(func(o *Op) bool {
		for i, a := range o.Args {
			o.Args[i] = resolve(a)
		}
		return true
	})
	k.number()
}

func (k *Kernel) param(t Type, name string, opts []ParamOption) *Value {
	p := &ParamDecl{Name: name, Type: t, Pos: here()}
	for _, o := range opts {
		o.apply(p)
	}
	if k.frame.kind != bodyFrame {
		k.report(Finding{Code: CodeStructure, Pos: p.Pos, Msg: fmt.Sprintf("parameter %q is declared inside a device region", name),
			Fix: "declare parameters before any control flow"})
	}
	for _, q := range k.Params {
		if q.Name == name {
			k.report(Finding{Code: CodeDuplicate, Pos: p.Pos, Msg: fmt.Sprintf("parameter %q is declared twice, first at %s", name, q.Pos)})
		}
	}
	if !identifier(name) {
		k.report(Finding{Code: CodeStructure, Pos: p.Pos, Msg: fmt.Sprintf("parameter name %q is no identifier", name), Fix: "use letters, digits and _"})
	}
	p.Value = &Value{kernel: k, typ: t, kind: ParamValue, name: name, index: len(k.Params)}
	k.Params = append(k.Params, p)
	return p.Value
}

func (k *Kernel) array(a Array) *Value {
	a.Pos = here()
	for _, b := range k.Arrays {
		if b.Name == a.Name {
			k.report(Finding{Code: CodeDuplicate, Pos: a.Pos, Msg: fmt.Sprintf("array %q is declared twice, first at %s", a.Name, b.Pos)})
		}
	}
	if !identifier(a.Name) {
		k.report(Finding{Code: CodeStructure, Pos: a.Pos, Msg: fmt.Sprintf("array name %q is no identifier", a.Name), Fix: "use letters, digits and _"})
	}
	if a.Count < 1 && !(a.Dynamic && a.Name == wholeDynamic) {
		k.report(Finding{Code: CodeStructure, Pos: a.Pos, Msg: fmt.Sprintf("array %q has %d elements", a.Name, a.Count)})
	}
	a.Align = max(a.Align, a.Type.Elem.Bytes())
	a.Value = &Value{kernel: k, typ: a.Type, kind: ArrayValue, name: a.Name, index: len(k.Arrays)}
	k.Arrays = append(k.Arrays, &a)
	return a.Value
}

func identifier(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func scalar(k Kind) Type { return op.Scalar(k) }
