package ir

import "fmt"

// Build runs the kernel function of an instance and verifies the result. The error is Findings: every mistake at once.
func Build(inst Instance) (*Kernel, error) {
	k := newKernel(inst.Entry, inst.Target, inst.Contract, inst.pos)
	if inst.build == nil {
		return nil, Findings{{Code: CodeStructure, Msg: fmt.Sprintf("algorithm %s has no kernel function", inst.Algorithm)}}
	}
	return k.complete(inst.build)
}

// BuildFunc builds a kernel that belongs to no algorithm, for tests and experiments; for sm_90a unless told otherwise.
func BuildFunc(name string, contract Contract, body func(*Kernel), target ...Target) (*Kernel, error) {
	return newKernel(name, append(target, SM90a)[0], contract, funcPos(body)).complete(body)
}

func (k *Kernel) complete(body func(*Kernel)) (*Kernel, error) {
	whole := k.trace(body)
	k.closed, k.positions = true, nil
	if whole {
		k.Body.Ops = append(k.Body.Ops, k.yield(k.Body, nil))
		k.finish()
		k.findings = append(k.findings, Verify(k)...)
	}
	if len(k.findings) > 0 {
		return nil, Findings(k.findings)
	}
	return k, nil
}

// trace runs the kernel function; positions end at this frame. It tells whether the function returned.
func (k *Kernel) trace(body func(*Kernel)) (whole bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case abort:
			k.report(r.finding)
		default:
			k.report(Finding{Code: CodeKernelPanic, Pos: here(), Msg: fmt.Sprintf("the kernel function panicked: %v", r),
				Fix: "build values are ordinary Go: check indexes and variants before use"})
		}
	}()
	body(k)
	return true
}
