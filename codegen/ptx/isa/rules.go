package isa

import "strings"

// The rules that the words of Args cannot say.

// typeRule evaluates an operand type written @name.
func (f *Form) typeRule(name string) Type {
	t := f.Type("type")
	switch name {
	case "wide": // mul and mad: the double width with .wide
		if f.Mod("mode") == "wide" {
			return twice(t)
		}
		return t
	case "dot": // dp4a and dp2a: unsigned only if both factors are
		if f.Mod("atype") == "u32" && f.Mod("btype") == "u32" {
			return U32
		}
		return S32
	}
	if side, ok := strings.CutPrefix(name, "mma"); ok {
		return mmaType(f.Type(strings.ToLower(side) + "type"))
	}
	switch name {
	case "wgmmaD":
		return mmaType(f.Type("dtype"))
	case "wgmmaA": // as a register; as a descriptor it is b64
		return B32
	}
	return NoType
}

// mmaType is the register type that carries elements of a matrix operand.
func mmaType(t Type) Type {
	switch t {
	case F16:
		return F16X2
	case BF16:
		return BF16X2
	case F32, F64, S32:
		return t
	}
	return B32
}

// twice is the integer type of double width.
func twice(t Type) Type {
	switch t {
	case U16:
		return U32
	case U32:
		return U64
	case S16:
		return S32
	case S32:
		return S64
	}
	return NoType
}

// countRule evaluates a vector length written @name: the registers that each thread of the warp, or of the warpgroup,
// holds of a matrix.
func (f *Form) countRule(name string) int {
	m, n, k := shapeOf(f.Mod("shape"))
	var rows, cols, threads int
	var elem Type
	switch name {
	case "wgmmaD":
		rows, cols, threads, elem = m, n, 128, f.Type("dtype")
	case "mmaD":
		rows, cols, threads, elem = m, n, 32, f.Type("dtype")
	case "mmaC":
		rows, cols, threads, elem = m, n, 32, f.Type("ctype")
	case "mmaA":
		rows, cols, threads, elem = m, k, 32, f.Type("atype")
	case "mmaB":
		rows, cols, threads, elem = k, n, 32, f.Type("btype")
	default:
		return 0
	}
	bits, reg := elem.Bits(), 32
	switch elem {
	case TF32:
		bits = 32
	case F64:
		reg = 64
	}
	return max(1, rows*cols*bits/(threads*reg))
}

// shapeOf reads a matrix shape: m16n8k16.
func shapeOf(s string) (m, n, k int) {
	part := [3]int{}
	i := -1
	for _, c := range []byte(s) {
		switch {
		case c == 'm' || c == 'n' || c == 'k':
			i++
		case i >= 0 && i < 3 && c >= '0' && c <= '9':
			part[i] = part[i]*10 + int(c-'0')
		}
	}
	return part[0], part[1], part[2]
}
