package isa

// chapters are the parts of the table in the order of the manual.
func chapters() [][]Row {
	return [][]Row{
		integerRows, extendedRows, floatRows, halfRows, compareRows, halfCompareRows, logicRows,
		moveRows, loadRows, storeRows, addressRows, convertRows, asyncRows, tensorRows,
		controlRows, barrierRows, fenceRows, atomicRows, warpRows, mbarrierRows,
		matrixRows, wgmmaRows, miscRows,
	}
}

// Values that many rows share.
const (
	roundings = "rn rz rm rp"
	scopes    = "cta cluster gpu sys"
	allTypes  = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
)
