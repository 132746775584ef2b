package golden

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Mma is an mma.sync.
type Mma struct {
	M, N, K  int
	D, A, B  string
	Saturate bool
}

// String names the configuration.
func (m *Mma) String() string {
	s := fmt.Sprintf("mma_m%dn%dk%d_%s_%s_%s", m.M, m.N, m.K, m.D, m.A, m.B)
	if m.Saturate {
		s += "_sat"
	}
	return s
}

// counts are the registers that a thread holds of A, B and D.
func (m *Mma) counts() (a, b, d int) {
	row := m.K * elementBytes(m.A)
	a, b, d = m.M*row/128, m.N*row/128, m.M*m.N/32
	if m.D == "f16" {
		d /= 2
	}
	return a, b, d
}

// Case makes a kernel that multiplies one problem of each kind, a warp each.
func (m *Mma) Case(seed uint64, list ...Kind) *Case {
	c, _ := m.build(seed, list)
	return c
}

func (m *Mma) build(seed uint64, list []Kind) (*Case, []problem) {
	rng := rand.New(rand.NewPCG(seed, uint64(len(list))))
	c := &Case{Name: m.String(), About: "one " + m.instruction() + " for each kind of input", Entry: "k", Grid: uint32(len(list)), Block: 32, PTX: m.text()}
	var a, b, add []byte
	var problems []problem
	na, nb, nd := m.counts()
	for _, kind := range list {
		p := makeProblem(rng, kind, m.A, m.B, m.D, m.M, m.N, m.K)
		problems = append(problems, p)
		per := 4 / elementBytes(m.A)
		for l := range 32 {
			a = m.pack(a, na, per, func(r, e int) uint32 {
				row, col := l/4+8*(r%2), l%4*per+e+4*per*(r/2)
				if m.M == 8 {
					row, col = l/4, l%4*per+e
				}
				return p.a[row*m.K+col]
			})
			b = m.pack(b, nb, per, func(r, e int) uint32 { return p.b[l/4*m.K+l%4*per+e+4*per*r] })
			perD := map[bool]int{true: 2, false: 1}[m.D == "f16"]
			add = m.pack(add, nd, perD, func(r, e int) uint32 {
				j := r*perD + e
				return p.c[(l/4+8*(j/2))*m.N+l%4*2+j%2]
			})
		}
	}
	c.Buffers = []Buffer{output("d", len(add)), {Name: "a", Data: a}, {Name: "b", Data: b}, {Name: "c", Data: add}}
	return c, problems
}

// pack appends n registers of per elements.
func (m *Mma) pack(out []byte, n, per int, element func(r, e int) uint32) []byte {
	for r := range n {
		var v uint32
		for e := range per {
			v |= element(r, e) << (e * 32 / per)
		}
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return out
}

func (m *Mma) instruction() string {
	sat := ""
	if m.Saturate {
		sat = ".satfinite"
	}
	return fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.row.col%s.%s.%s.%s.%s", m.M, m.N, m.K, sat, m.D, m.A, m.B, m.D)
}

func (m *Mma) text() string {
	var s strings.Builder
	na, nb, nd := m.counts()
	reg := "b32"
	if m.D == "f32" {
		reg = "f32"
	}
	fmt.Fprintf(&s, `.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .u64 pc)
{
.reg .b32 %%r<3>; .reg .b32 %%a<4>; .reg .b32 %%b<2>; .reg .%s %%d<4>; .reg .b64 %%x<8>;
mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r2, %%r1, 32, %%r0;
ld.param.u64 %%x0, [pa]; ld.param.u64 %%x1, [pb]; ld.param.u64 %%x2, [pc]; ld.param.u64 %%x3, [pd];
mul.wide.u32 %%x4, %%r2, %d; add.u64 %%x0, %%x0, %%x4; mul.wide.u32 %%x5, %%r2, %d; add.u64 %%x1, %%x1, %%x5;
mul.wide.u32 %%x6, %%r2, %d; add.u64 %%x2, %%x2, %%x6; add.u64 %%x3, %%x3, %%x6;
`, reg, 4*na, 4*nb, 4*nd)
	load := func(prefix, addr, typ string, n int) {
		for i := range n {
			fmt.Fprintf(&s, "ld.global.%s %s%d, [%s+%d];\n", typ, prefix, i, addr, 4*i)
		}
	}
	load("%a", "%x0", "b32", na)
	load("%b", "%x1", "b32", nb)
	load("%d", "%x2", reg, nd)
	fmt.Fprintf(&s, "%s {%s}, {%s}, {%s}, {%s};\n", m.instruction(), list("%d", nd), list("%a", na), list("%b", nb), list("%d", nd))
	for i := range nd {
		fmt.Fprintf(&s, "st.global.%s [%%x3+%d], %%d%d;\n", reg, 4*i, i)
	}
	s.WriteString("ret;\n}\n")
	return s.String()
}
