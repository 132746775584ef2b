package emulate

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// mapReplace is tensormap.replace: it changes one field of an encoded tensor map in memory (manual 9.7.9.28). The map is
// checked when it is used.
type mapReplace struct {
	place
	field string
	ord   int
	val   src
	valID int32
}

func decodeTensorMapOp(b *build) {
	if b.in.Form.Op() == "tensormap.cp_fenceproxy" {
		decodeCpFenceProxy(b)
		return
	}
	b.ignore("replace", "tile", "b1024", "b32", "b64")
	o := &mapReplace{place: b.place(b.need("addr"), TensorMapBytes)}
	o.field = b.oneOf("global_address", "rank", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode", "box_dim", "global_dim", "global_stride", "element_stride")
	if x, ok := b.arg("ord").(ptx.Int); ok {
		o.ord = int(x.Value)
	}
	o.val, o.valID = b.value(b.need("new_val"), isa.B64)
	b.inst.visible = true
	b.inst.exec = o.exec
}

func (o *mapReplace) exec(w *warp, in *inst, m uint32) {
	w.needDefined(o.id, in, m, "is an address")
	w.needDefined(o.valID, in, m, "is a field of a tensor map")
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t) & 31
		addr := w.val(o.base)[l] + o.off
		mem, _, global := w.locate(&o.place, addr, l)
		if mem == nil {
			w.badAccess(in, &o.place, addr, l, in.name())
			continue
		}
		if global && w.readOnly(in, &o.place, addr, l) {
			continue
		}
		if _, ok := decodeTensorMap(mem); !ok || addr%TensorMapBytes != 0 {
			w.bulkProblem(LaunchMap, in, l, fmt.Sprintf("the 128 bytes at address %#x are no tensor map, or not aligned to 128 bytes", addr))
			continue
		}
		if why := o.set(mem, w.val(o.val)[l]); why != "" {
			w.bulkProblem(LaunchMap, in, l, why)
		}
		w.run.progress++
	}
}

// replaceTypes are the numbers of the element types in tensormap.replace (manual 5.5.8), which are not the driver's.
var replaceTypes = []MapType{MapU8, MapU16, MapU32, MapS32, MapU64, MapS64, MapF16, MapF32, MapF32Ftz, MapF64, MapBF16, MapTF32, MapTF32Ftz}

// set writes the field. A value that no field can hold is refused.
func (o *mapReplace) set(b []byte, v uint64) (problem string) {
	le := binary.LittleEndian
	dims := 5
	if o.field == "global_stride" {
		dims = 4
	}
	if o.ord < 0 || o.ord >= dims {
		return fmt.Sprintf("dimension %d of .%s", o.ord, o.field)
	}
	v32 := uint64(uint32(v))
	bad := fmt.Sprintf("%d for .%s", v32, o.field)
	switch o.field {
	case "global_address":
		le.PutUint64(b[mapAtAddress:], v)
	case "global_stride":
		le.PutUint64(b[mapAtStrides+8*o.ord:], v)
	case "global_dim":
		le.PutUint32(b[mapAtDims+4*o.ord:], uint32(v32)-1)
	case "rank": // one less than the rank
		if v32 > 4 {
			return bad
		}
		b[mapAtRank] = byte(v32)
	case "box_dim":
		if v32 > 256 {
			return bad
		}
		le.PutUint16(b[mapAtBox+2*o.ord:], uint16(v32))
	case "element_stride":
		if v32 > 8 {
			return bad
		}
		b[mapAtSteps+o.ord] = byte(v32)
	case "elemtype":
		if v32 >= uint64(len(replaceTypes)) {
			return bad
		}
		b[mapAtType] = byte(replaceTypes[v32])
	default:
		at, limit := mapAtInterleave, uint64(2)
		switch o.field {
		case "swizzle_mode":
			at, limit = mapAtSwizzle, 3
		case "fill_mode":
			at, limit = mapAtFill, 1
		}
		if v32 > limit {
			return bad
		}
		b[at] = byte(v32)
	}
	return ""
}

// decodeCpFenceProxy copies a tensor map from shared to global memory, once for the warp, and releases it to the
// tensormap proxy (manual 9.7.13.16).
func decodeCpFenceProxy(b *build) {
	b.ignore("cp_fenceproxy", "global", "shared::cta", "tensormap::generic", "release", "cta", "cluster", "gpu", "sys", "sync", "aligned")
	dst, src := b.placeIn(b.need("dst"), isa.Global, TensorMapBytes), b.placeIn(b.need("src"), isa.Shared, TensorMapBytes)
	b.inst.visible = true
	all := b.d.p.constant(uint64(fullMask))
	b.inst.ctl = rendezvous(all, -1, func(w *warp, in *inst, m uint32) {
		w.needDefined(dst.id, in, m, "is an address")
		w.needDefined(src.id, in, m, "is an address")
		l := bits.TrailingZeros32(m) & 31
		to, from := w.val(dst.base)[l]+dst.off, w.val(src.base)[l]+src.off
		mem, shadow, _ := w.locate(&src, from, l)
		if mem == nil {
			w.badAccess(in, &src, from, l, in.name())
			return
		}
		out, outShadow, _ := w.locate(&dst, to, l)
		switch {
		case out == nil:
			w.badAccess(in, &dst, to, l, in.name())
			return
		case to%TensorMapBytes != 0 || from%TensorMapBytes != 0:
			w.misaligned(in, &dst, to|from, l, in.name())
			return
		case w.readOnly(in, &dst, to, l):
			return
		}
		copy(out, mem)
		giveShadow(outShadow, shadow)
		w.run.progress++
	})
}

// decodeDiscard drops 128 bytes from the cache: they have no value until somebody writes them (manual 9.7.9.17).
func decodeDiscard(b *build) {
	b.ignore("L2")
	p := b.place(b.need("a"), 128)
	b.inst.visible = true
	b.inst.exec = func(w *warp, in *inst, m uint32) {
		w.needDefined(p.id, in, m, "is an address")
		for t := m; t != 0; t &= t - 1 {
			l := bits.TrailingZeros32(t) & 31
			addr := w.val(p.base)[l] + p.off
			if addr%p.bytes != 0 {
				w.misaligned(in, &p, addr, l, in.name())
				continue
			}
			mem, _, global := w.locate(&p, addr, l)
			if mem == nil || !global {
				w.badAccess(in, &p, addr, l, in.name())
				continue
			}
			if !w.readOnly(in, &p, addr, l) {
				w.run.poison(span{nil, addr, p.bytes})
			}
		}
	}
}
