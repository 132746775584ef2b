package golden

import "slices"

// mmaShapes are the mma.sync forms of the instruction table that are modelled.
func mmaShapes() (out []*Mma) {
	for _, k := range []int{8, 16} {
		out = append(out, &Mma{M: 16, N: 8, K: k, D: "f32", A: "f16", B: "f16"}, &Mma{M: 16, N: 8, K: k, D: "f16", A: "f16", B: "f16"},
			&Mma{M: 16, N: 8, K: k, D: "f32", A: "bf16", B: "bf16"})
	}
	out = append(out, &Mma{M: 16, N: 8, K: 4, D: "f32", A: "tf32", B: "tf32"}, &Mma{M: 16, N: 8, K: 8, D: "f32", A: "tf32", B: "tf32"})
	for _, a := range []string{"e4m3", "e5m2"} {
		for _, b := range []string{"e4m3", "e5m2"} {
			for _, d := range []string{"f32", "f16"} {
				out = append(out, &Mma{M: 16, N: 8, K: 16, D: d, A: a, B: b}, &Mma{M: 16, N: 8, K: 32, D: d, A: a, B: b})
			}
		}
	}
	for _, a := range []string{"s8", "u8"} {
		for _, b := range []string{"s8", "u8"} {
			for _, sat := range []bool{false, true} {
				out = append(out, &Mma{M: 8, N: 8, K: 16, D: "s32", A: a, B: b, Saturate: sat}, &Mma{M: 16, N: 8, K: 16, D: "s32", A: a, B: b, Saturate: sat},
					&Mma{M: 16, N: 8, K: 32, D: "s32", A: a, B: b, Saturate: sat})
			}
		}
	}
	return out
}

// wgmmaTypes are the type combinations of wgmma: D, A, B.
func wgmmaTypes() [][3]string {
	out := [][3]string{{"f32", "f16", "f16"}, {"f16", "f16", "f16"}, {"f32", "bf16", "bf16"}, {"f32", "tf32", "tf32"}}
	for _, a := range []string{"e4m3", "e5m2"} {
		for _, b := range []string{"e4m3", "e5m2"} {
			out = append(out, [3]string{"f32", a, b}, [3]string{"f16", a, b})
		}
	}
	for _, a := range []string{"s8", "u8"} {
		for _, b := range []string{"s8", "u8"} {
			out = append(out, [3]string{"s32", a, b})
		}
	}
	return out
}

// wgmmaLayouts cover every type with both places of A, and every layout with a few types.
func wgmmaLayouts() (out []*Wgmma) {
	for i, t := range wgmmaTypes() {
		n := []int{8, 16, 24, 32}[i%4]
		out = append(out, &Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: 128}, &Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: 128, Registers: true})
		if t[0] == "s32" {
			out = append(out, &Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: 64, Saturate: true})
			continue
		}
		out = append(out, &Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: 64, NegateA: true}, &Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: 32, NegateB: true, Registers: i%2 == 0},
			&Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: 0, DropC: true}, &Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: 128, NegateA: true, NegateB: true, Slice: 1})
	}
	for _, w := range []int{0, 32, 64, 128} {
		for _, t := range [][3]string{{"f32", "bf16", "bf16"}, {"f16", "f16", "f16"}, {"f32", "tf32", "tf32"}, {"f32", "e4m3", "e4m3"}, {"s32", "s8", "s8"}} {
			for slice := range max(1, w/32) {
				out = append(out, &Wgmma{N: map[bool]int{true: 48, false: 40}[t[0] == "s32"], D: t[0], A: t[1], B: t[2], Swizzle: w, Slice: slice})
			}
			if elementBytes(t[1]) != 2 {
				continue
			}
			for _, n := range []int{8, 16, 64, 72, 128} {
				out = append(out, &Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: w, MNMajorB: true}, &Wgmma{N: n, D: t[0], A: t[1], B: t[2], Swizzle: w, MNMajorB: true, Registers: true})
			}
			out = append(out, &Wgmma{N: 16, D: t[0], A: t[1], B: t[2], Swizzle: w, MNMajorA: true}, &Wgmma{N: 64, D: t[0], A: t[1], B: t[2], Swizzle: w, MNMajorA: true, MNMajorB: true})
		}
	}
	for _, n := range []int{48, 56, 80, 96, 104, 120, 136, 144, 160, 176, 192, 208, 224, 240, 248, 256} {
		out = append(out, &Wgmma{N: n, D: "f32", A: "bf16", B: "bf16", Swizzle: 128})
	}
	return append(out, baseOffsets()...)
}

