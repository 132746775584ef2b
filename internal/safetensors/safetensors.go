package safetensors

import "fmt"

// DType is an element type by the name that the format gives it.
type DType string

// The element types of the format that kernels use.
const (
	F64  DType = "F64"
	F32  DType = "F32"
	F16  DType = "F16"
	BF16 DType = "BF16"
	E4M3 DType = "F8_E4M3"
	E5M2 DType = "F8_E5M2"
	I64  DType = "I64"
	I32  DType = "I32"
	I16  DType = "I16"
	I8   DType = "I8"
	U64  DType = "U64"
	U32  DType = "U32"
	U16  DType = "U16"
	U8   DType = "U8"
	Bool DType = "BOOL"
)

// Size is the size of an element in bytes, 0 for an unknown type.
func (t DType) Size() int {
	switch t {
	case F64, I64, U64:
		return 8
	case F32, I32, U32:
		return 4
	case F16, BF16, I16, U16:
		return 2
	case E4M3, E5M2, I8, U8, Bool:
		return 1
	}
	return 0
}

// Tensor is one tensor of a file.
type Tensor struct {
	Name  string
	DType DType
	Shape []int64
	Data  []byte // row-major, little-endian
}

// File is the content of a .safetensors file. Tensors are in the order of their data.
type File struct {
	Tensors  []Tensor
	Metadata map[string]string
}

// Find returns the tensor of a name, or nil.
func (f *File) Find(name string) *Tensor {
	for i := range f.Tensors {
		if f.Tensors[i].Name == name {
			return &f.Tensors[i]
		}
	}
	return nil
}

// Error says why bytes are not a .safetensors file. Name is the tensor concerned, if it is one.
type Error struct {
	Name   string
	Reason string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Name != "" {
		return fmt.Sprintf("safetensors: tensor %q: %s", e.Name, e.Reason)
	}
	return "safetensors: " + e.Reason
}

func fail(name, format string, args ...any) error {
	return &Error{Name: name, Reason: fmt.Sprintf(format, args...)}
}

// bytesOf is the size of a tensor, or false when it does not fit an int64.
func bytesOf(t DType, shape []int64) (int64, bool) {
	n := int64(t.Size())
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		if d != 0 && n > (1<<62)/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}
