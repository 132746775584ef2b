package abi

import (
	"sync"
	"unsafe"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// scope collects calls for one submission. A second thread inside it is refused, not waited for.
type scope struct {
	stream *stream
	busy   sync.Mutex
	scope  *oxrt.Scope
}

// Enqueue submits one call to a stream. completion may be nil for a caller that never asks.
func (l *Library) Enqueue(planRef, streamRef Ref, operands unsafe.Pointer, completion *Ref) (err error) {
	p, err := l.plans.get(planRef)
	defer recovered(&err, p.poison)
	if err != nil {
		return err
	}
	s, err := l.streams.get(streamRef)
	if err != nil {
		return err
	}
	if completion != nil {
		if err := outValue(completion, "completion"); err != nil {
			return err
		}
	}
	begun, err := s.value.stream.Begin()
	if err != nil {
		return err
	}
	if err := p.value.call(begun, s.value, operands); err != nil {
		begun.Drop()
		return err
	}
	return s.value.device.submit(begun, completion)
}

// submit ends a scope. Without a place for the completion none is made, which saves an event.
func (d *device) submit(s *oxrt.Scope, completion *Ref) error {
	if completion == nil {
		return s.Detach()
	}
	done, err := s.Submit()
	if err != nil {
		return err
	}
	*completion = d.completion(done)
	return nil
}

// call checks an operand struct and adds the call to a scope.
func (p *plan) call(to *oxrt.Scope, on *stream, operands unsafe.Pointer) error {
	if err := p.op.operands.check(operands); err != nil {
		return err
	}
	if on.device.dev != p.device.dev {
		return refuse(Argument, "plan and stream are on different devices: %v and %v", p.device.dev, on.device.dev)
	}
	c := p.calls.Get().(*catalog.Call)
	defer p.calls.Put(c)
	sizes := unsafe.Slice((*int64)(unsafe.Add(operands, headerBytes)), len(c.Dims))
	for i, n := range sizes {
		c.Dims[i] = int(n)
	}
	tensors := unsafe.Slice((*Tensor)(unsafe.Add(operands, uintptr(headerBytes)+unsafe.Sizeof(int64(0))*uintptr(len(sizes)))), len(c.Regions))
	for i := range tensors {
		r, err := tensors[i].region(p, i)
		if err != nil {
			return err
		}
		c.Regions[i] = r
	}
	return p.plan.EnqueueCall(to, *c)
}

// region is the memory of an operand; all zero means that it is absent.
func (t *Tensor) region(p *plan, i int) (oxrt.Region, error) {
	if *t == (Tensor{}) {
		return oxrt.Region{}, nil
	}
	name := func() string { return p.op.Operator.Name + ": " + p.op.Operator.Operands[i].Name }
	switch {
	case t.Reserved != 0:
		return oxrt.Region{}, refuse(Argument, "%s: reserved: want 0, got %d", name(), t.Reserved)
	case t.DType <= 0 || t.DType > 255 || !oxrt.DType(t.DType).Valid():
		return oxrt.Region{}, refuse(Argument, "%s: dtype: %d is no oxide_dtype", name(), t.DType)
	}
	r, err := oxrt.External(oxrt.DevicePtr(t.Data), t.Elements, oxrt.DType(t.DType), p.access[i])
	if err != nil {
		return r, &fault{Argument, name() + ": " + err.Error()}
	}
	return r, nil
}

// ScopeBegin opens a scope for several calls that are submitted together.
func (l *Library) ScopeBegin(streamRef Ref, to *Ref) (err error) {
	e, err := l.streams.get(streamRef)
	defer recovered(&err, e.poison)
	if err != nil {
		return err
	}
	if err := outValue(to, "scope"); err != nil {
		return err
	}
	s, err := e.value.stream.Begin()
	if err != nil {
		return err
	}
	*to = l.scopes.add(&scope{stream: e.value, scope: s})
	return nil
}

// ScopeReportTo makes calls that validate data on the device report to 40 bytes of device memory instead of to the completion: the way
// inside a capture. It comes before the first call.
func (l *Library) ScopeReportTo(scopeRef Ref, record uint64) (err error) {
	e, err := l.scopes.get(scopeRef)
	defer recovered(&err, e.poison)
	if err != nil {
		return err
	}
	s := e.value
	if !s.busy.TryLock() {
		return refuse(Argument, "scope: another thread is inside")
	}
	defer s.busy.Unlock()
	r, err := oxrt.External(oxrt.DevicePtr(record), oxrt.StatusBytes, oxrt.U8, oxrt.ReadWrite)
	if err != nil {
		return &fault{Argument, "record: " + err.Error()}
	}
	return s.scope.ReportTo(r)
}

// ScopeEnqueue adds a call. After a refusal the scope refuses everything else; drop it.
func (l *Library) ScopeEnqueue(scopeRef, planRef Ref, operands unsafe.Pointer) (err error) {
	e, err := l.scopes.get(scopeRef)
	defer recovered(&err, e.poison)
	if err != nil {
		return err
	}
	p, err := l.plans.get(planRef)
	if err != nil {
		return err
	}
	s := e.value
	if !s.busy.TryLock() {
		return refuse(Argument, "scope: another thread is inside")
	}
	defer s.busy.Unlock()
	return p.value.call(s.scope, s.stream, operands)
}

// ScopeSubmit submits the calls in one go and ends the scope, whatever the outcome.
func (l *Library) ScopeSubmit(scopeRef Ref, completion *Ref) (err error) {
	defer recovered(&err, nil)
	if completion != nil {
		if err := outValue(completion, "completion"); err != nil {
			return err
		}
	}
	if _, err := l.scopes.get(scopeRef); err != nil {
		return err
	}
	s, err := l.scopes.take(scopeRef)
	if err != nil {
		return err
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	return s.stream.device.submit(s.scope, completion)
}

// ScopeDrop ends a scope without submitting anything.
func (l *Library) ScopeDrop(scopeRef Ref) (err error) {
	defer recovered(&err, nil)
	s, err := l.scopes.take(scopeRef)
	if err != nil {
		return err
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	s.scope.Drop()
	return nil
}
