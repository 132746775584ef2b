package ir

import (
	"fmt"

	"github.com/oxideinfer/oxide/ir/op"
)

// matrices checks shapes and types of matrix instructions, and the bounds of register arrays.
func (c *checker) matrices(o *Op) {
	switch o.Info.Name {
	case "wgmma", "wgmma_rs":
		c.warpgroupProduct(o)
	case "matrix_desc":
		c.descriptor(o)
	case "mma":
		c.warpProduct(o)
	case "ldmatrix":
		c.eightByEight(o, o.Results)
	case "stmatrix":
		c.eightByEight(o, o.Args[1:])
	case "reg_read":
		c.inFragment(o, o.Args[0], len(o.Results))
	case "reg_write":
		c.inFragment(o, o.Args[0], len(o.Args)-1)
	case "wgmma_wait":
		c.within(o, "groups", 0, 7)
	case "cp_async_wait", "bulk_wait", "bulk_wait_read":
		c.within(o, "groups", 0, 1<<16)
	case "mbarrier_init":
		if n := o.Args[1]; n.IsConst() && (n.Bits() == 0 || n.Bits() > maxArrivals) {
			c.at(o, CodeArrivals, "count at least one arrival", "an mbarrier of %d arrivals", n.Bits())
		}
	case "in_warps":
		c.roleBounds(o)
	}
}

const maxArrivals = 1<<20 - 1 // of an mbarrier (PTX ISA 9.7.13.15.2)

func (c *checker) shape(o *Op, fix, format string, args ...any) {
	c.at(o, CodeMatrixShape, fix, format, args...)
}

func (c *checker) inFragment(o *Op, f *Value, n int) {
	first := o.Int("first")
	if f.kind != ArrayValue {
		c.shape(o, "name the fragment itself", "%s is no register array", f)
		return
	}
	if size := c.k.Arrays[f.index].Count; n < 1 || first < 0 || int(first)+n > size {
		c.shape(o, "stay inside of the fragment", "registers %d to %d of a fragment of %d", first, int(first)+n-1, size)
	}
}

// warpgroupProduct checks the combinations of PTX ISA 9.7.15.2 and 9.7.15.5.2.
func (c *checker) warpgroupProduct(o *Op) {
	at, bt, n := o.Enum("a_type"), o.Enum("b_type"), int(o.Int("n"))
	d := o.Args[0]
	c.inFragment(o, d, 1)
	if d.kind != ArrayValue {
		return
	}
	integer := at == "s8" || at == "u8"
	step := 8
	if integer && n > 32 {
		step = 16
	}
	if n < 8 || n > 256 || n%step != 0 {
		c.shape(o, "use a multiple of 8 up to 256, for integers above 32 of 16", "an accumulator of %d columns", n)
	}
	k := d.typ.Elem
	if have := c.k.Arrays[d.index].Count * 2 * k.Lanes(); have != n {
		c.shape(o, "give the accumulator 64·n/128 registers", "%d registers of %s hold %d columns, not %d", c.k.Arrays[d.index].Count, k, have, n)
	}
	if !paired8(at, bt) {
		c.shape(o, "convert one of them", "factors of %s and %s", at, bt)
	}
	if want := accumulators(at); !want.Has(k) {
		c.shape(o, fmt.Sprintf("accumulate in one of %v", want.List()), "%s factors are not summed in %s", at, k)
	}
	if narrow := at != "f16" && at != "bf16"; narrow && (o.Flag("trans_a") || o.Flag("trans_b")) {
		c.shape(o, "store the tile with the summed dimension innermost", "only f16 and bf16 tiles can be transposed, not %s", at)
	}
	if integer && (o.Flag("neg_a") || o.Flag("neg_b")) || !integer && o.Flag("satfinite") {
		c.at(o, CodeBadAttribute, "leave it out", "negation exists on floats, saturation on integers")
	}
	if o.Flag("zero") && o.Flag("scale_d") {
		c.at(o, CodeBadAttribute, "use one of them", "ir.ZeroD excludes ir.AddWhere")
	}
	if o.Info.Name == "wgmma_rs" {
		c.inFragment(o, o.Args[1], 4)
		if o.Args[1].typ.Elem.Bits() != 32 {
			c.shape(o, "pack the factor", "a factor in registers of %s", o.Args[1].typ.Elem)
		}
	}
}

// paired8 tells whether the factors' types go together: equal, or both floats or both integers of 8 bits.
func paired8(a, b string) bool {
	float8 := func(t string) bool { return t == "e4m3" || t == "e5m2" }
	byteInt := func(t string) bool { return t == "s8" || t == "u8" }
	return a == b || float8(a) && float8(b) || byteInt(a) && byteInt(b)
}

// accumulators are the kinds in which products of a type are summed.
func accumulators(t string) op.KindSet {
	switch t {
	case "f16", "e4m3", "e5m2":
		return op.Of(op.F32, op.F16x2)
	case "s8", "u8":
		return op.Of(op.S32)
	case "f64":
		return op.Of(op.F64)
	}
	return op.Of(op.F32)
}

