package ir

import "github.com/oxideinfer/oxide/ir/op"

// MBarrier is an mbarrier in this block's shared memory: it counts arrivals and bytes, phase after phase. Phases alternate
// between parity 0 and 1; a wait for parity 1 on a new barrier succeeds at once (PTX ISA 9.7.13.15).
type MBarrier struct{ p Shared[U64] }

// RemoteMBarrier is an mbarrier of some block of the cluster. It can be signalled, not waited for.
type RemoteMBarrier struct{ p SharedCluster[U64] }

// MBarriers declares n barriers in static shared memory. Each must be initialised before it is used.
func MBarriers(k *Kernel, name string, n int) MBarrier {
	return MBarrier{SharedArray[U64](k, name, n, 8)}
}

// MBarrierAt is the barrier at an address, for instance in dynamic shared memory.
func MBarrierAt(p Shared[U64]) MBarrier { return MBarrier{p} }

// At is the barrier i further.
func (b MBarrier) At(i Index) MBarrier { return MBarrier{b.p.At(i)} }

// AtConst is the barrier n further, n a build value.
func (b MBarrier) AtConst(n int) MBarrier { return MBarrier{b.p.AtConst(n)} }

// Pointer is the barrier's address.
func (b MBarrier) Pointer() Shared[U64] { return b.p }

// InBlock is the same barrier in the block of that rank in the cluster. PTX: mapa (ISA 9.7.9.23).
func (b MBarrier) InBlock(rank U32) RemoteMBarrier { return RemoteMBarrier{b.p.InBlock(rank)} }

// InCluster is the barrier itself, as one of the cluster's.
func (b MBarrier) InCluster() RemoteMBarrier { return RemoteMBarrier{b.p.InCluster()} }

// ArriveOption modifies an arrival: Release (the default) or Relaxed, ScopeBlock (the default) or ScopeCluster, ArriveCount,
// Drop, NoComplete.
type ArriveOption interface{ arrive() access }

// WaitOption modifies a wait: Acquire (the default) or Relaxed, ScopeBlock (the default) or ScopeCluster, SuspendHint.
type WaitOption interface{ wait() access }

// ArrivalFlag is an ArriveOption.
type ArrivalFlag string

// Arrivals that leave the later phases, and such that promise not to end this one.
const (
	Drop       ArrivalFlag = "drop"
	NoComplete ArrivalFlag = "no_complete"
)

// Arrivals is a number of arrivals at once; see ArriveCount.
type Arrivals struct{ n *Value }

// ArriveCount arrives n times at once.
func ArriveCount(n U32) Arrivals { return Arrivals{use(n)} }

// SuspendHint is how long, in nanoseconds, a wait may suspend the thread before it looks again.
type SuspendHint int

func (f ArrivalFlag) arrive() access { return access{attr: op.Attr{Name: string(f)}} }
func (n Arrivals) arrive() access    { return access{attr: op.Attr{Name: "count"}, operand: n.n} }
func (s Order) arrive() access       { return s.load() }
func (s Scope) arrive() access       { return s.load() }
func (s Order) wait() access         { return s.load() }
func (s Scope) wait() access         { return s.load() }
func (h SuspendHint) wait() access   { return access{attr: op.Attr{Name: "hint_ns", Int: int64(h)}} }

// Init makes a barrier whose phases each take count arrivals. One thread does it; a barrier of the block must follow
// before others use it, and FenceMBarrierInit before it where copies or other blocks do.
func (b MBarrier) Init(count U32) { emitNone("mbarrier_init", nil, use(b.p), use(count)) }

// Invalidate ends the barrier, so that its memory may be used for other things.
func (b MBarrier) Invalidate() { emitNone("mbarrier_inval", nil, use(b.p)) }

// Arrive counts one arrival.
func (b MBarrier) Arrive(opts ...ArriveOption) { arrive("mbarrier_arrive", use(b.p), nil, nil, opts) }

// ArriveState is Arrive and returns the state of the phase, for WaitState.
func (b MBarrier) ArriveState(opts ...ArriveOption) U64 {
	return U64{arrive("mbarrier_arrive", use(b.p), nil, stated, opts).Result()}
}

// ArriveExpect adds bytes, which copies will bring, to what the phase waits for and arrives once.
func (b MBarrier) ArriveExpect(bytes U32, opts ...ArriveOption) {
	arrive("mbarrier_arrive_tx", use(b.p), []*Value{use(bytes)}, nil, opts)
}

