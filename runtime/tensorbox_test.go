package oxrt

import "testing"

func TestTensorBox(t *testing.T) {
	b := &TensorBox{DType: BF16, Rank: 3, Dims: [5]uint32{64, 128, 2}, Swizzle: Swizzle128B}
	c := LaunchContract{Params: []ParamInfo{{Name: "n", DType: U32}, {Name: "a", Box: b}}}
	if c.Box("a") != b || c.Box("n") != nil || c.Box("b") != nil {
		t.Error("Box does not find the parameter's box")
	}
	if n := b.Bytes(); n != 2*64*128*2 {
		t.Errorf("%d bytes", n)
	}
}
