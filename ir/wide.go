package ir

import "github.com/oxideinfer/oxide/ir/op"

// PTX moves at most four elements with one instruction on sm_90; eight of 8 or 16 bits travel as 32-bit words and are
// taken apart in registers.
const wideElements = 8

func travelsInWords(elem Type, n int) bool { return n == wideElements && elem.Bits() <= 16 }

func words(elem Type) int { return wideElements * elem.Bits() / 32 }

func asWords(p *Value) *Value {
	base, off := fold(p)
	cast := emitOne("ptr_cast", nil, Type{Kind: op.Ptr, Space: p.typ.Space, Elem: op.U32}, base)
	return atConst(cast, off)
}

// apart splits words into elements, lowest first.
func apart(list []*Value, elem Type) []*Value {
	var out []*Value
	half := map[Kind]Kind{op.U32: op.U16, op.U16: op.U8}
	for _, w := range list {
		if w.typ.Bits() == elem.Bits() {
			out = append(out, recast(w, elem))
			continue
		}
		t := scalar(half[w.typ.Kind])
		lo, hi := emitTwo("unpack", nil, t, t, w)
		out = append(out, apart([]*Value{lo, hi}, elem)...)
	}
	return out
}

// together joins elements to words.
func together(list []*Value) []*Value {
	if len(list) == 0 || list[0] == nil {
		return list
	}
	double := map[int]Kind{8: op.U16, 16: op.U32}
	unsigned := map[int]Kind{8: op.U8, 16: op.U16}
	n := list[0].typ.Bits()
	if n == 32 {
		return list
	}
	var out []*Value
	for i := 0; i+1 < len(list); i += 2 {
		t := scalar(unsigned[n])
		out = append(out, emitOne("pack", nil, scalar(double[n]), recast(list[i], t), recast(list[i+1], t)))
	}
	return together(out)
}

func recast(v *Value, t Type) *Value {
	if v == nil || v.bad || v.typ == t {
		return v
	}
	return emitOne("bitcast", nil, t, v)
}
