package golden

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Wgmma is a wgmma.mma_async with the layout of its operands.
type Wgmma struct {
	N          int
	D, A, B    string // element types
	Registers  bool   // A in registers
	Swizzle    int    // bytes: 0, 32, 64, 128
	MNMajorA   bool
	MNMajorB   bool
	NegateA    bool
	NegateB    bool
	DropC      bool // scale-d is false
	Saturate   bool
	Line       int  // the matrices start so many 128-byte lines inside a swizzle pattern
	BaseOffset int  // field of the descriptor
	Slice      int  // the K slice of a swizzled row that is multiplied
	OddLeading bool // a leading offset that has no meaning in a K-major swizzled layout
	Steps      int  // chained instructions on the same accumulators, over successive slices; 0 means 1
}

const wgmmaRows = 64

// K is the depth of the instruction: 32 bytes.
func (w *Wgmma) K() int { return 32 / elementBytes(w.A) }

func (w *Wgmma) steps() int { return max(1, w.Steps) }

// String names the configuration.
func (w *Wgmma) String() string {
	s := fmt.Sprintf("wgmma_m64n%dk%d_%s_%s_%s", w.N, w.K(), w.D, w.A, w.B)
	flag := func(on bool, name string) {
		if on {
			s += "_" + name
		}
	}
	if w.Registers {
		s += "_rs"
	} else {
		s += "_ss"
	}
	s += fmt.Sprintf("_sw%d", w.Swizzle)
	flag(w.MNMajorA, "mna")
	flag(w.MNMajorB, "mnb")
	flag(w.NegateA, "nega")
	flag(w.NegateB, "negb")
	flag(w.DropC, "zero")
	flag(w.Saturate, "sat")
	flag(w.Line > 0, fmt.Sprintf("line%d", w.Line))
	flag(w.BaseOffset > 0, fmt.Sprintf("base%d", w.BaseOffset))
	flag(w.Slice > 0, fmt.Sprintf("slice%d", w.Slice))
	flag(w.OddLeading, "lead")
	flag(w.Steps > 1, fmt.Sprintf("x%d", w.Steps))
	return s
}

// layout is where an operand lies in shared memory.
type layout struct {
	rows, k, size int // elements and their bytes
	swizzle       int
	mnMajor       bool
	line, base    int
	slice         int
	leading       int // byte offsets of the descriptor
	stride        int
	start         int // of the matrix, from the start of the operand's region
}

// operand lays out a matrix of rows by k densely.
func (w *Wgmma) operand(rows int, mnMajor bool) layout {
	l := layout{rows: rows, k: w.K(), size: elementBytes(w.A), swizzle: w.Swizzle, mnMajor: mnMajor, line: w.Line, base: w.BaseOffset, slice: w.Slice}
	block := 8 * max(16, w.Swizzle) // 8 rows of a swizzled line, or 8 chunks
	switch {
	case w.Swizzle == 0 && !mnMajor:
		l.stride, l.leading = block, block*((rows+7)/8)
	case w.Swizzle == 0: // blocks of 8 by 8 elements: along mn by the stride offset, along k by the leading one
		l.stride, l.leading = block, block*((rows+7)/8)
	case !mnMajor:
		l.stride, l.leading = block, 16
		if w.OddLeading {
			l.leading = 0x3fff0
		}
	default: // lines of mn: 8 of k a block; along k by the stride, along mn by the leading offset
		l.stride, l.leading = block, block*l.k/8
	}
	l.start = 128*l.line + 32*l.slice
	return l
}

// bytes is the size of the region, with room for a start inside the pattern.
func (l *layout) bytes() int {
	lines := l.rows
	if l.mnMajor && l.swizzle > 0 {
		lines = l.k * ((l.rows*l.size + l.swizzle - 1) / l.swizzle)
	}
	n := lines*max(l.swizzle, 16*l.k*l.size/16) + 2048
	return (n + 1023) &^ 1023
}

// offset is where element (mn, k) lies: the manual's canonical layouts, element by element, with the swizzle on the
// address and the base offset taken from it.
func (l *layout) offset(mn, k int) int {
	e, w := l.size, l.swizzle
	t := 16 / e
	var a int
	switch {
	case !l.mnMajor && w == 0:
		a = mn%8*16 + mn/8*l.stride + k/t*l.leading + k%t*e
	case !l.mnMajor:
		a = mn%8*w + mn/8*l.stride + k*e
	case w == 0:
		a = mn%t*e + mn/t*l.stride + k%8*16 + k/8*l.leading
	default:
		a = mn%(w/e)*e + mn/(w/e)*l.leading + k%8*w + k/8*l.stride
	}
	a += l.start
	if w > 0 {
		a ^= (a>>7 - l.base) & (w/16 - 1) << 4
	}
	return a
}

