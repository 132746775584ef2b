package oxrt

// DType is the element type of a tensor. The zero value is no type.
type DType uint8

// Element types. Bool is one byte, 0 or 1.
const (
	F64 DType = iota + 1
	F32
	F16
	BF16
	E4M3
	E5M2
	I64
	I32
	I16
	I8
	U64
	U32
	U16
	U8
	Bool
)

// dtypes is indexed by DType.
var dtypes = [...]struct {
	name string
	size int
}{
	{"none", 0},
	F64:  {"f64", 8},
	F32:  {"f32", 4},
	F16:  {"f16", 2},
	BF16: {"bf16", 2},
	E4M3: {"e4m3", 1},
	E5M2: {"e5m2", 1},
	I64:  {"i64", 8},
	I32:  {"i32", 4},
	I16:  {"i16", 2},
	I8:   {"i8", 1},
	U64:  {"u64", 8},
	U32:  {"u32", 4},
	U16:  {"u16", 2},
	U8:   {"u8", 1},
	Bool: {"bool", 1},
}

// DTypes lists every element type in declaration order.
func DTypes() []DType {
	all := make([]DType, 0, len(dtypes)-1)
	for d := F64; d <= Bool; d++ {
		all = append(all, d)
	}
	return all
}

// Valid reports whether d names an element type.
func (d DType) Valid() bool { return d >= F64 && d <= Bool }

// Size returns the bytes of one element, 0 for an invalid type.
func (d DType) Size() int {
	if int(d) >= len(dtypes) {
		return 0
	}
	return dtypes[d].size
}

// String returns the lower-case name, for example "bf16".
func (d DType) String() string {
	if !d.Valid() {
		return dtypes[0].name
	}
	return dtypes[d].name
}

// IsFloat reports whether d is a floating-point format.
func (d DType) IsFloat() bool { return d >= F64 && d <= E5M2 }

// ParseDType returns the type of a name that String prints.
func ParseDType(name string) (DType, bool) {
	for d := F64; d <= Bool; d++ {
		if dtypes[d].name == name {
			return d, true
		}
	}
	return 0, false
}
