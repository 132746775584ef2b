package emulated

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
)

// ModuleLoad decodes the artifact's PTX and compares its entry with the launch contract.
func (d *Driver) ModuleLoad(ctx oxrt.ContextHandle, a *oxrt.Artifact) (oxrt.ModuleHandle, oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return 0, oxrt.CodeInvalidContext
	}
	p, f := d.load(a)
	if !f.failed() {
		f = checkEntry(p, a)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if f.failed() {
		return 0, v.note(f)
	}
	h := oxrt.ModuleHandle(v.handle())
	v.modules[h] = p
	return h, oxrt.CodeSuccess
}

func checkEntry(p *program, a *oxrt.Artifact) failure {
	refuse := func(left, leftGot, right, rightGot string) failure {
		return failure{oxrt.CodeInvalidSource, &oxrt.TargetError{Kernel: a.Name(), Left: left, LeftGot: leftGot, Right: right, RightGot: rightGot}}
	}
	k := p.Kernel(a.Entry)
	if k == nil {
		return refuse("artifact entry", a.Entry, "PTX kernels", "without it")
	}
	if len(k.Params) != len(a.Launch.Params) {
		return refuse("PTX parameters", fmt.Sprint(len(k.Params)), "launch contract", fmt.Sprint(len(a.Launch.Params)))
	}
	for i, have := range k.Params {
		if want := a.Launch.Params[i]; have.Offset != int(want.Offset) || have.Size != int(want.Size) {
			return refuse("PTX parameter "+have.Name, fmt.Sprintf("%d bytes at %d", have.Size, have.Offset),
				"launch contract", fmt.Sprintf("%s, %d bytes at %d", want.Name, want.Size, want.Offset))
		}
	}
	return failure{}
}

// ModuleUnload forgets the module.
func (d *Driver) ModuleUnload(ctx oxrt.ContextHandle, h oxrt.ModuleHandle) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.modules[h] == nil {
		return oxrt.CodeInvalidHandle
	}
	delete(v.modules, h)
	return oxrt.CodeSuccess
}

// ModuleFunction finds a kernel.
func (d *Driver) ModuleFunction(ctx oxrt.ContextHandle, h oxrt.ModuleHandle, entry string) (oxrt.FuncHandle, oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return 0, oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.modules[h]
	if p == nil {
		return 0, oxrt.CodeInvalidHandle
	}
	k := p.Kernel(entry)
	if k == nil {
		return 0, oxrt.CodeNotFound
	}
	f := oxrt.FuncHandle(v.handle())
	v.funcs[f] = k
	return f, oxrt.CodeSuccess
}

func (d *Driver) function(ctx oxrt.ContextHandle, f oxrt.FuncHandle) (*emulate.Kernel, oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return nil, oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if k := v.funcs[f]; k != nil {
		return k, oxrt.CodeSuccess
	}
	return nil, oxrt.CodeInvalidHandle
}

// FuncAttribute answers what the PTX text decides; registers are virtual here.
func (d *Driver) FuncAttribute(ctx oxrt.ContextHandle, f oxrt.FuncHandle, attr oxrt.FuncAttr) (int, oxrt.Code) {
	k, code := d.function(ctx, f)
	if code != oxrt.CodeSuccess {
		return 0, code
	}
	switch attr {
	case oxrt.FuncMaxThreads:
		return emulate.MaxThreadsPerCTA, oxrt.CodeSuccess
	case oxrt.FuncStaticSharedBytes:
		return k.StaticShared(), oxrt.CodeSuccess
	case oxrt.FuncBinaryVersion:
		return 90, oxrt.CodeSuccess
	}
	return 0, oxrt.CodeNotSupported
}

// SetFuncAttribute accepts what every launch is checked for anyway.
func (d *Driver) SetFuncAttribute(ctx oxrt.ContextHandle, f oxrt.FuncHandle, attr oxrt.FuncAttr, value int) oxrt.Code {
	k, code := d.function(ctx, f)
	switch {
	case code != oxrt.CodeSuccess:
		return code
	case attr == oxrt.FuncMaxDynamicSharedBytes && value+k.StaticShared() > emulate.MaxSharedPerCTA:
		return oxrt.CodeInvalidValue
	}
	return oxrt.CodeSuccess
}

// Occupancy ignores registers, which ptxas assigns.
func (d *Driver) Occupancy(ctx oxrt.ContextHandle, f oxrt.FuncHandle, threads int, dynamicSharedBytes int64) (int, oxrt.Code) {
	k, code := d.function(ctx, f)
	if code != oxrt.CodeSuccess {
		return 0, code
	}
	return k.Occupancy(threads, uint32(dynamicSharedBytes)), oxrt.CodeSuccess
}
