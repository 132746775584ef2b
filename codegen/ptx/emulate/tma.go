package emulate

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// smemBoxAlign is the alignment of a box in shared memory (manual 9.7.9.27.1.2).
const smemBoxAlign = 128

// tensorOp is cp.async.bulk.tensor, cp.reduce.async.bulk.tensor or a prefetch of a box in the tile mode.
type tensorOp struct {
	kind     tensorKind
	rank     int
	mapAt    place
	coords   []src
	coordIDs []int32
	smem     place
	signal   *barOperand
	reduce   string // operation of a reduction
}

type tensorKind uint8

const (
	tensorLoad tensorKind = iota
	tensorStore
	tensorPrefetch
)

func decodeTensor(b *build) {
	b.ignore("async", "bulk", "tensor", "reduce", "tile", "prefetch", "L2", "L2::*", "mbarrier::complete_tx::bytes", "bulk_group")
	o := &tensorOp{}
	for i, d := range []string{"1d", "2d", "3d", "4d", "5d"} {
		if b.has(d) {
			o.rank = i + 1
		}
	}
	sp := b.spaces()
	x := b.need("tensorMap")
	a, ok := x.(ptx.Addr)
	if !ok || len(a.Coords) != o.rank {
		b.fail("a tensor address with %d coordinates", len(a.Coords))
		return
	}
	o.mapAt = b.placeIn(ptx.Addr{Base: a.Base, Off: a.Off}, isa.Generic, TensorMapBytes)
	for _, c := range a.Coords {
		s, id := b.value(c, isa.S32)
		o.coords, o.coordIDs = append(o.coords, s), append(o.coordIDs, id)
	}
	switch b.in.Form.Op() {
	case "cp.async.bulk.prefetch.tensor":
		o.kind = tensorPrefetch
	case "cp.reduce.async.bulk.tensor":
		o.kind = tensorStore
		o.reduce = b.oneOf("and", "or", "xor", "add", "inc", "dec", "min", "max")
		o.smem = b.placeIn(b.need("srcMem"), sp[1], 0)
	default:
		if b.arg("dstMem") != nil {
			o.smem = b.placeIn(b.need("dstMem"), sp[0], 0)
			o.signal = b.barOperand()
		} else {
			o.kind = tensorStore
			o.smem = b.placeIn(b.need("srcMem"), sp[1], 0)
		}
	}
	b.inst.visible = true
	b.inst.exec = o.exec
}

func (o *tensorOp) exec(w *warp, in *inst, m uint32) {
	w.needDefined(o.mapAt.id, in, m, "is the address of a tensor map")
	for _, id := range o.coordIDs {
		w.needDefined(id, in, m, "is a coordinate")
	}
	if o.kind != tensorPrefetch {
		w.needDefined(o.smem.id, in, m, "is an address")
	}
	for t := m; t != 0; t &= t - 1 {
		o.lane(w, in, bits.TrailingZeros32(t)&31)
	}
}

// lane starts the copy of one lane.
func (o *tensorOp) lane(w *warp, in *inst, l int) {
	m, ok := w.tensorMapAt(in, &o.mapAt, w.val(o.mapAt.base)[l]+o.mapAt.off, l, o.rank)
	if !ok {
		return
	}
	var at [5]int32
	for i, c := range o.coords {
		at[i] = int32(uint32(w.val(c)[l]))
	}
	if !o.coordinates(w, in, l, &m, at) || o.kind == tensorPrefetch {
		return
	}
	_, size := m.extents()
	addr := w.val(o.smem.base)[l] + o.smem.off
	p := o.smem
	p.bytes = uint64(size)
	if addr%smemBoxAlign != 0 {
		p.bytes = smemBoxAlign
		w.misaligned(in, &p, addr, l, in.name()+" in shared memory")
		return
	}
	verb := "write"
	if o.kind == tensorStore {
		verb = "read"
	}
	smem, ok := w.bulkSpan(in, &p, addr, m.extent(addr, size), l, verb)
	if !ok {
		return
	}
	smem.n = uint64(size)
	if o.kind == tensorLoad {
		for _, t := range w.targets(in, o.signal, smem, l) {
			w.loadBox(in, l, m, at, t, size)
		}
		return
	}
	if c, ok := o.combiner(w, in, l, &m); ok {
		w.storeBox(in, l, m, at, smem, c)
	}
}

