package isa

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
	return NoType
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

// countRule evaluates a vector length written @name.
func (f *Form) countRule(name string) int {
	return 0
}
