package ir

import "github.com/oxideinfer/oxide/ir/op"

// CopyOption modifies CopyAsync: CA (the default) or CG, an L2Fetch size, a Policy, SourceBytes.
type CopyOption interface{ copy() access }

// BulkOption modifies a bulk or tensor copy: a Policy, for loads Multicast, and for tensor loads BoxBytes.
type BulkOption interface{ bulk() access }

// Padding says how much of a CopyAsync is read; see SourceBytes.
type Padding struct{ n *Value }

// SourceBytes copies only the first n bytes and fills the rest with zeros; what lies behind them is not read.
func SourceBytes(n U32) Padding { return Padding{use(n)} }

// Blocks is a set of blocks of the cluster; see Multicast.
type Blocks struct{ mask *Value }

// Multicast brings the data to every block whose rank's bit is set, at the same offset in its shared memory, and counts the
// bytes at the barrier at the same offset there.
func Multicast(mask U16) Blocks { return Blocks{use(mask)} }

// BoxBytes tells the verifier how many bytes the box of a tensor load has, which only the host knows that encodes the map.
// It then compares them with the bytes that the barrier expects and with the array's size.
type BoxBytes int

func (n BoxBytes) bulk() access { return access{attr: op.Attr{Name: "box_bytes", Int: int64(n)}} }

// Reduction is what a bulk or tensor reduction, or a ReduceAsync, does with each element.
type Reduction string

// Reductions.
const (
	RedAdd Reduction = "add"
	RedMin Reduction = "min"
	RedMax Reduction = "max"
	RedInc Reduction = "inc"
	RedDec Reduction = "dec"
	RedAnd Reduction = "and"
	RedOr  Reduction = "or"
	RedXor Reduction = "xor"
)

func (r Reduction) attr() op.Attr { return op.Attr{Name: "op", Text: string(r)} }
func (c CacheOp) copy() access    { return c.load() }
func (f L2Fetch) copy() access    { return f.load() }
func (p Policy) copy() access     { return p.load() }
func (n Padding) copy() access    { return access{attr: op.Attr{Name: "src_bytes"}, operand: n.n} }
func (p Policy) bulk() access     { return p.load() }
func (b Blocks) bulk() access     { return access{attr: op.Attr{Name: "multicast"}, operand: b.mask} }

// CopyAsync copies 4, 8 or 16 bytes from global to shared memory, aligned to their size. The copy belongs to the thread's
// next group, see CopyAsyncCommit. PTX: cp.async (ISA 9.7.9.25.3.1).
func CopyAsync[T Elem](dst Shared[T], src Global[T], bytes int, opts ...CopyOption) {
	o := optionSet{name: "cp_async", attrs: []op.Attr{{Name: "bytes", Int: int64(bytes)}}}
	for _, x := range opts {
		o.add(x.copy())
	}
	o.emit([]*Value{use(dst), use(src)})
}

// ArriveWhenCopied arrives at the barrier when this thread's CopyAsync so far are done. The arrival is one of those that
// Init counted. PTX: cp.async.mbarrier.arrive.noinc (ISA 9.7.13.15.15).
func (b MBarrier) ArriveWhenCopied() {
	emitNone("cp_async_arrive", []op.Attr{{Name: "noinc"}}, use(b.p))
}

// ArriveExtraWhenCopied is ArriveWhenCopied that raises the phase's count by the arrival that it will bring.
func (b MBarrier) ArriveExtraWhenCopied() { emitNone("cp_async_arrive", nil, use(b.p)) }

// BulkLoad copies bytes, a multiple of 16, from global to shared memory and counts them at full. Both addresses are 16-byte
// aligned. One thread copies for all. PTX: cp.async.bulk (ISA 9.7.9.25.4.1).
func BulkLoad[T Elem](dst Shared[T], src Global[T], bytes U32, full MBarrier, opts ...BulkOption) {
	o := bulkOptions("bulk_load", opts)
	o.emit([]*Value{use(dst), use(src), use(bytes), use(full.p)})
}

