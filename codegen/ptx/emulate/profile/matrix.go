package profile

import (
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// shape reads m64n128k16.
func shape(f *isa.Form) (m, n, k int) {
	for _, mod := range f.Mods() {
		if len(mod) > 1 && mod[0] == 'm' && mod[1] >= '0' && mod[1] <= '9' {
			rest := strings.NewReplacer("m", " ", "n", " ", "k", " ").Replace(mod)
			list := strings.Fields(rest)
			if len(list) == 3 {
				m, _ = strconv.Atoi(list[0])
				n, _ = strconv.Atoi(list[1])
				k, _ = strconv.Atoi(list[2])
				return m, n, k
			}
		}
	}
	return 0, 0, 0
}

// matrixCost is the work of a matrix instruction of a warp or, for wgmma, of a warpgroup.
func matrixCost(in *ptx.Instr) (flop, sharedBytes uint64) {
	m, n, k := shape(in.Form)
	flop = 2 * uint64(m) * uint64(n) * uint64(k)
	if in.Form.Opcode() != "wgmma" {
		return flop, 0
	}
	// The row of factors is 32 bytes long in every format.
	sharedBytes = uint64(n) * 32
	if _, registers := in.Operands[1].(ptx.Vec); !registers { // operand 1 is A
		sharedBytes += uint64(m) * 32
	}
	return flop, sharedBytes
}

// matrices is the number of 8×8 matrices that ldmatrix or stmatrix moves.
func matrices(f *isa.Form) int {
	for n, mod := range map[int]string{2: "x2", 4: "x4"} {
		if f.Has(mod) {
			return n
		}
	}
	return 1
}
