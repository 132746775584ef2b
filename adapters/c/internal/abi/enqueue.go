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
	c := p.value.calls.Get().(*catalog.Call)
	err = p.value.enqueue(c, s.value, operands, completion)
	p.value.calls.Put(c)
	return err
}

// enqueue submits one call, through a prepared one where the sizes have one.
func (p *plan) enqueue(c *catalog.Call, on *stream, operands unsafe.Pointer, completion *Ref) error {
	if err := p.read(c, on, operands); err != nil {
		return err
	}
	if prepared := p.prepared.get(p.plan, c.Dims); prepared != nil {
		return on.submitPrepared(prepared, c.Regions, completion)
	}
	s, err := on.stream.Begin()
	if err != nil {
		return err
	}
	if err := p.plan.EnqueueCall(s, *c); err != nil {
		s.Drop()
		return err
	}
	return on.device.submit(s, completion)
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

// submitPrepared is submit for a call that needs no scope.
func (s *stream) submitPrepared(call *oxrt.Prepared, regions []oxrt.Region, completion *Ref) error {
	if completion == nil {
		return call.Detach(s.stream, regions)
	}
	done, err := call.Submit(s.stream, regions)
	if err != nil {
		return err
	}
	*completion = s.device.completion(done)
	return nil
}

// read checks an operand struct and turns it into a call.
func (p *plan) read(c *catalog.Call, on *stream, operands unsafe.Pointer) error {
	if err := p.op.operands.check(operands); err != nil {
		return err
	}
	if on.device.dev != p.device.dev {
		return refuse(Argument, "plan and stream are on different devices: %v and %v", p.device.dev, on.device.dev)
	}
	sizes := unsafe.Slice((*int64)(unsafe.Add(operands, headerBytes)), len(c.Dims))
	for i, n := range sizes {
		c.Dims[i] = int(n)
	}
	tensors := unsafe.Slice((*Tensor)(unsafe.Add(operands, uintptr(headerBytes)+unsafe.Sizeof(int64(0))*uintptr(len(sizes)))), len(c.Regions))
	for i := range tensors {
		if err := tensors[i].region(&c.Regions[i], p, i); err != nil {
			return err
		}
	}
	return nil
}

// region writes the memory of an operand; all zero means that it is absent.
func (t *Tensor) region(to *oxrt.Region, p *plan, i int) error {
	if t.DType > 0 && t.DType <= 255 && t.Reserved == 0 {
		if to.SetExternal(oxrt.DevicePtr(t.Data), t.Elements, oxrt.DType(t.DType), p.access[i]) {
			return nil
		}
	}
	*to = oxrt.Region{}
	if *t == (Tensor{}) {
		return nil
	}
	name := p.op.Operator.Name + ": " + p.op.Operator.Operands[i].Name
	switch {
	case t.Reserved != 0:
		return refuse(Argument, "%s: reserved: want 0, got %d", name, t.Reserved)
	case t.DType <= 0 || t.DType > 255 || !oxrt.DType(t.DType).Valid():
		return refuse(Argument, "%s: dtype: %d is no oxide_dtype", name, t.DType)
	}
	_, err := oxrt.External(oxrt.DevicePtr(t.Data), t.Elements, oxrt.DType(t.DType), p.access[i])
	return &fault{Argument, name + ": " + err.Error()}
}

// inScope runs an action inside an open scope. A second thread is refused.
func (l *Library) inScope(scopeRef Ref, do func(*scope) error) error {
	return l.scopes.on(scopeRef, func(s *scope) error {
		if !s.busy.TryLock() {
			return refuse(Argument, "scope: another thread is inside")
		}
		defer s.busy.Unlock()
		return do(s)
	})
}

// endScope takes the handle away and runs an action on what it named, once the thread inside has left.
func (l *Library) endScope(scopeRef Ref, do func(*scope) error) (err error) {
	defer recovered(&err, nil)
	s, err := l.scopes.take(scopeRef)
	if err != nil {
		return err
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	return do(s)
}

// ScopeBegin opens a scope for several calls that are submitted together.
func (l *Library) ScopeBegin(streamRef Ref, to *Ref) error {
	return l.streams.on(streamRef, func(on *stream) error {
		if err := outValue(to, "scope"); err != nil {
			return err
		}
		s, err := on.stream.Begin()
		if err != nil {
			return err
		}
		*to = l.scopes.add(&scope{stream: on, scope: s})
		return nil
	})
}

// ScopeReportTo makes calls that validate data on the device report to 40 bytes of device memory instead of to the completion: the way
// inside a capture. It comes before the first call.
func (l *Library) ScopeReportTo(scopeRef Ref, record uint64) error {
	return l.inScope(scopeRef, func(s *scope) error {
		r, err := oxrt.External(oxrt.DevicePtr(record), oxrt.StatusBytes, oxrt.U8, oxrt.ReadWrite)
		if err != nil {
			return &fault{Argument, "record: " + err.Error()}
		}
		return s.scope.ReportTo(r)
	})
}

// ScopeEnqueue adds a call. After a refusal the scope refuses everything else; drop it.
func (l *Library) ScopeEnqueue(scopeRef, planRef Ref, operands unsafe.Pointer) error {
	return l.inScope(scopeRef, func(s *scope) error {
		p, err := l.plans.get(planRef)
		if err != nil {
			return err
		}
		c := p.value.calls.Get().(*catalog.Call)
		defer p.value.calls.Put(c)
		if err := p.value.read(c, s.stream, operands); err != nil {
			return err
		}
		return p.value.plan.EnqueueCall(s.scope, *c)
	})
}

// ScopeSubmit submits the calls in one go and ends the scope, whatever the outcome.
func (l *Library) ScopeSubmit(scopeRef Ref, completion *Ref) error {
	if completion != nil {
		if err := outValue(completion, "completion"); err != nil {
			return err
		}
	}
	return l.endScope(scopeRef, func(s *scope) error { return s.stream.device.submit(s.scope, completion) })
}

// ScopeDrop ends a scope without submitting anything.
func (l *Library) ScopeDrop(scopeRef Ref) error {
	return l.endScope(scopeRef, func(s *scope) error {
		s.scope.Drop()
		return nil
	})
}