// descriptor checks that a tile starts where its swizzle pattern does, and that its offsets fit their fields.
func (c *checker) descriptor(o *Op) {
	span := Swizzle(o.Enum("swizzle")).Span()
	a := c.alignment(o.Args[0], 0)
	anchor := int64(span)
	if o.Int("base") != 0 || span > 16 { // a step of the sum moves inside of the pattern, by 16 bytes at least
		anchor = 16
	}
	if g := gcd(a.mod, anchor); a.rem%g != 0 {
		c.at(o, CodeTileMisaligned, "start at a multiple of 16 bytes", "the tile starts at %d modulo %d", mod(a.rem, g), g)
	} else if root := c.roots.root(o.Args[0]); root != nil && root.kind == ArrayValue && c.k.Arrays[root.index].Align < span {
		c.at(o, CodeTileMisaligned, "align the array to the span of the swizzle, or set BaseOffset", "array %s is aligned to %d bytes, a swizzle of %s repeats every %d",
			root.name, c.k.Arrays[root.index].Align, o.Enum("swizzle"), span)
	}
	for _, name := range []string{"lbo", "sbo"} {
		if n := o.Int(name); n < 0 || n%16 != 0 || n >= 1<<18 {
			c.at(o, CodeTileMisaligned, "use multiples of 16 below 262144", "%s=%d does not fit a matrix descriptor", name, n)
		}
	}
	c.within(o, "base", 0, 7)
}

// warpProduct checks shapes, types and register counts of mma.sync (PTX ISA 9.7.14.5).
func (c *checker) warpProduct(o *Op) {
	shape, at, bt := o.Enum("shape"), o.Enum("a_type"), o.Enum("b_type")
	if len(o.Results) == 0 {
		c.shape(o, "give it an accumulator", "a product without a result")
		return
	}
	d := o.Results[0].typ.Kind
	shapes := map[string]string{"f16": "m16n8k8 m16n8k16", "bf16": "m16n8k8 m16n8k16", "tf32": "m16n8k4 m16n8k8", "e4m3": "m16n8k16 m16n8k32",
		"e5m2": "m16n8k16 m16n8k32", "s8": "m16n8k16 m16n8k32", "u8": "m16n8k16 m16n8k32", "f64": "m8n8k4 m16n8k4 m16n8k8 m16n8k16"}
	if !hasWord(shapes[at], shape) || !paired8(at, bt) {
		c.shape(o, "use one of "+shapes[at], "no product of %s and %s in the shape %s", at, bt, shape)
		return
	}
	if !accumulators(at).Has(d) {
		c.shape(o, fmt.Sprintf("accumulate in one of %v", accumulators(at).List()), "%s factors are not summed in %s", at, d)
		return
	}
	na, nb, nc := op.MMARegisters(shape, at, d)
	if len(o.Args) != na+nb+nc || len(o.Results) != nc {
		c.shape(o, fmt.Sprintf("give %d registers of a, %d of b and %d of c", na, nb, nc), "%d operands and %d results for %s %s", len(o.Args), len(o.Results), shape, at)
		return
	}
	bits := 32
	if at == "f64" {
		bits = 64
	}
	for i, v := range o.Args {
		if i >= na+nb && v.typ.Kind != d || v.typ.Bits() != bits || v.typ.Kind == op.F32 && i < na+nb {
			c.shape(o, "pack factors into 32-bit registers, and give c the result's type", "operand %d is %s", i+1, v.typ)
			return
		}
		if integer := op.Of(op.U32, op.S32); i < na+nb && hasWord("f16 bf16 tf32", at) && integer.Has(v.typ.Kind) { // ptxas takes these as bits only
			c.shape(o, "convert with AsF16x2, AsBF16x2 or AsTF32", "operand %d of a product of %s is %s", i+1, at, v.typ)
			return
		}
	}
}

func hasWord(list, word string) bool {
	for len(list) >= len(word) {
		if list[:len(word)] == word && (len(list) == len(word) || list[len(word)] == ' ') {
			return true
		}
		list = list[1:]
	}
	return false
}

func (c *checker) eightByEight(o *Op, regs []*Value) {
	if n := len(regs); n != 1 && n != 2 && n != 4 {
		c.shape(o, "move 1, 2 or 4 matrices", "%d matrices at once", n)
	}
	for _, r := range regs {
		if r.typ.Bits() != 32 || r.typ.Kind == op.F32 {
			c.shape(o, "use packed halves or words", "a row's part of two 16-bit elements is no %s", r.typ)
		}
	}
}

func (c *checker) roleBounds(o *Op) {
	first, n, all := o.Int("first"), o.Int("warps"), int64(c.k.Threads()+31)/32
	if first < 0 || n < 1 || first+n > all {
		c.at(o, CodeBadAttribute, "count the warps of the block from 0", "warps %d to %d of a block of %d", first, first+n-1, all)
	}
}