// descriptor is the part of the descriptor that does not depend on the address.
func (l *layout) descriptor() uint64 {
	mode := map[int]uint64{0: 0, 128: 1, 64: 2, 32: 3}[l.swizzle]
	return mode<<62 | uint64(l.base)<<49 | uint64(l.stride>>4)<<32 | uint64(l.leading>>4)<<16
}

// place writes elements into a region.
func (l *layout) place(region []byte, v []uint32) {
	for mn := range l.rows {
		for k := range l.k {
			put(region[l.offset(mn, k):], v[mn*l.k+k], l.size)
		}
	}
}

func put(b []byte, v uint32, size int) {
	for i := range size {
		b[i] = byte(v >> (8 * i))
	}
}

// registersD is how many registers a thread holds of D.
func (w *Wgmma) registersD() int {
	if w.D == "f16" {
		return w.N / 4
	}
	return w.N / 2
}

// Case makes a kernel that multiplies one problem of each kind, a block each.
func (w *Wgmma) Case(seed uint64, list ...Kind) *Case {
	c, _ := w.build(seed, list)
	return c
}

// build also returns the logical problems; of several steps, that of the last.
func (w *Wgmma) build(seed uint64, list []Kind) (*Case, []problem) {
	var problems []problem
	rng := rand.New(rand.NewPCG(seed, uint64(len(list))))
	a, b := w.operand(wgmmaRows, w.MNMajorA), w.operand(w.N, w.MNMajorB)
	region := a.bytes() + b.bytes()
	c := &Case{Name: w.String(), About: "one " + w.instruction() + " for each kind of input", Entry: "k", Grid: uint32(len(list)), Block: 128, Dynamic: uint32(region), PTX: w.text(a, b)}
	var shared, addend, regs []byte
	for _, kind := range list {
		image := make([]byte, region)
		for i := range image { // what lies between the elements must not matter
			image[i] = byte(rng.Uint32())
		}
		p := makeProblem(rng, kind, w.A, w.B, w.D, wgmmaRows, w.N, w.K())
		for s := range w.steps() {
			la, lb := a, b
			la.start, lb.start = a.start+32*s, b.start+32*s
			if s > 0 {
				more := makeProblem(rng, kind, w.A, w.B, w.D, wgmmaRows, w.N, w.K())
				p.a, p.b = more.a, more.b
			}
			if !w.Registers {
				la.place(image, p.a)
			}
			lb.place(image[a.bytes():], p.b)
		}
		shared = append(shared, image...)
		addend = append(addend, w.fragmentsOfD(p.c)...)
		if w.Registers {
			regs = append(regs, w.fragmentsOfA(p.a)...)
		}
		problems = append(problems, p)
	}
	c.Buffers = []Buffer{output("d", len(addend)), {Name: "shared", Data: shared}, {Name: "c", Data: addend}}
	if w.Registers {
		c.Buffers = append(c.Buffers, Buffer{Name: "a", Data: regs})
	}
	return c, problems
}

// fragmentsOfD arranges C as the threads hold it, one thread after another.
func (w *Wgmma) fragmentsOfD(c []uint32) []byte {
	var out []byte
	per := 1
	if w.D == "f16" {
		per = 2
	}
	for t := range 128 {
		for r := range w.registersD() {
			var v uint32
			for e := range per {
				j := r*per + e
				row := t/32*16 + t%32/4 + 8*(j/2%2)
				col := 8*(j/4) + t%4*2 + j%2
				v |= c[row*w.N+col] << (16 * e)
			}
			out = binary.LittleEndian.AppendUint32(out, v)
		}
	}
	return out
}

// fragmentsOfA arranges A as the threads hold it.
func (w *Wgmma) fragmentsOfA(a []uint32) []byte {
	var out []byte
	per := 4 / elementBytes(w.A)
	for t := range 128 {
		for r := range 4 {
			var v uint32
			for e := range per {
				row := t/32*16 + t%32/4 + 8*(r%2)
				col := t%4*per + e + 4*per*(r/2)
				v |= a[row*w.K()+col] << (e * 32 / per)
			}
			out = binary.LittleEndian.AppendUint32(out, v)
		}
	}
	return out
}

