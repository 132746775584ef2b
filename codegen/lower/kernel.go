package lower

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

// ptxVersion is what released PTX declares: the version of the pinned ptxas, 9.0.
const ptxVersion = isa.Version(90)

// Position ties an instruction to the op that it came from, and so to its Go line and helper chain.
type Position struct {
	Instr *ptx.Instr
	Op    *ir.Op // nil for the kernel's prologue
}

// Result is a lowered kernel.
type Result struct {
	Module    *ptx.Module
	Entry     *ptx.Func
	Positions []Position // in program order
}

// Kernel lowers a kernel that ir.Build has verified. An error is a fault of this package and names the op and its line.
func Kernel(k *ir.Kernel) (res *Result, err error) {
	m := ptx.NewModule(ptxVersion, string(k.Target))
	e := &emitter{mod: m, vals: map[*ir.Value]ptx.Operand{}, forwarded: map[*ir.Value]address{}, tied: map[*ir.Value]*ir.Value{}, files: map[*ir.Value][]*ptx.Reg{}, table: newTable()}
	defer func() {
		b, ok := recover().(bug)
		if !ok {
			return
		}
		res, err = nil, fmt.Errorf("lower %s: %s", k.Name, b.msg)
		if b.op != nil {
			err = fmt.Errorf("lower %s: %s: %s: %s", k.Name, b.op.Pos, b.op.Info.Name, b.msg)
		}
	}()
	e.dynamicShared(k)
	e.fn = m.NewEntry(k.Name)
	e.directives(k)
	e.params(k)
	e.arrays(k)
	e.warpIndex(k)
	e.region(k.Body)
	e.at = nil
	e.emit("ret")
	if err := ptx.Check(m); err != nil {
		return nil, fmt.Errorf("lower %s: %w", k.Name, err)
	}
	return &Result{Module: m, Entry: e.fn, Positions: e.positions}, nil
}

// directives states the contract: .reqntid, never .maxntid, keeps descriptors in uniform registers.
func (e *emitter) directives(k *ir.Kernel) {
	c, d := k.Contract, &e.fn.Directives
	for i, n := range c.Block {
		d.ReqNTID[i] = max(1, n)
	}
	if c.Cluster != [3]int{} {
		d.ExplicitCluster = true
		for i, n := range c.Cluster {
			d.ReqNCTAPerCluster[i] = max(1, n)
		}
	}
	d.MinNCTAPerSM, d.MaxNReg = c.MinBlocksPerSM, c.MaxRegisters
	if d.MinNCTAPerSM == 0 && d.MaxNReg == 0 && uses(k, "setmaxnreg") {
		d.MinNCTAPerSM = 1 // ptxas ignores setmaxnreg unless it knows the registers at entry (C7508): now all that the block can have
	}
}

// fileType is the declared type of a register array's registers. ptxas takes words of a factor only as untyped ones.
func fileType(k op.Kind) isa.Type {
	if k == op.U32 {
		return isa.B32
	}
	return regType(op.Scalar(k))
}

// uses tells whether a kernel has an op of that name.
func uses(k *ir.Kernel, name string) bool {
	return !k.Body.Walk(func(o *ir.Op) bool { return o.Info.Name != name })
}

// params loads every parameter once. Addresses come from the host as generic ones (PTX ISA 7.1).
func (e *emitter) params(k *ir.Kernel) {
	for _, p := range k.Params {
		t := p.Type
		if t.Kind == op.TensorMap {
			e.vals[p.Value] = e.tensorMap(p)
			continue
		}
		v := e.fn.NewParam(paramType(t))
		r := e.newReg(t)
		e.emit(dots("ld.param", memSuffix(t)), r, ptx.At(ptx.AddressOf(v), 0))
		if t.Kind == op.Ptr && t.Space == op.Global {
			global := e.newReg(t)
			e.emit("cvta.to.global.u64", global, r)
			r = global
		}
		e.vals[p.Value] = r
	}
}

// tensorMap declares a tensor map, which is passed by value, and takes its generic address: it must stay in the parameter
// space (PTX ISA 5.5.8).
func (e *emitter) tensorMap(p *ir.ParamDecl) *ptx.Reg {
	v := e.fn.NewBytesParam(ir.TensorMapBytes, ir.TensorMapAlign)
	r, generic := e.newReg(p.Type), e.newReg(p.Type)
	e.emit("mov.u64", r, ptx.AddressOf(v))
	e.emit("cvta.param.u64", generic, r)
	return generic
}

func paramType(t op.Type) isa.Type {
	if t.Kind != op.Ptr && t.Bits() == 8 {
		return isa.U8
	}
	return regType(t)
}

// dynamicShared declares the block's dynamic shared memory. Dynamic arrays are parts of it, each at its offset.
func (e *emitter) dynamicShared(k *ir.Kernel) {
	align := 0
	for _, a := range k.Arrays {
		if a.Dynamic {
			align = max(align, a.Align)
		}
	}
	if align > 0 {
		e.dynamic = e.mod.DynamicShared("dynamic_shared", align)
	}
}

// arrays declares static arrays and takes every array's address.
func (e *emitter) arrays(k *ir.Kernel) {
	for _, a := range k.Arrays {
		if a.Type.Space == op.Register {
			for range a.Count {
				e.files[a.Value] = append(e.files[a.Value], e.fn.NewReg(fileType(a.Type.Elem)))
			}
			continue
		}
		if a.Dynamic {
			if e.base == nil {
				e.base = e.newReg(a.Type)
				e.emit("mov.u32", e.base, ptx.AddressOf(e.dynamic))
			}
			e.forwarded[a.Value] = address{base: e.base, off: int64(a.Offset)}
			continue
		}
		v := e.fn.NewShared(isa.B8, a.Name, a.Align, int64(a.Bytes()))
		if a.Type.Space == op.Local {
			v.Space = isa.Local
		}
		r := e.newReg(a.Type)
		e.emit(dots("mov", "u"+bitSuffix(a.Type.Bits())[1:]), r, ptx.AddressOf(v))
		e.vals[a.Value] = r
	}
}
