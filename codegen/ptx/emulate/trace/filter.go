package trace

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Filter chooses the instructions that are written. Several conditions of one kind are alternatives, those of different kinds
// must all hold. The zero Filter takes everything.
type Filter struct {
	threads  []at
	warps    []at
	lines    []span
	barriers []uint64 // a number below 16 of a CTA barrier, or the shared address of an mbarrier
	ranges   []memory
}

// at is a thread or warp of a block; block -1: of any.
type at struct{ block, index int }

type span struct{ lo, hi uint64 } // both included

// memory is a range of addresses in a space, or of bytes of a named buffer.
type memory struct {
	name string // "global", "shared", "local" or a buffer's
	span
}

// FilterError is a condition that cannot be read.
type FilterError struct{ Condition, Reason string }

// Error implements error.
func (e *FilterError) Error() string {
	return fmt.Sprintf("trace: condition %q: %s", e.Condition, e.Reason)
}

// ParseFilter reads conditions, separated by commas:
//
//	all                          everything
//	thread=BLOCK:THREAD          a thread, numbered along x, y, z; THREAD alone is of every block
//	warp=BLOCK:WARP              a warp, likewise
//	line=LO-HI                   lines of the PTX
//	barrier=N                    CTA barrier N; with N of 16 or more the mbarrier at that shared address
//	addr=WHERE:LO-HI             accesses that touch bytes LO to HI of global, shared or local memory, or of a buffer of
//	                             that name; WHERE alone is all of it
func ParseFilter(text string) (*Filter, error) {
	f := &Filter{}
	for _, c := range strings.Split(text, ",") {
		c = strings.TrimSpace(c)
		if c == "all" || c == "" {
			continue
		}
		if err := f.add(c); err != nil {
			return nil, &FilterError{c, err.Error()}
		}
	}
	return f, nil
}

func (f *Filter) add(c string) (err error) {
	key, value, _ := strings.Cut(c, "=")
	switch key {
	case "thread", "warp":
		a := at{block: -1}
		block, index, both := strings.Cut(value, ":")
		if !both {
			index = block
		} else if a.block, err = strconv.Atoi(block); err != nil {
			return err
		}
		if a.index, err = strconv.Atoi(index); err != nil {
			return err
		}
		if key == "thread" {
			f.threads = append(f.threads, a)
		} else {
			f.warps = append(f.warps, a)
		}
		return nil
	case "line":
		s, err := parseSpan(value)
		f.lines = append(f.lines, s)
		return err
	case "barrier":
		n, err := strconv.ParseUint(value, 0, 64)
		f.barriers = append(f.barriers, n)
		return err
	case "addr":
		m := memory{span: span{0, ^uint64(0)}}
		name, rest, some := strings.Cut(value, ":")
		if m.name = name; some {
			m.span, err = parseSpan(rest)
		}
		f.ranges = append(f.ranges, m)
		return err
	}
	return fmt.Errorf("there are thread, warp, line, barrier, addr and all")
}

func parseSpan(text string) (s span, err error) {
	lo, hi, both := strings.Cut(text, "-")
	if s.lo, err = strconv.ParseUint(lo, 0, 64); err != nil {
		return s, err
	}
	s.hi = s.lo
	if both {
		if s.hi, err = strconv.ParseUint(hi, 0, 64); err != nil {
			return s, err
		}
	}
	if s.hi < s.lo {
		return s, fmt.Errorf("%d is below %d", s.hi, s.lo)
	}
	return s, nil
}

func (s span) touches(addr, n uint64) bool { return addr <= s.hi && addr+n > s.lo }

// lanes returns the lanes of an instruction that the filter lets through.
func (f *Filter) lanes(s *emulate.Step, nameOf Namer) uint32 {
	m := s.Active
	if len(f.warps) > 0 && !contains(f.warps, s.Block, s.Warp) {
		return 0
	}
	if len(f.threads) > 0 {
		m = 0
		for l := range 32 {
			if s.Active>>l&1 != 0 && contains(f.threads, s.Block, 32*s.Warp+l) {
				m |= 1 << l
			}
		}
	}
	if len(f.lines) > 0 {
		ok := false
		for _, r := range f.lines {
			ok = ok || r.touches(uint64(s.Line), 1)
		}
		if !ok {
			return 0
		}
	}
	if m != 0 && len(f.barriers) > 0 && !f.barrier(s) {
		return 0
	}
	if m != 0 && len(f.ranges) > 0 {
		m = f.touched(s, m, nameOf)
	}
	return m
}

func contains(list []at, block, index int) bool {
	for _, a := range list {
		if a.index == index && (a.block == block || a.block < 0) {
			return true
		}
	}
	return false
}

// barrier reports whether an instruction works on one of the barriers.
func (f *Filter) barrier(s *emulate.Step) bool {
	for _, n := range f.barriers {
		if n < 16 {
			if id, ok := s.CTABarrier(); ok && uint64(id) == n {
				return true
			}
			continue
		}
		for _, c := range s.Copies {
			if c.Barrier && c.Bar == n {
				return true
			}
		}
		if s.Instr == nil || s.Instr.Form.Opcode() != "mbarrier" {
			continue
		}
		for _, r := range s.Refs {
			for l := range 32 {
				if s.Mask>>l&1 != 0 && r.Addr[l] == n {
					return true
				}
			}
		}
	}
	return false
}

// touched returns the lanes of m that touch one of the ranges; a copy is its whole instruction's.
func (f *Filter) touched(s *emulate.Step, m uint32, nameOf Namer) (out uint32) {
	for _, want := range f.ranges {
		for _, c := range s.Copies {
			for _, list := range [][]emulate.Range{c.Reads, c.Writes} {
				for _, r := range list {
					if want.holds(r.Space, r.Addr, uint64(r.Bytes), nameOf) {
						out |= m
					}
				}
			}
		}
		for _, r := range s.Refs {
			for l := range 32 {
				if s.Mask&m>>l&1 != 0 && want.holds(r.Space, r.Addr[l], uint64(max(r.Bytes, 1)), nameOf) {
					out |= 1 << l
				}
			}
		}
	}
	return out
}

func (w *memory) holds(space isa.Space, addr, n uint64, nameOf Namer) bool {
	switch space {
	case isa.Global:
		if w.name == "global" {
			return w.touches(addr, n)
		}
		name, off := nameOf(addr)
		return name != "" && name == w.name && w.touches(off, n)
	case isa.Shared, isa.SharedCluster:
		return w.name == "shared" && w.touches(addr, n)
	case isa.Local:
		return w.name == "local" && w.touches(addr, n)
	}
	return false
}
