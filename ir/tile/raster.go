package tile

import (
	"iter"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
)

// Raster numbers the tiles of a matrix in swaths: height rows of tiles, column after column. Blocks that run at one time
// then work on a part that is about as high as wide, and read its rows and columns from L2.
//
//	height 2    0 2 4 6
//	            1 3 5 7
//	            8 9 …      the last swath has the rows that are left
type Raster struct {
	b      *Block
	height lib.FastDiv
	swath  lib.FastDiv // tiles of a whole swath
	last   lib.FastDiv // rows of the last one
	tiles  ir.U32
	whole  ir.U32 // swaths of full height
}

// Raster declares the parameters height, swath (height × columns of tiles), last (rows of the last swath, any number if all
// are whole), each with what division by it takes, tiles, and whole (swaths of full height).
func (b *Block) Raster() *Raster {
	k := b.k
	return &Raster{b, lib.DivParam(k, "height"), lib.DivParam(k, "swath"), lib.DivParam(k, "last"), ir.Param[ir.U32](k, "tiles"), ir.Param[ir.U32](k, "whole")}
}

// Tiles is their number.
func (r *Raster) Tiles() ir.U32 { return r.tiles }

// At is the row and column, in tiles, of tile i.
func (r *Raster) At(i ir.U32) (row, col ir.U32) {
	swath, inside := r.swath.DivRem(i)
	fullCol, fullRow := r.height.DivRem(inside)
	lastCol, lastRow := r.last.DivRem(inside)
	full := swath.Less(r.whole)
	return ir.Select(full, fullRow, lastRow).Add(swath.Mul(r.height.D)), ir.Select(full, fullCol, lastCol)
}

// Each deals the tiles out to workers, blocks or clusters that stay until all are done: worker, worker + workers, …
func (r *Raster) Each(worker, workers ir.U32) iter.Seq2[ir.U32, ir.U32] {
	return func(yield func(row, col ir.U32) bool) {
		for i := range r.b.k.Loop(worker, r.tiles, workers, ir.NoUnroll) {
			if !yield(r.At(i)) {
				return
			}
		}
	}
}
