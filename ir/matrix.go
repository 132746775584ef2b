package ir

import "github.com/oxideinfer/oxide/ir/op"

// MMAShape is the shape of a warp's matrix product: rows of a, columns of b, length of the sum.
type MMAShape string

// Shapes of MMA.
const (
	M16N8K4  MMAShape = "m16n8k4"
	M16N8K8  MMAShape = "m16n8k8"
	M16N8K16 MMAShape = "m16n8k16"
	M16N8K32 MMAShape = "m16n8k32"
	M8N8K4   MMAShape = "m8n8k4" // f64
)

// MatrixOption modifies LoadMatrix and StoreMatrix.
type MatrixOption interface{ matrix() op.Attr }

// MatrixFlag is a MatrixOption.
type MatrixFlag string

// Transposed exchanges rows and columns of each 8×8 matrix.
const Transposed MatrixFlag = "trans"

func (f MatrixFlag) matrix() op.Attr { return op.Attr{Name: string(f)} }

// MMA is a·b + c of a warp. Each thread gives its registers of a, b and c, as the manual's figures of the shape lay them
// out. PTX: mma.sync (ISA 9.7.14.5.14).
func MMA[D, A, B Elem](shape MMAShape, at, bt MatrixType, a Vec[A], b Vec[B], c Vec[D]) Vec[D] {
	var t D
	args := append(append(useAll(a), useAll(b)...), useAll(c)...)
	k := owner(args...)
	attrs := []op.Attr{{Name: "shape", Text: string(shape)}, {Name: "a_type", Text: string(at)}, {Name: "b_type", Text: string(bt)}}
	return handles[D](k.Emit("mma", attrs, k.repeat(t.static(), len(c)), args...).Results)
}

// LoadMatrix loads n = 1, 2 or 4 matrices of 8×8 elements of 16 bits, one register of two elements a thread for each. Lanes
// 8i to 8i+7 give the addresses of matrix i's rows, 16 bytes each. PTX: ldmatrix (ISA 9.7.14.5.15).
func LoadMatrix[R, T Elem](p Shared[T], n int, opts ...MatrixOption) Vec[R] {
	var r R
	base, off := fold(use(p))
	k := owner(base)
	return handles[R](k.Emit("ldmatrix", matrixAttrs(off, opts), k.repeat(r.static(), n), base).Results)
}

// StoreMatrix stores 1, 2 or 4 matrices, laid out as LoadMatrix loads them. PTX: stmatrix (ISA 9.7.14.5.16).
func StoreMatrix[R, T Elem](p Shared[T], x Vec[R], opts ...MatrixOption) {
	base, off := fold(use(p))
	emitNone("stmatrix", matrixAttrs(off, opts), append([]*Value{base}, useAll(x)...)...)
}

func matrixAttrs(off int64, opts []MatrixOption) []op.Attr {
	attrs := []op.Attr{offset(off)}
	for _, o := range opts {
		attrs = append(attrs, o.matrix())
	}
	return attrs
}
