package profile

import (
	"math/bits"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

const sectorBytes = 32

// request counts the sectors and distinct bytes of one request of a warp.
func request(r *emulate.Reference, m uint32) Memory {
	var at [32]uint64
	lanes := at[:0]
	for ; m != 0; m &= m - 1 {
		lanes = append(lanes, r.Addr[bits.TrailingZeros32(m)])
	}
	slices.Sort(lanes)
	out := Memory{Requests: 1}
	var end, sector uint64 // of what is counted
	for i, a := range lanes {
		last := a + uint64(r.Bytes)
		if i == 0 || a >= end {
			out.Bytes += last - a
		} else if last > end {
			out.Bytes += last - end
		}
		end = max(end, last)
		for s := a / sectorBytes; s <= (last-1)/sectorBytes; s++ {
			if out.Sectors == 0 || s > sector {
				out.Sectors++
				sector = s
			}
		}
	}
	return out
}

// Footprint is the global memory that a launch touches, each sector once, in bytes.
type Footprint struct {
	Read  Extent `json:"read"`
	Write Extent `json:"write"`
}

// Extent is how much memory is touched. Of each allocation, with n blocks that touch b bytes each and u together, one has p of
// them for itself and shares the rest with all others: n·p + shared = u, p + shared = b. Of a grid, that is the bytes that G blocks
// touch, G·p + shared, but no more than the allocation has: blocks that work on tiles share with some and not with all.
type Extent struct {
	Block  float64 `json:"block"`  // bytes that a block touches, in the mean
	Shared float64 `json:"shared"` // of them, what all blocks touch
	Grid   float64 `json:"grid"`   // bytes that all blocks of the grid touch
}

// extent extends what n blocks touch in size bytes of memory to a grid.
func extent(sum, union uint64, n, grid int, size float64) Extent {
	if n == 0 {
		return Extent{}
	}
	b, u := float64(sum)*sectorBytes/float64(n), float64(union)*sectorBytes
	own := b
	if n > 1 {
		own = max(0, (u-b)/float64(n-1))
	}
	e := Extent{Block: b, Shared: max(0, b-own), Grid: u}
	if n < grid {
		e.Grid = max(u, min(size, float64(grid)*own+e.Shared))
	}
	return e
}

func (e *Extent) add(o Extent) {
	e.Block += o.Block
	e.Shared += o.Shared
	e.Grid += o.Grid
}

// sectors is a set of sectors.
type sectors struct {
	pages map[uint64]*[pageWords]uint64
	count uint64
	last  uint64 // number of the page in hand
	page  *[pageWords]uint64
}

const (
	pageBits  = 12 // sectors a page: 128 KB of memory
	pageWords = 1 << pageBits / 64
)

// add puts the sectors of a range into the set and returns how many of them are new.
func (s *sectors) add(addr, n uint64) (fresh uint64) {
	if n == 0 {
		return 0
	}
	for i := addr / sectorBytes; i <= (addr+n-1)/sectorBytes; i++ {
		if p := i >> pageBits; s.page == nil || p != s.last {
			if s.pages == nil {
				s.pages = map[uint64]*[pageWords]uint64{}
			}
			if s.page = s.pages[p]; s.page == nil {
				s.page = new([pageWords]uint64)
				s.pages[p] = s.page
			}
			s.last = p
		}
		w, bit := &s.page[i>>6%pageWords], uint64(1)<<(i&63)
		if *w&bit == 0 {
			*w |= bit
			fresh++
		}
	}
	s.count += fresh
	return fresh
}

// has reports whether a range begins in the set.
func (s *sectors) has(addr uint64) bool {
	i := addr / sectorBytes
	p := s.pages[i>>pageBits]
	return p != nil && p[i>>6%pageWords]>>(i&63)&1 != 0
}