// baseOffsets start inside a swizzle pattern and say so.
func baseOffsets() (out []*Wgmma) {
	for _, w := range []int{32, 64, 128} {
		for line := 1; line < w/16; line++ {
			out = append(out, &Wgmma{N: 16, D: "f32", A: "bf16", B: "bf16", Swizzle: w, Line: line, BaseOffset: line})
			out = append(out, &Wgmma{N: 64, D: "f32", A: "bf16", B: "bf16", Swizzle: w, Line: line, BaseOffset: line, MNMajorA: true, MNMajorB: true})
		}
	}
	return out
}

// seed is that of all inputs. Another one makes other cases, which have to be recorded again.
const seed = 20261130

// allKinds are the inputs of floating-point products, integerKinds those of integer ones.
var (
	allKinds     = []Kind{Near, Wide, Cancelling, LargeC, SmallC, Edge, Edge, Subnormal, ZeroHuge, Zeros, Special, Large, Integer, Underflow}
	integerKinds = []Kind{Near, Large, Integer}
)

func kindsOf(typ string) []Kind {
	if typ == "s8" || typ == "u8" {
		return integerKinds
	}
	return allKinds
}

// Tensor lists the cases of matrix instructions: every type with every kind of input, every layout of operands with
// integers and with values near one, chains, and descriptors whose base offset does not fit their start.
func Tensor() (out []*Case) {
	add := func(c *Case, suffix string) {
		c.Name += suffix
		c.Digest = suffix != "_kinds"
		out = append(out, c)
	}
	for _, m := range mmaShapes() {
		add(m.Case(seed, kindsOf(m.A)...), "_kinds")
		add(m.Case(seed+1, slices.Repeat(kindsOf(m.A), 8)...), "_many")
	}
	for _, t := range wgmmaTypes() {
		w := Wgmma{N: 8, D: t[0], A: t[1], B: t[2], Swizzle: 128}
		add(w.Case(seed, kindsOf(t[1])...), "_kinds")
		w.Registers, w.NegateA, w.DropC = true, t[0] != "s32", true
		add(w.Case(seed, kindsOf(t[1])...), "_kinds")
		w = Wgmma{N: 8, D: t[0], A: t[1], B: t[2], Swizzle: 64}
		add(w.Case(seed+1, slices.Repeat(kindsOf(t[1]), 4)...), "_many")
		if t[1] == t[2] {
			chain := Wgmma{N: 8, D: t[0], A: t[1], B: t[2], Swizzle: 128, Steps: 4}
			add(chain.Case(seed, Near, Cancelling), "_kinds")
		}
	}
	for _, w := range append(wgmmaLayouts(), oddBaseOffsets()...) {
		add(w.Case(seed, Integer, Near), "_layout")
	}
	return out
}

// oddBaseOffsets are descriptors whose base offset is not that of their start: the chip does something with them.
func oddBaseOffsets() (out []*Wgmma) {
	for _, w := range []int{32, 64, 128} {
		out = append(out, &Wgmma{N: 32, D: "f32", A: "f16", B: "f16", Swizzle: w, OddLeading: true})
		for _, p := range [][2]int{{1, 0}, {3, 0}, {5, 0}, {0, 1}, {0, 3}, {0, 6}, {2, 1}, {6, 3}} {
			out = append(out, &Wgmma{N: 16, D: "f32", A: "bf16", B: "bf16", Swizzle: w, Line: p[0], BaseOffset: p[1]})
		}
	}
	return out
}
