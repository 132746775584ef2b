package op

import "fmt"

// MMAShapes are the shapes of warp-level products, rows of a and c, columns of b and c, and what is summed over.
var MMAShapes = []string{"m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m8n8k4"}

var mmaTypes = []string{"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "f64"}

// Matrix instructions of a warp (PTX ISA 9.7.14).
var matrix = []Info{
	{Name: "mma", Sig: "v:any* -> d:any*", Attrs: []AttrSpec{{Name: "shape", Kind: Enum, Values: MMAShapes, Required: true},
		{Name: "a_type", Kind: Enum, Values: mmaTypes, Required: true}, {Name: "b_type", Kind: Enum, Values: mmaTypes, Required: true}, {Name: "satfinite", Kind: Flag}},
		Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: Divergent,
		Doc: "returns a·b + c; its operands are the registers of a, then of b, then of c", PTX: "mma.sync", Section: "9.7.14.5.14"},
	{Name: "ldmatrix", Sig: "p:@shared -> v:any*", Attrs: []AttrSpec{Offset, {Name: "trans", Kind: Flag}}, Touches: []Touch{{"p", Reads}},
		Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: Divergent,
		Doc: "loads 1, 2 or 4 matrices of 8×8 elements of 16 bits; lanes 8i to 8i+7 give the addresses of the rows of matrix i", PTX: "ldmatrix", Section: "9.7.14.5.15"},
	{Name: "stmatrix", Sig: "p:@shared v:any*", Attrs: []AttrSpec{Offset, {Name: "trans", Kind: Flag}}, Touches: []Touch{{"p", Writes}}, Arch: SM90,
		Effects: warpWide, Converge: UniformWarp,
		Doc: "stores 1, 2 or 4 matrices of 8×8 elements of 16 bits, laid out as ldmatrix loads them", PTX: "stmatrix", Section: "9.7.14.5.16"},
	{Name: "movmatrix", Sig: "x:T -> T", Kinds: Of(U32, F16x2, BF16x2, S8x4), Effects: warpWide, Converge: UniformWarp, Uniform: Fixed, Level: Divergent,
		Doc: "returns the transpose of an 8×8 matrix of 16-bit elements that the warp holds", PTX: "movmatrix.trans", Section: "9.7.14.5.17", Method: "TransposeMatrix"},
}

// MMARegisters tells how many registers a thread holds of a, b and c of a warp's product: 32 bits each, 64 where the
// elements are f64.
func MMARegisters(shape, aType string, d Kind) (a, b, c int) {
	var m, n, k int
	if _, err := fmt.Sscanf(shape, "m%dn%dk%d", &m, &n, &k); err != nil {
		return 0, 0, 0
	}
	bits, reg := 32, 32
	switch aType {
	case "f16", "bf16":
		bits = 16
	case "e4m3", "e5m2", "s8", "u8":
		bits = 8
	case "f64":
		bits, reg = 64, 64
	}
	per := func(elems, bits, reg int) int { return max(1, elems*bits/(32*reg)) }
	return per(m*k, bits, reg), per(k*n, bits, reg), per(m*n, d.Elem().Bits(), max(reg, d.Bits()))
}
