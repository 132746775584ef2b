package emulate

import "math/bits"

// cell is the last write and the last reads of some bytes, as stamps.
//
// A stamp is actor<<40 | time<<16 | lane<<11 | shape<<8 | flags. Lanes of one instruction that touch neighbouring
// bytes share a stamp: byte i of a cell belongs to lane + i>>shape.
// With isSet in its flags the read stamp is the number of a set of reads, <<8.
type cell struct {
	w, r         uint64
	wline, rline int32 // of the PTX text; the write's also holds a hash of its value in the upper bits, 0: unknown
}

// Lines of writes carry the value's hash above lineBits.
const (
	lineBits = 20
	lineMask = 1<<lineBits - 1
)

const (
	stampStrong byte = 1 << iota // an atomic, or an ordered or volatile access
	stampScope0                  // two bits: its scope
	stampScope1
	stampAtomic // read-modify-write
	stampAsync  // through the async proxy
	stampEngine // by an asynchronous operation
	stampNC     // a load through the read-only cache
	isSet

	oneLane   = 6 // shape: one lane, however many bytes
	wholeWarp = 7 // shape: all lanes that exist
)

func stampOf(actor, time uint32, lane, shape uint32, flags byte) uint64 {
	return uint64(actor&(1<<24-1))<<40 | uint64(time&maxTime)<<16 | uint64(lane&31)<<11 | uint64(shape)<<8 | uint64(flags)
}

func stampActor(s uint64) uint32 { return uint32(s >> 40) }
func stampTime(s uint64) uint32  { return uint32(s>>16) & maxTime }
func stampLane(s uint64) uint32  { return uint32(s>>11) & 31 }
func stampShape(s uint64) uint32 { return uint32(s>>8) & 7 }

// stampLanes returns the lanes that a stamp means in a cell of 1<<unit bytes.
func stampLanes(s uint64, unit uint32) uint32 {
	shape := stampShape(s)
	if shape == wholeWarp {
		return fullMask
	}
	n := uint32(1)
	if unit > shape {
		n = 1 << (unit - shape)
	}
	return uint32((uint64(1)<<n - 1) << stampLane(s))
}

// at is the stamp of the bytes from off on.
func at(s uint64, off uint32) uint64 {
	shape := stampShape(s)
	if shape == wholeWarp || off>>shape == 0 {
		return s
	}
	return s + uint64(off>>shape)<<11
}

const (
	pageShift = 10
	pageBytes = 1 << pageShift
	unitMax   = 5 // 32 bytes: a quarter of what a warp touches in one access of 4 bytes a lane
)

// page is the cells of 1 KB of memory. Its cells get as small as the accesses need that came so far.
type page struct {
	unit  uint32
	cells []cell
}

// shadow is the cells of one allocation, or of a CTA's shared memory.
type shadow struct {
	pages []*page
	skip  bool // nobody writes it in this launch: reads need not be kept
}

func newShadow(bytes uint64) *shadow {
	return &shadow{pages: make([]*page, (bytes+pageBytes-1)>>pageShift)}
}

// clear forgets everything and keeps the memory.
func (s *shadow) clear() {
	for _, p := range s.pages {
		if p != nil {
			p.unit, p.cells = unitMax, p.cells[:pageBytes>>unitMax]
			clear(p.cells)
		}
	}
}

func (s *shadow) page(i uint64) *page {
	p := s.pages[i]
	if p == nil {
		p = &page{unit: unitMax, cells: make([]cell, pageBytes>>unitMax)}
		s.pages[i] = p
	}
	return p
}

// fit makes the cells small enough for an access to the bytes [lo, hi) of the page.
func (p *page) fit(lo, hi uint64, sets *readerSets) {
	u := uint32(bits.TrailingZeros64(lo | hi))
	if u >= p.unit {
		return
	}
	old := p.cells
	n := 1 << (p.unit - u)
	cells := make([]cell, pageBytes>>u)
	for i := range old {
		c := &old[i]
		if c.w|c.r == 0 {
			continue
		}
		for j := range n {
			off := uint32(j) << u
			d := &cells[i*n+j]
			d.wline, d.rline = c.wline&lineMask, c.rline
			if d.w = c.w; c.w != 0 {
				d.w = at(c.w, off)
			}
			if d.r = c.r; c.r&uint64(isSet) != 0 {
				d.r = sets.at(c.r, off)
			} else if c.r != 0 {
				d.r = at(c.r, off)
			}
		}
	}
	p.unit, p.cells = u, cells
}

// readerSets keeps the reads of bytes that several unordered readers share. A set is a chain; equal additions to
// equal sets give equal sets, so that a tile that all warps read has a few sets in all.
type readerSets struct {
	nodes []reader // 0 is unused
	memo  map[readerKey]uint64
	last  readerKey
	got   uint64
}

type reader struct {
	stamp uint64
	next  uint32 // node, 0: the last
	line  int32
	depth int32
}

type readerKey struct {
	set, stamp uint64
	line       int32
}

// maxReaders bounds a set; older reads are forgotten beyond it.
const maxReaders = 64

// push returns the set with one more reader.
func (s *readerSets) push(set uint64, stamp uint64, line int32) uint64 {
	if s.nodes == nil {
		s.nodes = make([]reader, 1, 64)
	}
	n := reader{stamp: stamp, line: line, depth: 1}
	if set != 0 {
		n.next = uint32(set >> 8)
		if n.depth = s.nodes[n.next].depth + 1; n.depth > maxReaders {
			n.next, n.depth = 0, 1
		}
	}
	s.nodes = append(s.nodes, n)
	return uint64(len(s.nodes)-1)<<8 | uint64(isSet)
}

// all calls f for the reads of a cell until it returns false.
func (s *readerSets) all(r uint64, line int32, f func(stamp uint64, line int32) bool) bool {
	if r&uint64(isSet) == 0 {
		return f(r, line)
	}
	for i := uint32(r >> 8); i != 0; i = s.nodes[i].next {
		if !f(s.nodes[i].stamp, s.nodes[i].line) {
			return false
		}
	}
	return true
}

// at is the set of the bytes from off on of a cell.
func (s *readerSets) at(set uint64, off uint32) uint64 {
	n := s.nodes[set>>8]
	next := uint64(0)
	if n.next != 0 {
		next = s.at(uint64(n.next)<<8|uint64(isSet), off)
	}
	stamp := at(n.stamp, off)
	if stamp == n.stamp && uint32(next>>8) == n.next {
		return set
	}
	key := readerKey{next ^ 1<<63, stamp, n.line}
	if got, ok := s.memo[key]; ok {
		return got
	}
	got := s.push(next, stamp, n.line)
	s.remember(key, got)
	return got
}

func (s *readerSets) remember(k readerKey, v uint64) {
	if s.memo == nil || len(s.memo) > 1<<18 {
		s.memo = map[readerKey]uint64{}
	}
	s.memo[k] = v
}
