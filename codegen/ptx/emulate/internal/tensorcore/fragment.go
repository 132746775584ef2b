package tensorcore

// Where a warp keeps the elements of a matrix (manual 9.7.14.5 and 9.7.15.5.1.1). Factors are laid out by bytes: a
// row of A, or a column of B, is K elements side by side, and a register holds four bytes of it whatever their type.

// ARegister is the row of A that register r of a lane holds a part of, and the first byte of that part.
func ARegister(lane, r int) (row, at int) { return lane>>2 + 8*(r&1), lane&3*4 + 16*(r>>1) }

// BRegister is the column of B that register r of a lane holds a part of, and the first byte of that part.
func BRegister(lane, r int) (col, at int) { return lane >> 2, lane&3*4 + 16*r }

// DElement is the row and column of element j of C and D, counted over the registers of a lane: one element to a
// register, two for f16. Each run of 4 elements covers 8 columns.
func DElement(lane, j int) (row, col int) {
	return lane>>2 + 8*(j>>1&1), 8*(j>>2) + lane&3*2 + j&1
}
