package trace

import (
	"bufio"
	"fmt"
	"io"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Namer names the buffer that a global address lies in, and the byte in it; "" where there is none.
type Namer func(addr uint64) (name string, offset uint64)

// Ends of lines.
const (
	waits = " waits" // the lanes wait and go on behind the instruction
	again = " again" // they wait and will execute it again
)

// Tracer writes the trace of the launches that it observes.
type Tracer struct {
	// Name, where not nil, turns global addresses into places in buffers.
	Name     Namer
	out      *bufio.Writer
	filter   *Filter
	launches int
}

// New returns a tracer. The text is complete after Flush.
func New(w io.Writer, f *Filter) *Tracer { return &Tracer{out: bufio.NewWriter(w), filter: f} }

// Observe is the Observe of an emulate.Config, whose Workers must be 1: the lines of several goroutines have no order.
func (t *Tracer) Observe(l emulate.Launched) emulate.Observer {
	if l.Worker != 0 {
		return nil
	}
	t.launches++
	prefix := ""
	if t.launches > 1 {
		prefix = fmt.Sprintf("g%d ", t.launches)
	}
	fmt.Fprintf(t.out, prefix+"launch %s grid %d,%d,%d block %d,%d,%d\n", l.Kernel.Name, l.Grid[0], l.Grid[1], l.Grid[2], l.Block[0], l.Block[1], l.Block[2])
	return func(s *emulate.Step) { t.step(prefix, s) }
}

// Flush writes what is buffered and returns the first error of the writer.
func (t *Tracer) Flush() error { return t.out.Flush() }

func (t *Tracer) nameOf(addr uint64) (string, uint64) {
	if t.Name == nil {
		return "", 0
	}
	return t.Name(addr)
}

func (t *Tracer) step(prefix string, s *emulate.Step) {
	m := t.filter.lanes(s, t.nameOf)
	if m == 0 {
		return
	}
	fmt.Fprintf(t.out, "%sb%d w%d l%d ", prefix, s.Block, s.Warp, s.Line)
	m &= s.Mask
	name := "ret"
	if s.Instr != nil {
		name = s.Instr.Form.Mnemonic()
	}
	if m == 0 {
		fmt.Fprintf(t.out, "off %s\n", name)
		return
	}
	fmt.Fprintf(t.out, "%08x %s", m, name)
	for i := range s.Refs {
		r := &s.Refs[i]
		t.out.WriteString(" [" + t.place(r.Space, r.Addr, m) + "]")
	}
	if s.Instr != nil && !s.Waits {
		for _, v := range s.Values() {
			if v.Name == "_" || s.Instr.Form.Opcode() == "wgmma" { // a sum in flight has no value yet
				continue
			}
			t.out.WriteString(" " + v.Name + "=" + pattern(v.Lanes, m))
		}
	}
	for i := range s.Copies {
		t.copies(&s.Copies[i])
	}
	switch {
	case s.Again:
		t.out.WriteString(again)
	case s.Waits:
		t.out.WriteString(waits)
	}
	t.out.WriteByte('\n')
}

// place writes addresses as a buffer's name and the bytes in it, where all lie in one.
func (t *Tracer) place(space isa.Space, addr [32]uint64, m uint32) string {
	first := lowest(m)
	name, off := "", addr[first]
	if space == isa.Global {
		name, off = t.nameOf(addr[first])
	}
	if name == "" {
		name = letter(space)
		return name + pattern(addr, m)
	}
	base := addr[first] - off
	for l := range addr {
		addr[l] -= base
	}
	return name + "+" + pattern(addr, m)
}

func letter(s isa.Space) string {
	switch s {
	case isa.Shared, isa.SharedCluster:
		return "shared "
	case isa.Local:
		return "local "
	case isa.Param:
		return "param "
	}
	return ""
}

func (t *Tracer) copies(c *emulate.Copy) {
	if c.Matrix { // the warp that comes last starts it: which one is a matter of the schedule
		return
	}
	t.out.WriteString(" copies")
	t.ranges(c.Reads)
	t.out.WriteString(" ->")
	t.ranges(c.Writes)
	if c.Barrier {
		fmt.Fprintf(t.out, " on shared %#x", c.Bar)
	}
}

// maxRanges bounds how many ranges of a copy are listed.
const maxRanges = 4

func (t *Tracer) ranges(list []emulate.Range) {
	if len(list) == 0 {
		t.out.WriteString(" nothing")
	}
	for i, r := range list {
		if i == maxRanges {
			fmt.Fprintf(t.out, " and %d more", len(list)-i)
			return
		}
		var addr [32]uint64
		addr[0] = r.Addr
		fmt.Fprintf(t.out, " %s:%d", t.place(r.Space, addr, 1), r.Bytes)
	}
}
