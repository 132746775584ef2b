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
	for i := range operands {
		bound = p.appendApart(bound, operands, i)
	}
	return scope.Bind("normalization.head_rms_norm", bound...)
}

// appendApart appends operand i without what it shares with operands between whose rows its own lie.
func (p *HeadRMSNormPlan) appendApart(bound, operands []oxrt.Operand, i int) []oxrt.Operand {
	first := len(bound)
	bound = append(bound, operands[i])
	for j := range operands {
		if !p.interleaved(&operands[i], &operands[j]) {
			continue
		}
		hole := operands[j].Region
		for n := len(bound) - 1; n >= first; n-- {
			before, behind := outside(bound[n].Region, hole)
			if before.Len() == 0 {
				bound[n].Region = behind
				continue
			}
			bound[n].Region = before
			if behind.Len() > 0 {
				rest := bound[n]
				rest.Region = behind
				bound = append(bound, rest)
			}
		}
	}
	return bound
}

// interleaved reports whether x is k or k_out, y is q or q_out, and their rows lie side by side in one tensor.
func (p *HeadRMSNormPlan) interleaved(x, y *oxrt.Operand) bool {
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

// outside is what lies of a region before and behind a hole in the same memory. Either may be empty.
func outside(r, hole oxrt.Region) (before, behind oxrt.Region) {
	size := uint64(r.DType().Size())
	first, end := uint64(r.Ptr()), uint64(r.Ptr())+uint64(r.Bytes())
	from, to := uint64(hole.Ptr()), uint64(hole.Ptr())+uint64(hole.Bytes())
	return slice(r, 0, (clamp(from, first, end)-first)/size), slice(r, (clamp(to, first, end)-first)/size, uint64(r.Len()))
}

func clamp(x, lo, hi uint64) uint64 { return max(lo, min(x, hi)) }

// slice cannot fail inside a region. If it did, the whole region would make the scope refuse the overlap.
func slice(r oxrt.Region, first, end uint64) oxrt.Region {
	part, err := r.Slice(int64(first), int64(end-first))
	if err != nil {
		return r
	}
	return part
}

// Prepare returns a call of these sizes that lacks only the addresses of its operands.
func (p *HeadRMSNormPlan) Prepare(dims []int) (*oxrt.Prepared, error) {
	return p.PrepareCall(dims, p.EnqueueCall)
}
