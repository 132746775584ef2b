package normalization

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/internal/invoke"
	"github.com/oxideinfer/oxide/runtime"
)

// Enqueue checks the operands and adds the call to the scope. Nothing is added if they break the contract.
func (p *HeadRMSNormPlan) Enqueue(scope *oxrt.Scope, o HeadRMSNormOperands) error {
	if err := p.bind(scope, o); err != nil || o.Tokens == 0 {
		return err
	}
	args := p.args
	args.Q, args.QWeight, args.QOut = o.Q.Ptr(), o.QWeight.Ptr(), o.QOut.Ptr()
	args.K, args.KWeight, args.KOut = o.K.Ptr(), o.KWeight.Ptr(), o.KOut.Ptr()
	args.PrefetchBlocks, args.Early = p.Overlap(o.Tokens * p.elements)
	var params oxrt.Params
	args.Pack(&params)
	return p.Launch(scope, oxrt.Dim3{X: uint32(o.Tokens), Y: p.gridY}, &params)
}

// EnqueueCall is Enqueue with regions in the order of the operator's description.
func (p *HeadRMSNormPlan) EnqueueCall(scope *oxrt.Scope, c catalog.Call) error {
	if err := p.CheckCall(c); err != nil {
		return err
	}
	r := c.Regions
	return p.Enqueue(scope, HeadRMSNormOperands{Tokens: c.Dims[0], Q: r[0], K: r[1], QWeight: r[2], KWeight: r[3], QOut: r[4], KOut: r[5]})
}

// bind binds the operands. A scope compares address ranges, and those of q and k overlap where both are parts of one
// fused tensor, row beside row. So where the rows interleave without a shared element, k is bound as the rest of its
// range behind (or before) q's: together they cover the same memory once.
func (p *HeadRMSNormPlan) bind(scope *oxrt.Scope, o HeadRMSNormOperands) error {
	var room, apart [invoke.MaxOperands]oxrt.Operand
	regions := [...]oxrt.Region{o.Q, o.K, o.QWeight, o.KWeight, o.QOut, o.KOut}
	operands, err := p.Contract().Operands(room[:0], o.Tokens, regions[:])
	if err != nil {
		return err
	}
	bound := apart[:0]
	for _, x := range operands {
		parts := [...]oxrt.Region{x.Region}
		rest := parts[:]
		for _, y := range operands {
			if p.interleaved(x, y) {
				rest = outside(rest, y.Region)
			}
		}
		for _, r := range rest {
			x.Region = r
			bound = append(bound, x)
		}
	}
	return scope.Bind("normalization.head_rms_norm", bound...)
}

// interleaved reports whether x is k or k_out, y is q or q_out, and their rows lie side by side in one tensor.
func (p *HeadRMSNormPlan) interleaved(x, y oxrt.Operand) bool {
	xStride, xRow, isK := p.rowOf(x.Name)
	yStride, yRow, isQ := p.rowOf(y.Name)
	if !isK || !isQ || x.Name[0] != 'k' || y.Name[0] != 'q' || xStride != yStride {
		return false
	}
	size := uint64(x.Region.DType().Size())
	between := (uint64(x.Region.Ptr()) - uint64(y.Region.Ptr())) / size % xStride
	if x.Region.Ptr() < y.Region.Ptr() {
		between = (xStride - (uint64(y.Region.Ptr())-uint64(x.Region.Ptr()))/size%xStride) % xStride
	}
	return between >= yRow && between+xRow <= xStride
}

// rowOf is the token stride of an operand and the elements of one token from the first to the last.
func (p *HeadRMSNormPlan) rowOf(name string) (stride, row uint64, ok bool) {
	a, headDim := &p.args, p.headDim
	switch name {
	case "q":
		return a.QTokenStride, uint64(a.QHeads-1)*a.QHeadStride + headDim, true
	case "k":
		return a.KTokenStride, uint64(a.KHeads-1)*a.KHeadStride + headDim, true
	case "q_out":
		return a.QOutTokenStride, uint64(a.QHeads-1)*a.QOutHeadStride + headDim, true
	case "k_out":
		return a.KOutTokenStride, uint64(a.KHeads-1)*a.KOutHeadStride + headDim, true
	}
	return 0, 0, false
}

// outside removes a range from regions of the same memory.
func outside(regions []oxrt.Region, hole oxrt.Region) []oxrt.Region {
	var rest []oxrt.Region
	from, to := uint64(hole.Ptr()), uint64(hole.Ptr())+uint64(hole.Bytes())
	for _, r := range regions {
		first, end := uint64(r.Ptr()), uint64(r.Ptr())+uint64(r.Bytes())
		if to <= first || end <= from {
			rest = append(rest, r)
			continue
		}
		size := uint64(r.DType().Size())
		if first < from {
			rest = appendSlice(rest, r, 0, (from-first)/size)
		}
		if to < end {
			rest = appendSlice(rest, r, (to-first)/size, (end-to)/size)
		}
	}
	return rest
}

func appendSlice(to []oxrt.Region, r oxrt.Region, first, elems uint64) []oxrt.Region {
	part, err := r.Slice(int64(first), int64(elems))
	if err != nil { // cannot be: the caller stays inside r; keeping r whole makes the scope refuse the overlap
		return append(to, r)
	}
	return append(to, part)
}
