package lower

import (
	"strconv"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/op"
)

const completesBytes = "mbarrier::complete_tx::bytes"

// window names the shared memory of this block or of the cluster. Instructions that came with Hopper always say which.
func window(p *ir.Value) string {
	if p.Type().Space == op.SharedCluster {
		return "shared::cluster"
	}
	return "shared::cta"
}

// slot is the address of a pointer operand.
func (e *emitter) slot(o *ir.Op, name string) ptx.Operand { return e.address(o.Arg(name), 0) }

// optional appends the operands of optional slots that are there.
func (e *emitter) optional(ops []ptx.Operand, o *ir.Op, names ...string) []ptx.Operand {
	for _, n := range names {
		if v := o.Arg(n); v != nil {
			ops = append(ops, e.use(v))
		}
	}
	return ops
}

func hinted(o *ir.Op) string {
	if o.Flag("policy") {
		return "L2::cache_hint"
	}
	return ""
}

func multicast(o *ir.Op) string {
	if o.Flag("multicast") {
		return "multicast::cluster"
	}
	return ""
}

// lowerCopyAsync spells the source size out where a policy follows it: PTX tells the two apart by position.
func lowerCopyAsync(e *emitter, o *ir.Op) {
	bytes := ptx.I(o.Int("bytes"))
	ops := []ptx.Operand{e.slot(o, "dst"), e.slot(o, "src"), bytes}
	if o.Flag("policy") && !o.Flag("src_bytes") {
		ops = append(ops, bytes)
	}
	mn := dots("cp.async", o.Enum("cache"), "shared::cta.global", hinted(o), prefixed("L2::", o.Enum("l2")))
	e.emit(mn, e.optional(ops, o, "src_bytes", "policy")...)
}

func lowerGroupWait(name string) func(*emitter, *ir.Op) {
	return func(e *emitter, o *ir.Op) { e.emit(name, ptx.I(o.Int("groups"))) }
}

func lowerCopyArrive(e *emitter, o *ir.Op) {
	e.emit(dots("cp.async.mbarrier.arrive", flag(o, "noinc"), "shared::cta.b64"), e.slot(o, "mbar"))
}

func lowerBulkLoad(e *emitter, o *ir.Op) {
	mn := dots("cp.async.bulk.shared::cluster.global", completesBytes, multicast(o), hinted(o))
	ops := []ptx.Operand{e.slot(o, "dst"), e.slot(o, "src"), e.use(o.Arg("bytes")), e.slot(o, "mbar")}
	e.emit(mn, e.optional(ops, o, "multicast", "policy")...)
}

func lowerBulkSend(e *emitter, o *ir.Op) {
	e.emit(dots("cp.async.bulk.shared::cluster.shared::cta", completesBytes),
		e.slot(o, "dst"), e.slot(o, "src"), e.use(o.Arg("bytes")), e.slot(o, "mbar"))
}

func lowerBulkStore(e *emitter, o *ir.Op) {
	ops := []ptx.Operand{e.slot(o, "dst"), e.slot(o, "src"), e.use(o.Arg("bytes"))}
	e.emit(dots("cp.async.bulk.global.shared::cta.bulk_group", hinted(o)), e.optional(ops, o, "policy")...)
}

// reductionType is the operation and type of a bulk reduction: bitwise ones work on bits, sums of 64-bit integers have no
// signed form, and sums of 16-bit floats say that they keep subnormals (PTX ISA 9.7.9.25.4.2).
func reductionType(o *ir.Op, k op.Kind) string {
	action := o.Enum("op")
	switch {
	case action == "and" || action == "or" || action == "xor":
		return dots(action, bitSuffix(k.Bits()))
	case action == "add" && op.Of(op.F16, op.BF16).Has(k):
		return dots("add.noftz", suffix(k))
	case action == "add" && k == op.S64:
		return "add.u64"
	case action == "inc" || action == "dec":
		return dots(action, "u32")
	}
	return dots(action, suffix(k))
}

