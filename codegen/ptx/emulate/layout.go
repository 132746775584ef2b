package emulate

import (
	"encoding/binary"
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// address is where a variable lives: an offset in its space. Shared offsets count from the start of the window,
// local and parameter offsets from 0; a global variable's address is the device's business.
type address struct {
	space isa.Space
	off   uint64
}

// moduleMemory holds a program's module variables on one device.
type moduleMemory struct {
	addr map[*ptx.Var]uint64
}

func isModuleMemory(v *ptx.Var) bool { return v.Space == isa.Global || v.Space == isa.Const }

func alignUp(n, align uint64) uint64 {
	if align <= 1 {
		return n
	}
	return (n + align - 1) / align * align
}

// layoutParams places the parameters of a kernel as the driver does.
func layoutParams(k *Kernel) error {
	at := uint64(0)
	for _, v := range k.fn.Params {
		size := uint64(v.Size())
		if size > maxParamBytes || v.Alignment() > maxAlign || at > maxParamBytes {
			return layoutError(k, v, "kernel parameters of more than 32764 bytes")
		}
		at = alignUp(at, uint64(v.Alignment()))
		k.Params = append(k.Params, Param{Name: v.Name, Type: v.Type.String(), Offset: int(at), Size: int(size), Align: v.Alignment()})
		k.vars[v] = address{isa.ParamEntry, at}
		at += size
	}
	k.paramBytes = int(at)
	return nil
}

// Limits that keep a hostile module from asking for memory that no kernel has.
const (
	maxParamBytes = 32764 // manual 5.1.6.2
	maxLocalBytes = 512 << 10
	maxAlign      = 1 << 20
)

func layoutError(k *Kernel, v *ptx.Var, reason string) error {
	return &DecodeError{Line: v.Line, Col: v.Col, Func: k.Name, Text: v.Space.String() + " variable " + v.Name, Reason: reason}
}

// layoutVars places the shared and local variables that the kernel's functions can name: module variables first, in
// text order, then those of the bodies. Dynamic shared memory starts behind all static variables.
func (d *decoder) layoutVars() error {
	var err error
	shared, local := uint64(sharedUserStart), uint64(0)
	d.k.dynamicAlign = 16
	var dynamic []*ptx.Var
	place := func(v *ptx.Var) {
		size := uint64(v.Size())
		if size > 1<<32 || v.Alignment() > maxAlign || shared > 1<<31 || local > maxLocalBytes {
			err = layoutError(d.k, v, "the variables of the kernel are too large")
			return
		}
		switch v.Space.Base() {
		case isa.Shared:
			if v.Size() == 0 || v.Linkage == ptx.Extern {
				dynamic = append(dynamic, v)
				d.k.dynamicAlign = max(d.k.dynamicAlign, uint32(v.Alignment()))
				return
			}
			shared = alignUp(shared, uint64(v.Alignment()))
			d.k.vars[v] = address{isa.Shared, shared}
			shared += size
		case isa.Local, isa.Param:
			// Parameters of device functions and of calls live in the frame: no function calls itself.
			local = alignUp(local, uint64(v.Alignment()))
			d.k.vars[v] = address{isa.Local, local}
			local += size
		}
	}
	for _, decl := range d.p.module.Decls {
		if v, ok := decl.(*ptx.Var); ok && d.names[v] {
			place(v)
		}
	}
	for _, f := range d.funcs {
		if f != d.k.fn {
			for _, v := range append(append([]*ptx.Var(nil), f.Params...), f.Returns...) {
				place(v)
			}
		}
		eachVar(f.Body, place)
	}
	if local > maxLocalBytes || shared > sharedUserStart+MaxSharedPerCTA {
		return layoutError(d.k, &ptx.Var{Pos: d.k.fn.Pos, Name: "total"}, fmt.Sprintf("%d bytes of shared and %d of local memory", shared-sharedUserStart, local))
	}
	d.k.sharedStatic = uint32(shared)
	for _, v := range dynamic {
		d.k.vars[v] = address{isa.Shared, uint64(d.k.dynamicStart())}
	}
	d.k.localBytes = int(alignUp(local, 16))
	return err
}

// sharedVar names the variable that a shared address lies in, and the offset in it, or "".
func (k *Kernel) sharedVar(addr uint64) string {
	var best *ptx.Var
	for v, a := range k.vars {
		if a.space != isa.Shared || addr < a.off {
			continue
		}
		dynamic := v.Size() == 0 || v.Linkage == ptx.Extern
		if !dynamic && addr-a.off >= uint64(v.Size()) {
			continue
		}
		if best == nil || a.off > k.vars[best].off || a.off == k.vars[best].off && v.Name < best.Name {
			best = v
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf("%s+%d", best.Name, addr-k.vars[best].off)
}

func eachVar(b *ptx.Block, f func(*ptx.Var)) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *ptx.Var:
			f(s)
		case *ptx.Block:
			eachVar(s, f)
		}
	}
}

// moduleMemory returns the program's variables on the device, placing and initialising them at first use.
func (d *Device) moduleMemory(p *Program) (*moduleMemory, error) {
	if m := d.modules[p]; m != nil {
		return m, nil
	}
	m := &moduleMemory{addr: map[*ptx.Var]uint64{}}
	blocks := map[*ptx.Var]*alloc{}
	for _, v := range p.vars {
		a, err := d.alloc(v.Name, uint64(v.Size()))
		if err != nil {
			return nil, err
		}
		m.addr[v], blocks[v] = a.base, a
	}
	for v, a := range blocks {
		fill(a.init, 1) // static storage starts as zeros
		a.readOnly = v.Space == isa.Const
		if v.Init != nil {
			if _, err := m.write(v, v.Init, a.data); err != nil {
				return nil, fmt.Errorf("emulate: initialiser of %s: %w", v.Name, err)
			}
		}
	}
	d.modules[p] = m
	return m, nil
}

// write stores an initialiser at the start of b and returns the rest.
func (m *moduleMemory) write(v *ptx.Var, in *ptx.Init, b []byte) ([]byte, error) {
	if in.List != nil {
		var err error
		for _, e := range in.List {
			if b, err = m.write(v, e, b); err != nil {
				return nil, err
			}
		}
		return b, nil
	}
	var bits uint64
	switch x := in.Value.(type) {
	case ptx.Sym:
		target, ok := x.Of.(*ptx.Var)
		if !ok || m.addr[target] == 0 {
			return nil, fmt.Errorf("the address of %s is not known", x.Of.SymbolName())
		}
		bits = m.addr[target] + uint64(x.Off)
	default:
		c, ok := constantBits(x, v.Type)
		if !ok {
			return nil, fmt.Errorf("a value of kind %T", x)
		}
		bits = c
	}
	n := (v.Type.Bits() + 7) / 8
	if n > len(b) || n > 8 {
		return nil, fmt.Errorf("more values than elements")
	}
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], bits)
	copy(b, raw[:n])
	return b[n:], nil
}
