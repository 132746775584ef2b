package ir

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir/op"
)

// Limits of the hardware (CUDA programming guide, technical specifications per compute capability).
const (
	maxThreads      = 1024
	maxBlockZ       = 64
	maxStaticShared = 48 << 10
	maxParamBytes   = 32764
	maxRegisters    = 255
	maxPortableCTAs = 8
)

var sharedLimit = map[op.Arch]int{op.SM80: 163 << 10, op.SM90: 227 << 10, op.SM90a: 227 << 10}

func archOf(t Target) op.Arch {
	switch t {
	case SM80:
		return op.SM80
	case SM90:
		return op.SM90
	}
	return op.SM90a
}

func (c *checker) contractFinding(code, fix, format string, args ...any) {
	c.add(Finding{Code: code, Pos: c.k.pos, Msg: fmt.Sprintf(format, args...), Fix: fix})
}

func (c *checker) contract() {
	k := c.k
	switch k.Target {
	case SM80, SM90, SM90a:
	default:
		c.contractFinding(CodeTargetUnavailable, "use ir.SM90a", "target %q is not known", k.Target)
	}
	c.block(k.Contract)
	c.cluster(k.Contract)
	c.shared()
	c.parameters()
	c.boxes()
	ct := k.Contract
	if (ct.AllowSpillBytes > 0 || ct.AllowStackBytes > 0) && ct.Why == "" {
		c.contractFinding(CodeContract, "say in Why what is spilled and why that is the better choice", "the contract allows spills or stack without a reason")
	}
	if ct.MaxRegisters < 0 || ct.MaxRegisters > maxRegisters {
		c.contractFinding(CodeContract, "use 0 (no limit) to 255", "a thread cannot have %d registers", ct.MaxRegisters)
	}
	if ct.MinBlocksPerSM*ct.Threads() > 2048 {
		c.contractFinding(CodeContract, "ask for fewer blocks", "%d blocks of %d threads do not fit an SM's 2048 threads", ct.MinBlocksPerSM, ct.Threads())
	}
}

func (c *checker) block(ct Contract) {
	b := ct.Block
	if b[0] < 1 || b[1] < 1 || b[2] < 1 || ct.Threads() > maxThreads || b[2] > maxBlockZ {
		c.contractFinding(CodeBlockTooLarge, "use 1 to 1024 threads, at most 64 in z", "a block of %d×%d×%d threads cannot be launched", b[0], b[1], b[2])
	}
	if ct.MaxRegisters*ct.Threads() > 65536 {
		c.contractFinding(CodeBlockTooLarge, "lower MaxRegisters or the block", "%d threads of %d registers do not fit the SM's 65536", ct.Threads(), ct.MaxRegisters)
	}
}

func (c *checker) cluster(ct Contract) {
	if ct.Cluster == [3]int{} {
		return
	}
	n := max(1, ct.Cluster[0]) * max(1, ct.Cluster[1]) * max(1, ct.Cluster[2])
	if n > maxPortableCTAs {
		c.contractFinding(CodeContract, "use at most 8 blocks", "a cluster of %d blocks is not portable", n)
	}
	if c.target < op.SM90 {
		c.contractFinding(CodeTargetUnavailable, "drop the cluster or the target", "clusters do not exist on %s", c.k.Target)
	}
}

func (c *checker) shared() {
	static, local, dynamic := 0, 0, false
	for _, a := range c.k.Arrays {
		switch {
		case a.Dynamic:
			dynamic = true
		case a.Type.Space == op.Shared:
			static = (static+a.Align-1)/a.Align*a.Align + a.Bytes()
		case a.Type.Space == op.Local:
			local += a.Bytes()
		}
		if a.Align&(a.Align-1) != 0 {
			c.add(Finding{Code: CodeMisaligned, Pos: a.Pos, Msg: fmt.Sprintf("array %s is aligned to %d bytes, which is no power of two", a.Name, a.Align)})
		}
	}
	ct, limit := c.k.Contract, sharedLimit[c.target]
	if static > maxStaticShared {
		c.contractFinding(CodeSharedTooLarge, "use ir.DynamicShared", "%d bytes of static shared memory; ptxas takes %d", static, maxStaticShared)
	}
	if static+ct.DynamicSharedBytes > limit {
		c.contractFinding(CodeSharedTooLarge, "use fewer stages or smaller tiles", "%d bytes of shared memory; a block has %d", static+ct.DynamicSharedBytes, limit)
	}
	if dynamic && ct.DynamicSharedBytes <= 0 {
		c.contractFinding(CodeContract, "set DynamicSharedBytes", "the kernel uses dynamic shared memory and the contract gives it none")
	}
	if !dynamic && ct.DynamicSharedBytes > 0 {
		c.contractFinding(CodeContract, "drop DynamicSharedBytes", "the contract gives dynamic shared memory that the kernel does not use")
	}
	if end := c.k.dynamicEnd(); end > ct.DynamicSharedBytes && ct.DynamicSharedBytes > 0 {
		c.contractFinding(CodeSharedTooLarge, "raise DynamicSharedBytes", "%d bytes of dynamic arrays; the contract gives %d", end, ct.DynamicSharedBytes)
	}
	if local > ct.AllowStackBytes {
		c.contractFinding(CodeContract, "set AllowStackBytes, or keep the array in registers", "%d bytes of local arrays; the contract allows %d bytes of stack", local, ct.AllowStackBytes)
	}
}

func (c *checker) parameters() {
	total := 0
	for _, p := range c.k.Params {
		size, align := p.Layout()
		total = (total+align-1)/align*align + size
		if p.Align < 0 || p.Align&(p.Align-1) != 0 {
			c.add(Finding{Code: CodeMisaligned, Pos: p.Pos, Msg: fmt.Sprintf("parameter %s promises an alignment of %d bytes, which is no power of two", p.Name, p.Align)})
		}
		if p.Constant && p.Writes {
			c.add(Finding{Code: CodeConstantWritten, Pos: p.Pos, Msg: fmt.Sprintf("parameter %s is both constant and written", p.Name), Fix: "drop ir.Constant"})
		}
	}
	if total > maxParamBytes {
		c.contractFinding(CodeContract, "pass a pointer to a table", "%d bytes of parameters; a kernel takes %d", total, maxParamBytes)
	}
}

// available refuses what the target does not have.
func (c *checker) available(o *Op) {
	need := o.Info.Arch
	for _, g := range o.Info.Gates {
		for _, v := range append(append([]*Value(nil), o.Args...), o.Results...) {
			if g.Kinds.Has(v.typ.Kind) {
				need = max(need, g.Arch)
			}
		}
	}
	if o.Enum("scope") == "cluster" {
		need = max(need, op.SM90)
	}
	if c.target < need {
		c.at(o, CodeTargetUnavailable, "drop the target from the variant, or give it another way", "%s needs %s, the kernel is for %s", o.Info.Name, need, c.k.Target)
	}
}
