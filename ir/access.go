package ir

import "github.com/oxideinfer/oxide/ir/op"

// LoadOption modifies a load.
type LoadOption interface{ load() access }

// StoreOption modifies a store.
type StoreOption interface{ store() access }

// AtomicOption modifies an atomic operation or a reduction.
type AtomicOption interface{ atomic() access }

// access is what options add to a memory op: attributes, and the operand of those that have one, such as an L2 policy.
type access struct {
	attr    op.Attr
	operand *Value
}

// CacheOp is a cache operator (PTX ISA 9.7.9.1): CA CG CS LU CV for loads, WB CG CS WT for stores.
type CacheOp string

// Cache operators.
const (
	CA CacheOp = "ca" // all levels
	CG CacheOp = "cg" // L2 only
	CS CacheOp = "cs" // streaming, likely accessed once
	LU CacheOp = "lu" // last use
	CV CacheOp = "cv" // do not cache, fetch again
	WB CacheOp = "wb" // write back
	WT CacheOp = "wt" // write through
)

// NonCoherent loads through the read-only path.
type NonCoherent string

// NC asks for ld.global.nc. The memory must not change while the kernel, or an earlier one still in flight, runs: the
// verifier allows it only on parameters declared Constant.
const NC NonCoherent = "nc"

// L1Hint is an L1 eviction priority (PTX ISA 9.7.9.2).
type L1Hint string

// L1 hints.
const (
	L1EvictNormal    L1Hint = "evict_normal"
	L1EvictUnchanged L1Hint = "evict_unchanged"
	L1EvictFirst     L1Hint = "evict_first"
	L1EvictLast      L1Hint = "evict_last"
	L1NoAllocate     L1Hint = "no_allocate"
)

// L2Fetch is the size that a load asks L2 to fetch around it.
type L2Fetch string

// L2 fetch sizes.
const (
	L2Fetch64  L2Fetch = "64B"
	L2Fetch128 L2Fetch = "128B"
	L2Fetch256 L2Fetch = "256B"
)

// Order is a memory order (PTX ISA 8.7). Loads take Relaxed, Acquire and Volatile, stores Relaxed, Release and Volatile;
// atomics are Relaxed unless told otherwise.
type Order string

// Memory orders.
const (
	Relaxed        Order = "relaxed"
	Acquire        Order = "acquire"
	Release        Order = "release"
	AcquireRelease Order = "acq_rel"
	Volatile       Order = "volatile"
	Sequential     Order = "sc" // fences only
)

// Scope is the set of threads that an order speaks of; GPU is the default.
type Scope string

// Scopes.
const (
	ScopeGPU     Scope = "gpu"
	ScopeBlock   Scope = "cta"
	ScopeCluster Scope = "cluster"
	ScopeSystem  Scope = "sys"
)

// Policy is an L2 eviction policy; see Kernel.Policy.
type Policy struct{ v *Value }

// Eviction is the priority of an L2 policy.
type Eviction string

// Eviction priorities.
const (
	EvictFirst     Eviction = "evict_first"
	EvictLast      Eviction = "evict_last"
	EvictNormal    Eviction = "evict_normal"
	EvictUnchanged Eviction = "evict_unchanged"
)

// Policy makes an L2 policy for all accesses that name it.
func (k *Kernel) Policy(e Eviction) Policy {
	return Policy{k.Emit("create_policy", []op.Attr{{Name: "l2", Text: string(e)}}, []Type{scalar(op.U64)}).Result()}
}

func (c CacheOp) load() access     { return access{attr: op.Attr{Name: "cache", Text: string(c)}} }
func (c CacheOp) store() access    { return c.load() }
func (c NonCoherent) load() access { return access{attr: op.Attr{Name: "nc"}} }
func (h L1Hint) load() access      { return access{attr: op.Attr{Name: "l1", Text: string(h)}} }
func (h L1Hint) store() access     { return h.load() }
func (f L2Fetch) load() access     { return access{attr: op.Attr{Name: "l2", Text: string(f)}} }
func (s Order) load() access       { return access{attr: op.Attr{Name: "sem", Text: string(s)}} }
func (s Order) store() access      { return s.load() }
func (s Order) atomic() access     { return s.load() }
func (s Scope) load() access       { return access{attr: op.Attr{Name: "scope", Text: string(s)}} }
func (s Scope) store() access      { return s.load() }
func (s Scope) atomic() access     { return s.load() }
func (p Policy) load() access      { return access{attr: op.Attr{Name: "policy"}, operand: p.v} }
func (p Policy) store() access     { return p.load() }

// Fence orders this thread's memory accesses: AcquireRelease or Sequential, as seen by scope.
func (k *Kernel) Fence(order Order, scope Scope) {
	k.Emit("fence", []op.Attr{order.load().attr, scope.load().attr}, nil)
}

// memOp collects what an access needs besides its pointer.
type memOp struct {
	attrs    []op.Attr
	operands []*Value
}

func (m *memOp) add(a access) {
	m.attrs = append(m.attrs, a.attr)
	if a.operand != nil {
		m.operands = append(m.operands, a.operand)
	}
}
