package tile

import (
	"fmt"
	"path"
	"strings"

	"github.com/oxideinfer/oxide/ir"
)

// Block is what the nouns of this package share in one kernel: the dynamic shared memory, the named barriers, the roles of
// the warps and the matrix products in flight.
type Block struct {
	k        *ir.Kernel
	barriers int // named barriers that are taken
	rings    []*Ring
	turns    []*Turns
	roles    []*Role
	role     *Role // whose body is being built
	ready    bool  // Ready has been called
	products []*Group
}

// In starts the tiles of a kernel.
func In(k *ir.Kernel) *Block { return &Block{k: k} }

// Codes of the mistakes that this package finds while a kernel is being built. It uses those of package ir where they fit.
const (
	CodeShape        = "TILE_SHAPE"       // a layout, view or operand that does not exist
	CodeMap          = "TILE_MAP"         // a tensor map made for another tile
	CodeSlotReleased = "SLOT_RELEASED"    // a stage is used after it was given back
	CodeSlotHeld     = "SLOT_HELD"        // a stage is never given back
	CodeInFlight     = "TILE_IN_FLIGHT"   // a tile is given back or written while a product reads it
	CodeGroup        = "GROUP_OF_ANOTHER" // a group of another role
	CodeRole         = "ROLE"             // roles that do not fit the block
	CodeNotReady     = "RING_NOT_READY"   // a ring is used before its barriers are initialised
	CodeTurn         = "TURN"             // turns that are not taken and given in pairs
	CodeStore        = "STORE_NOT_WAITED" // a staging tile is written while a store may read it
)

// Codes lists them.
func Codes() []string {
	return []string{CodeShape, CodeMap, CodeSlotReleased, CodeSlotHeld, CodeInFlight, CodeGroup, CodeRole, CodeNotReady, CodeTurn, CodeStore}
}

const pkg = "ir/tile"

// refuse reports a mistake at the line of the kernel that made it.
func (b *Block) refuse(code, fix, format string, args ...any) {
	b.k.Refuse(ir.Finding{Code: code, Pos: trimmed(), Msg: fmt.Sprintf(format, args...), Fix: fix})
}

// trimmed is the line of the kernel that calls into this package.
func trimmed() ir.Pos {
	pos := ir.Here()
	for len(pos) > 1 && strings.HasSuffix(path.Dir(pos[0].File), pkg) && !strings.HasSuffix(pos[0].File, "_test.go") {
		pos = pos[1:]
	}
	return pos
}

// u32 is a constant.
func (b *Block) u32(n int) ir.U32 { return b.k.ConstU32(uint32(n)) }

// named takes n named barriers, and returns the first. Barrier 0 is the block's; a block has at most 8 warpgroups, so that
// 15 are enough for one each.
func (b *Block) named(n int) int {
	first := b.barriers + 1
	b.barriers += n
	return first
}

// Bytes is the dynamic shared memory of tiles that are placed in this order, and then of the barriers of rings, two a stage,
// and of turns, one a warpgroup. Kernels give it to their launch contract.
func Bytes(barriers int, layouts ...Layout) int {
	at := 0
	for _, l := range layouts {
		at = (at+l.Align()-1)/l.Align()*l.Align() + l.Bytes()
	}
	return at + 8*barriers
}