// ArriveExpectState is ArriveExpect and returns the state of the phase, for WaitState.
func (b MBarrier) ArriveExpectState(bytes U32, opts ...ArriveOption) U64 {
	return U64{arrive("mbarrier_arrive_tx", use(b.p), []*Value{use(bytes)}, stated, opts).Result()}
}

// ExpectBytes adds bytes to what the phase waits for, without an arrival.
func (b MBarrier) ExpectBytes(bytes U32) {
	emitNone("mbarrier_expect_tx", nil, use(b.p), use(bytes))
}

// CompleteBytes counts bytes as arrived without a copy: the part of an expected size that is not copied.
func (b MBarrier) CompleteBytes(bytes U32) {
	emitNone("mbarrier_complete_tx", nil, use(b.p), use(bytes))
}

// Wait waits until the phase of that parity has ended.
func (b MBarrier) Wait(parity U32, opts ...WaitOption) {
	emitNone("mbarrier_wait_parity", waitAttrs(opts), use(b.p), use(parity))
}

// WaitState waits until the phase in which ArriveState gave the state has ended.
func (b MBarrier) WaitState(state U64, opts ...WaitOption) {
	emitNone("mbarrier_wait_state", waitAttrs(opts), use(b.p), use(state))
}

// TryWait tells whether the phase of that parity has ended; it may suspend the thread for a while first.
func (b MBarrier) TryWait(parity U32, opts ...WaitOption) Pred {
	return b.test("mbarrier_try_parity", use(parity), opts)
}

// TryWaitState is TryWait for a state.
func (b MBarrier) TryWaitState(state U64, opts ...WaitOption) Pred {
	return b.test("mbarrier_try_state", use(state), opts)
}

// TestWait tells whether the phase of that parity has ended, at once.
func (b MBarrier) TestWait(parity U32, opts ...WaitOption) Pred {
	return b.test("mbarrier_test_parity", use(parity), opts)
}

// TestWaitState is TestWait for a state.
func (b MBarrier) TestWaitState(state U64, opts ...WaitOption) Pred {
	return b.test("mbarrier_test_state", use(state), opts)
}

func (b MBarrier) test(name string, phase *Value, opts []WaitOption) Pred {
	return Pred{emitOne(name, waitAttrs(opts), scalar(op.Pred), use(b.p), phase)}
}

// PendingArrivals is how many arrivals were missing in a state.
func PendingArrivals(state U64) U32 {
	return U32{emitOne("mbarrier_pending", nil, scalar(op.U32), use(state))}
}

// Arrive counts one arrival in the other block. Its order reaches the cluster unless an option says otherwise.
func (b RemoteMBarrier) Arrive(opts ...ArriveOption) {
	arrive("mbarrier_arrive", use(b.p), nil, nil, acrossBlocks(opts))
}

// ArriveExpect adds bytes to what the other block's phase waits for and arrives once.
func (b RemoteMBarrier) ArriveExpect(bytes U32, opts ...ArriveOption) {
	arrive("mbarrier_arrive_tx", use(b.p), []*Value{use(bytes)}, nil, acrossBlocks(opts))
}

// ExpectBytes adds bytes to what the other block's phase waits for, without an arrival.
func (b RemoteMBarrier) ExpectBytes(bytes U32) {
	emitNone("mbarrier_expect_tx", []op.Attr{ScopeCluster.load().attr}, use(b.p), use(bytes))
}

// CompleteBytes counts bytes as arrived in the other block without a copy.
func (b RemoteMBarrier) CompleteBytes(bytes U32) {
	emitNone("mbarrier_complete_tx", []op.Attr{ScopeCluster.load().attr}, use(b.p), use(bytes))
}

// stated asks an arrival for the phase's state.
var stated = []op.Attr{{Name: "state"}}

func acrossBlocks(opts []ArriveOption) []ArriveOption {
	for _, o := range opts {
		if _, ok := o.(Scope); ok {
			return opts
		}
	}
	return append(opts[:len(opts):len(opts)], ScopeCluster)
}

func arrive(name string, bar *Value, args []*Value, attrs []op.Attr, opts []ArriveOption) *Op {
	m := memOp{attrs: attrs[:len(attrs):len(attrs)]}
	for _, o := range opts {
		m.add(o.arrive())
	}
	var results []Type
	if attrs != nil {
		results = []Type{scalar(op.U64)}
	}
	return owner(bar).Emit(name, m.attrs, results, append(append([]*Value{bar}, args...), m.operands...)...)
}

func waitAttrs(opts []WaitOption) []op.Attr {
	var m memOp
	for _, o := range opts {
		m.add(o.wait())
	}
	return m.attrs
}