func lowerBulkReduce(e *emitter, o *ir.Op) {
	ops := []ptx.Operand{e.slot(o, "dst"), e.slot(o, "src"), e.use(o.Arg("bytes"))}
	mn := dots("cp.reduce.async.bulk.global.shared::cta.bulk_group", hinted(o), reductionType(o, o.Arg("dst").Type().Elem))
	e.emit(mn, e.optional(ops, o, "policy")...)
}

func lowerBulkReduceSend(e *emitter, o *ir.Op) {
	e.emit(dots("cp.reduce.async.bulk.shared::cluster.shared::cta", completesBytes, reductionType(o, o.Arg("dst").Type().Elem)),
		e.slot(o, "dst"), e.slot(o, "src"), e.use(o.Arg("bytes")), e.slot(o, "mbar"))
}

func lowerBulkPrefetch(e *emitter, o *ir.Op) {
	ops := []ptx.Operand{e.slot(o, "src"), e.use(o.Arg("bytes"))}
	e.emit(dots("cp.async.bulk.prefetch.L2.global", hinted(o)), e.optional(ops, o, "policy")...)
}

// box is the tensor operand [map, {coordinates}].
func (e *emitter) box(o *ir.Op) ptx.Operand {
	a := ptx.At(e.reg(o.Arg("map")), 0)
	for _, c := range o.ArgsOf("c") {
		a.Coords = append(a.Coords, e.reg(c))
	}
	return a
}

func dims(o *ir.Op) string { return strconv.Itoa(len(o.ArgsOf("c"))) + "d" }

func lowerTensorLoad(e *emitter, o *ir.Op) {
	mn := dots("cp.async.bulk.tensor", dims(o), "shared::cluster.global.tile", completesBytes, multicast(o), hinted(o))
	ops := []ptx.Operand{e.slot(o, "dst"), e.box(o), e.slot(o, "mbar")}
	e.emit(mn, e.optional(ops, o, "multicast", "policy")...)
}

func lowerTensorStore(e *emitter, o *ir.Op) {
	mn := dots("cp.async.bulk.tensor", dims(o), "global.shared::cta.tile.bulk_group", hinted(o))
	e.emit(mn, e.optional([]ptx.Operand{e.box(o), e.slot(o, "src")}, o, "policy")...)
}

func lowerTensorReduce(e *emitter, o *ir.Op) {
	mn := dots("cp.reduce.async.bulk.tensor", dims(o), "global.shared::cta", o.Enum("op"), "tile.bulk_group", hinted(o))
	e.emit(mn, e.optional([]ptx.Operand{e.box(o), e.slot(o, "src")}, o, "policy")...)
}

func lowerTensorPrefetch(e *emitter, o *ir.Op) {
	mn := dots("cp.async.bulk.prefetch.tensor", dims(o), "L2.global.tile", hinted(o))
	e.emit(mn, e.optional([]ptx.Operand{e.box(o)}, o, "policy")...)
}

func lowerTensorMapPrefetch(e *emitter, o *ir.Op) {
	e.emit("prefetch.tensormap", ptx.At(e.reg(o.Args[0]), 0))
}

// lowerTensorMapAt gives the generic address that tensor instructions take.
func lowerTensorMapAt(e *emitter, o *ir.Op) {
	p := o.Args[0]
	if p.Type().Space == op.Generic {
		e.vals[o.Results[0]] = e.reg(p)
		return
	}
	e.emit("cvta.global.u64", e.def(o.Results[0]), e.reg(p))
}

func lowerFenceProxyAsync(e *emitter, o *ir.Op) {
	space := o.Enum("space")
	if space == "all" {
		space = ""
	}
	e.emit(dots("fence.proxy.async", space))
}

func lowerTensorMapRelease(e *emitter, o *ir.Op) {
	e.emit(dots("fence.proxy.tensormap::generic.release", o.Enum("scope")))
}

func lowerTensorMapAcquire(e *emitter, o *ir.Op) {
	e.emit(dots("fence.proxy.tensormap::generic.acquire", o.Enum("scope")), ptx.At(e.reg(o.Args[0]), 0), ptx.I(128))
}
