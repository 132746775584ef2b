package ir

import (
	"fmt"
	"runtime/debug"
)

// Build runs the kernel function of an instance and verifies the result. The error is Findings: every mistake at once.
func Build(inst Instance) (*Kernel, error) {
	k := newKernel(inst.Entry, inst.Target, inst.Contract)
	if inst.build == nil {
		return nil, Findings{{Code: CodeStructure, Msg: fmt.Sprintf("algorithm %s has no kernel function", inst.Algorithm)}}
	}
	return k.complete(inst.build)
}

// BuildFunc builds a kernel that belongs to no algorithm: tests and experiments.
func BuildFunc(name string, contract Contract, body func(*Kernel)) (*Kernel, error) {
	return newKernel(name, SM90a, contract).complete(body)
}

func (k *Kernel) complete(body func(*Kernel)) (*Kernel, error) {
	whole := k.trace(body)
	k.closed = true
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
			k.report(Finding{Code: CodeKernelPanic, Pos: here(), Msg: fmt.Sprintf("the kernel function panicked: %v\n%s", r, debug.Stack()),
				Fix: "build values are ordinary Go: check indexes and variants before use"})
		}
	}()
	body(k)
	return true
}
