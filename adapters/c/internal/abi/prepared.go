package abi

import (
	"slices"
	"sync/atomic"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// preparedCalls are the sizes that a plan is called with again and again, as the batch of a decode step, prepared. A place holds one size
// and takes another after some calls that did not find theirs, so that sizes that change with every call cost next to nothing.
type preparedCalls [16]struct {
	call   atomic.Pointer[preparedCall]
	misses atomic.Int32
}

// preparedCall is nil inside where the operator cannot be prepared.
type preparedCall struct {
	dims []int
	call *oxrt.Prepared
}

const missesKept = 8

// get returns the prepared call of these sizes, nil if there is none.
func (t *preparedCalls) get(p catalog.Plan, dims []int) *oxrt.Prepared {
	place := &t[uint(dims[0])%uint(len(t))]
	have := place.call.Load()
	switch {
	case have == nil:
	case slices.Equal(have.dims, dims):
		return have.call
	case place.misses.Add(1) < missesKept:
		return nil
	}
	place.misses.Store(0)
	call, err := p.Prepare(dims)
	if err != nil {
		call = nil // the call itself says what is wrong with it
	}
	place.call.Store(&preparedCall{slices.Clone(dims), call})
	return call
}