// BulkSend copies bytes to the shared memory of another block of the cluster and counts them at its barrier. PTX:
// cp.async.bulk (ISA 9.7.9.25.4.1).
func BulkSend[T Elem](dst SharedCluster[T], src Shared[T], bytes U32, full RemoteMBarrier) {
	emitNone("bulk_send", nil, use(dst), use(src), use(bytes), use(full.p))
}

// BulkStore copies bytes from shared to global memory; it belongs to the thread's bulk group, see BulkCommit. PTX:
// cp.async.bulk (ISA 9.7.9.25.4.1).
func BulkStore[T Elem](dst Global[T], src Shared[T], bytes U32, opts ...BulkOption) {
	o := bulkOptions("bulk_store", opts)
	o.emit([]*Value{use(dst), use(src), use(bytes)})
}

// BulkReduce combines bytes of shared memory into global memory, each element atomically; it belongs to the thread's bulk
// group. PTX: cp.reduce.async.bulk (ISA 9.7.9.25.4.2).
func BulkReduce[T Elem](what Reduction, dst Global[T], src Shared[T], bytes U32, opts ...BulkOption) {
	o := bulkOptions("bulk_reduce", opts)
	o.attrs = append(o.attrs, what.attr())
	o.emit([]*Value{use(dst), use(src), use(bytes)})
}

// BulkReduceSend combines bytes into the shared memory of another block and counts them at its barrier. PTX:
// cp.reduce.async.bulk (ISA 9.7.9.25.4.2).
func BulkReduceSend[T Elem](what Reduction, dst SharedCluster[T], src Shared[T], bytes U32, full RemoteMBarrier) {
	emitNone("bulk_reduce_send", []op.Attr{what.attr()}, use(dst), use(src), use(bytes), use(full.p))
}

// BulkPrefetch asks for bytes to be brought to L2. PTX: cp.async.bulk.prefetch.L2 (ISA 9.7.9.25.4.3).
func BulkPrefetch[T Elem](src Global[T], bytes U32, opts ...BulkOption) {
	o := bulkOptions("bulk_prefetch", opts)
	o.emit([]*Value{use(src), use(bytes)})
}

// ProxySpace is the memory that a FenceProxyAsync speaks of.
type ProxySpace string

// Memory that the generic and the async proxy share: all of it, or a part.
const (
	ProxyAll     ProxySpace = "all"
	ProxyGlobal  ProxySpace = "global"
	ProxyShared  ProxySpace = "shared::cta"
	ProxyCluster ProxySpace = "shared::cluster"
)

// FenceProxyAsync makes this thread's earlier ordinary accesses visible to bulk and tensor copies and to matrix instructions
// that read shared memory. Whoever writes shared memory for them calls it, before the barrier that announces the data. PTX:
// fence.proxy.async (ISA 9.7.13.4).
func (k *Kernel) FenceProxyAsync(space ProxySpace) {
	k.Emit("fence_proxy_async", []op.Attr{{Name: "space", Text: string(space)}}, nil)
}

// optionSet is an op with what its options add.
type optionSet struct {
	name  string
	attrs []op.Attr
	vals  map[string]*Value // operands of options by name
}

func bulkOptions(name string, opts []BulkOption) *optionSet {
	o := &optionSet{name: name}
	for _, x := range opts {
		o.add(x.bulk())
	}
	return o
}

func (o *optionSet) add(a access) {
	o.attrs = append(o.attrs, a.attr)
	if a.operand != nil {
		if o.vals == nil {
			o.vals = map[string]*Value{}
		}
		o.vals[a.attr.Name] = a.operand
	}
}

// emit appends the operands of options in the order of the op's signature. One that the op does not have is left out: its
// attribute is reported.
func (o *optionSet) emit(args []*Value) *Op {
	info, _ := op.ByName(o.name)
	for _, s := range info.Signature().Args {
		if v, ok := o.vals[s.Name]; s.Optional && ok {
			args = append(args, v)
		}
	}
	return owner(args...).Emit(o.name, o.attrs, nil, args...)
}