func (w *Wgmma) instruction() string {
	s := fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n%dk%d", w.N, w.K())
	if w.Saturate {
		s += ".satfinite"
	}
	return fmt.Sprintf("%s.%s.%s.%s", s, w.D, w.A, w.B)
}

// text is the kernel.
func (w *Wgmma) text(a, b layout) string {
	var s strings.Builder
	n := w.registersD()
	region := a.bytes() + b.bytes()
	params := ".param .u64 pd, .param .u64 ps, .param .u64 pc"
	if w.Registers {
		params += ", .param .u64 pa"
	}
	fmt.Fprintf(&s, `.version 9.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 dyn[];
.visible .entry k(%s)
{
.reg .pred %%p<2>; .reg .b32 %%r<20>; .reg .b32 %%a<4>; .reg .b32 %%d<%d>; .reg .b64 %%x<12>;
mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x;
ld.param.u64 %%x0, [ps]; ld.param.u64 %%x1, [pc]; ld.param.u64 %%x2, [pd];
mul.wide.u32 %%x3, %%r1, %d; add.u64 %%x0, %%x0, %%x3;
mul.wide.u32 %%x4, %%r0, 16; add.u64 %%x4, %%x0, %%x4;
mov.u32 %%r2, dyn; shl.b32 %%r3, %%r0, 4; add.u32 %%r4, %%r2, %%r3; mov.u32 %%r5, %%r3;
FILL:
setp.ge.u32 %%p0, %%r5, %d; @%%p0 bra FILLED;
ld.global.v4.b32 {%%r6, %%r7, %%r8, %%r9}, [%%x4]; st.shared.v4.b32 [%%r4], {%%r6, %%r7, %%r8, %%r9};
add.u64 %%x4, %%x4, 2048; add.u32 %%r4, %%r4, 2048; add.u32 %%r5, %%r5, 2048; bra FILL;
FILLED:
fence.proxy.async.shared::cta; bar.sync 0;
mad.lo.u32 %%r10, %%r1, 128, %%r0; mul.wide.u32 %%x5, %%r10, %d; add.u64 %%x1, %%x1, %%x5; add.u64 %%x2, %%x2, %%x5;
`, params, n, region, region, 4*n)
	for i := range n {
		fmt.Fprintf(&s, "ld.global.b32 %%d%d, [%%x1+%d];\n", i, 4*i)
	}
	if w.Registers {
		s.WriteString("ld.param.u64 %x6, [pa]; mul.wide.u32 %x7, %r10, 16; add.u64 %x6, %x6, %x7; ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x6];\n")
	}
	fmt.Fprintf(&s, "setp.eq.u32 %%p1, %%r2, %s;\n", map[bool]string{true: "1", false: "%r2"}[w.DropC])
	s.WriteString("wgmma.fence.sync.aligned;\n")
	for step := range w.steps() {
		w.multiply(&s, a, b, step)
	}
	s.WriteString("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n")
	for i := range n {
		fmt.Fprintf(&s, "st.global.b32 [%%x2+%d], %%d%d;\n", 4*i, i)
	}
	s.WriteString("ret;\n}\n")
	return s.String()
}

// multiply is one instruction with its descriptors.
func (w *Wgmma) multiply(s *strings.Builder, a, b layout, step int) {
	describe := func(x string, l layout, region int) {
		fmt.Fprintf(s, "add.u32 %%r11, %%r2, %d; and.b32 %%r11, %%r11, 0x3ffff; shr.u32 %%r11, %%r11, 4; cvt.u64.u32 %s, %%r11; or.b64 %s, %s, %#x;\n", region+l.start+32*step, x, x, x, l.descriptor())
	}
	aName := "%x8"
	if w.Registers {
		aName = "{%a0, %a1, %a2, %a3}"
	} else {
		describe(aName, a, 0)
	}
	describe("%x9", b, a.bytes())
	sign := map[bool]int{false: 1, true: -1}
	fmt.Fprintf(s, "%s {%s}, %s, %%x9, %%p1", w.instruction(), list("%d", w.registersD()), aName)
	if w.D != "s32" {
		fmt.Fprintf(s, ", %d, %d", sign[w.NegateA], sign[w.NegateB])
	}
	if elementBytes(w.A) == 2 {
		bit := map[bool]int{true: 1}
		if !w.Registers {
			fmt.Fprintf(s, ", %d", bit[w.MNMajorA])
		}
		fmt.Fprintf(s, ", %d", bit[w.MNMajorB])
	}
	s.WriteString(";\n")
}

// list is a comma-separated list of numbered registers.
func list(prefix string, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return strings.Join(names, ", ")
}