// coordinates checks what the copy engine demands of a start.
func (o *tensorOp) coordinates(w *warp, in *inst, l int, m *TensorMap, at [5]int32) bool {
	if n := int(at[0]) * m.elemBytes(); n%16 != 0 {
		w.bulkProblem(BulkCoord, in, l, fmt.Sprintf("the box starts at element %d of dimension 0, which is byte %d: it must be a multiple of 16, or the chip stops with an illegal instruction", at[0], n))
		return false
	}
	if i := slices.IndexFunc(at[:], func(c int32) bool { return c < 0 }); i >= 0 && o.kind == tensorStore {
		w.bulkProblem(BulkCoord, in, l, fmt.Sprintf("a store to a box that starts at %d in dimension %d: stores take no negative start", at[i], i))
		return false
	}
	return true
}

// tensorMapAt reads the map that a lane names.
func (w *warp) tensorMapAt(in *inst, p *place, addr uint64, l, rank int) (m TensorMap, ok bool) {
	mem, _, global := w.locate(p, addr, l)
	if mem == nil {
		w.badAccess(in, p, addr, l, "read of a tensor map")
		return m, false
	}
	problem := func(format string, args ...any) (TensorMap, bool) {
		w.bulkProblem(LaunchMap, in, l, fmt.Sprintf(format, args...))
		return m, false
	}
	if addr%64 != 0 {
		return problem("a tensor map at address %#x, which is no multiple of 64", addr)
	}
	if m, ok = decodeTensorMap(mem); !ok {
		return problem("the 128 bytes at address %#x are no tensor map", addr)
	}
	if err := m.Check(); err != nil {
		return problem("the tensor map at address %#x: %v", addr, err)
	}
	if m.Rank != rank {
		return problem("a tensor map of rank %d for an instruction of rank %d", m.Rank, rank)
	}
	if base, _ := w.run.globalAt(m.Address, 1); base == nil {
		return problem("the tensor of the map starts at %#x, which is %s", m.Address, w.run.l.dev.describe(m.Address, 1))
	}
	if global {
		w.mapFenced(in, l, addr)
	}
	return m, true
}

// rowSpan checks that the bytes of a row that are in bounds of the tensor are in bounds of memory.
func (w *warp) rowSpan(in *inst, l int, r boxRow, verb string) bool {
	if mem, _ := w.run.globalAt(r.addr, uint64(r.bytes)); mem != nil {
		return true
	}
	p := place{space: isa.Global, bytes: uint64(r.bytes)}
	w.badAccess(in, &p, r.addr, l, verb+" of a row of the box")
	return false
}

// loadBox issues the copy of a box to one block.
func (w *warp) loadBox(in *inst, l int, m TensorMap, at [5]int32, t bulkTarget, size int) {
	r := w.run
	var from []span
	good := true
	m.rows(at, func(row boxRow) {
		if row.bytes > 0 {
			good = good && w.rowSpan(in, l, row, "read")
			from = append(from, span{nil, row.addr, uint64(row.bytes)})
		}
	})
	if !good {
		return
	}
	to := m.footprint(t.to)
	w.checkTargets(in, l, to, nil)
	op := &asyncOp{kind: asyncBulk, warp: w, lanes: 1 << l, in: in, reads: joinSpans(from), writes: to}
	data, shadow := make([]byte, size), make([]byte, size)
	op.take = func() {
		m.fill(data)
		fill(shadow, shadowWritten)
		m.rows(at, func(row boxRow) {
			if row.bytes > 0 {
				mem, sh := r.globalAt(row.addr, uint64(row.bytes))
				copy(data[row.at+row.skip:], mem)
				copy(shadow[row.at+row.skip:], sh)
				m.convert(data[row.at+row.skip:][:row.bytes])
			}
		})
	}
	op.give = func() { w.giveBox(op, t.to, &m, data, shadow) }
	w.enlist(op, t.bar, size)
}

// extent is how many bytes of shared memory a box of size bytes reaches over.
func (m *TensorMap) extent(addr uint64, size int) uint64 {
	last := addr
	for i := max(0, size-int(m.Box[0])*m.elemBytes()); i < size; i += 16 {
		last = max(last, m.chunk(addr, i))
	}
	return last + 16 - addr
}

// footprint is the shared memory that a box lies in.
func (m *TensorMap) footprint(s span) []span {
	if n := m.Swizzle.span(); n == 0 || int(m.Box[0])*m.elemBytes() == n { // whole spans keep their place
		return []span{s}
	}
	var out []span
	for i := 0; i < int(s.n); i += 16 {
		out = append(out, span{s.cta, m.chunk(s.addr, i), 16})
	}
	return joinSpans(out)
}

// giveBox writes a dense box to shared memory, 16 bytes at a time where the map puts them.
func (w *warp) giveBox(op *asyncOp, to span, m *TensorMap, data, shadow []byte) {
	if to.cta.liveWarps == 0 && to.cta != w.cta {
		w.giveTo(op, to, nil, nil, nil) // reports it
		return
	}
	for i := 0; i < len(data); i += 16 {
		mem, sh := to.cta.sharedAt(m.chunk(to.addr, i), 16)
		if mem == nil {
			continue // in the memory of a block that declares less: reported at the issue
		}
		copy(mem, data[i:i+16])
		giveShadow(sh, shadow[i:i+16])
	}
}

// storeBox issues the copy of a box from shared to global memory, or its reduction.
func (w *warp) storeBox(in *inst, l int, m TensorMap, at [5]int32, smem span, c *combiner) {
	var to []span
	good := true
	m.storedRows(at, func(row boxRow) {
		if row.bytes > 0 {
			good = good && w.rowSpan(in, l, row, "write")
			to = append(to, span{nil, row.addr, uint64(row.bytes)})
		}
	})
	if !good {
		return
	}
	if len(to) > 0 && w.run.last != nil && w.run.last.readOnly {
		p := place{space: isa.Global}
		w.readOnly(in, &p, to[0].addr, l)
		return
	}
	w.checkTargets(in, l, to, c)
	op := &asyncOp{kind: asyncBulk, warp: w, lanes: 1 << l, in: in, reads: m.footprint(smem), writes: joinSpans(slices.Clone(to)), combines: c != nil}
	data, shadow := make([]byte, smem.n), make([]byte, smem.n)
	op.take = func() {
		for i := 0; i < len(data); i += 16 {
			if mem, sh := smem.cta.sharedAt(m.chunk(smem.addr, i), 16); mem != nil {
				copy(data[i:], mem)
				copy(shadow[i:], sh)
			}
		}
		if w.run.initcheck {
			m.storedRows(at, func(row boxRow) {
				w.sourceDefined(op, l, shadow[row.at+row.skip:row.at+row.skip+row.bytes])
			})
		}
	}
	op.give = func() {
		m.storedRows(at, func(row boxRow) {
			if row.bytes > 0 {
				i := row.at + row.skip
				w.giveTo(op, span{nil, row.addr, uint64(row.bytes)}, data[i:i+row.bytes], shadow[i:i+row.bytes], c)
			}
		})
	}
	w.enlist(op, nil, 0)
}

// tensorReductions lists the element types of each operation (manual 9.7.9.27.1.3).
var tensorReductions = map[string][]MapType{
	"add": {MapU32, MapS32, MapU64, MapF32, MapF16, MapBF16},
	"min": {MapU32, MapS32, MapU64, MapS64, MapF16, MapBF16}, "max": {MapU32, MapS32, MapU64, MapS64, MapF16, MapBF16},
	"inc": {MapU32}, "dec": {MapU32},
	"and": {MapU32, MapS32, MapU64, MapS64}, "or": {MapU32, MapS32, MapU64, MapS64}, "xor": {MapU32, MapS32, MapU64, MapS64},
}

// combiner is the reduction on the elements of a map; nil for a plain store. Floating-point addition keeps subnormals.
func (o *tensorOp) combiner(w *warp, in *inst, l int, m *TensorMap) (*combiner, bool) {
	if o.reduce == "" {
		return nil, true
	}
	if !slices.Contains(tensorReductions[o.reduce], m.Type) {
		w.bulkProblem(LaunchMap, in, l, fmt.Sprintf("a reduction .%s on a tensor map whose elements are .%s", o.reduce, mapTypes[m.Type]))
		return nil, false
	}
	t := mapTypes[m.Type]
	if o.reduce == "and" || o.reduce == "or" || o.reduce == "xor" {
		t = isa.B32
		if m.elemBytes() == 8 {
			t = isa.B64
		}
	}
	f := atomicFunc(o.reduce, t)
	return &combiner{elem: m.elemBytes(), shared: f, global: f}, true
}
