package emulated

import (
	"slices"

	"github.com/oxideinfer/oxide/runtime"
)

// graph is a captured list of commands. Streams that joined the capture through an event add theirs in the order of the calls, which is
// one of the orders that the events allow.
type graph struct {
	id       oxrt.CaptureID
	commands []command
	joined   []*stream
	broken   bool
}

// add enqueues a command, or records it while the stream is being captured. mu must be held.
func (s *stream) add(c command) oxrt.Code {
	if c.kind == wait && c.event.capture != nil {
		return s.join(c.event.capture)
	}
	g := s.capture
	if g == nil {
		switch c.kind {
		case record:
			c.mark = &mark{}
			c.event.mark, c.event.capture = c.mark, nil
		case wait:
			if c.mark = c.event.mark; c.mark == nil {
				return oxrt.CodeSuccess // never recorded: nothing to wait for
			}
		}
		s.enqueue(c)
		return oxrt.CodeSuccess
	}
	switch c.kind {
	case record:
		c.event.capture = g
		s.dirty = false
	case wait:
		g.broken = true // an event from outside the capture
		return oxrt.CodeCaptureIsolation
	default:
		g.commands = append(g.commands, c)
		s.dirty = true
	}
	return oxrt.CodeSuccess
}

// join makes a stream that waits for a captured event part of that capture.
func (s *stream) join(g *graph) oxrt.Code {
	switch s.capture {
	case nil:
		if s.legacy {
			return oxrt.CodeCaptureImplicit
		}
		s.capture = g
		g.joined = append(g.joined, s)
	case g:
	default:
		return oxrt.CodeCaptureMerge
	}
	return oxrt.CodeSuccess
}

// Submit copies the batch into the stream's queue, or into the graph that is being captured.
func (d *Driver) Submit(ctx oxrt.ContextHandle, h oxrt.StreamHandle, b *oxrt.Batch) (int, oxrt.CaptureID, oxrt.Code) {
	n, capture := 0, oxrt.CaptureID(0)
	code := d.withStream(ctx, h, func(v *device, s *stream) oxrt.Code {
		if s.capture != nil && b.Eager {
			capture = s.capture.id
			return oxrt.CodeSuccess
		}
		for i := range b.Commands {
			c, f := v.translate(b, &b.Commands[i])
			if f.failed() {
				return v.note(f)
			}
			if code := s.add(c); code != oxrt.CodeSuccess {
				return code
			}
			n++
		}
		if s.capture != nil {
			capture = s.capture.id
			return oxrt.CodeSuccess
		}
		if b.Done == 0 {
			return oxrt.CodeSuccess
		}
		return s.settle(v.events[b.Done])
	})
	return n, capture, code
}

// settle records the event of a completion.
func (s *stream) settle(e *event) oxrt.Code {
	if e == nil {
		return oxrt.CodeInvalidHandle
	}
	return s.add(command{kind: record, event: e, settles: true})
}

// CaptureBegin starts recording.
func (d *Driver) CaptureBegin(ctx oxrt.ContextHandle, h oxrt.StreamHandle) (oxrt.CaptureID, oxrt.Code) {
	var id oxrt.CaptureID
	code := d.withStream(ctx, h, func(v *device, s *stream) oxrt.Code {
		if s.legacy {
			return oxrt.CodeCaptureUnsupported
		}
		if s.capture != nil {
			return oxrt.CodeInvalidValue
		}
		id = oxrt.CaptureID(v.handle())
		s.capture = &graph{id: id, joined: []*stream{s}}
		return oxrt.CodeSuccess
	})
	return id, code
}

// CaptureEnd returns the graph. Every stream that joined must have been waited for by then.
func (d *Driver) CaptureEnd(ctx oxrt.ContextHandle, h oxrt.StreamHandle) (oxrt.GraphHandle, oxrt.Code) {
	var handle oxrt.GraphHandle
	code := d.withStream(ctx, h, func(v *device, s *stream) oxrt.Code {
		g := s.capture
		if g == nil {
			return oxrt.CodeInvalidValue
		}
		if g.joined[0] != s {
			return oxrt.CodeCaptureUnmatched
		}
		unjoined := false
		for _, j := range g.joined {
			unjoined = unjoined || (j != s && j.dirty)
			j.capture, j.dirty = nil, false
		}
		switch {
		case g.broken:
			return oxrt.CodeCaptureInvalidated
		case unjoined:
			return oxrt.CodeCaptureUnjoined
		}
		handle = oxrt.GraphHandle(v.handle())
		v.graphs[handle] = g
		return oxrt.CodeSuccess
	})
	return handle, code
}

// GraphInstantiate makes a graph launchable.
func (d *Driver) GraphInstantiate(ctx oxrt.ContextHandle, h oxrt.GraphHandle) (oxrt.ExecHandle, oxrt.Code) {
	v := d.device(ctx)
	if v == nil {
		return 0, oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	g := v.graphs[h]
	if g == nil {
		return 0, oxrt.CodeInvalidHandle
	}
	x := oxrt.ExecHandle(v.handle())
	v.execs[x] = g
	return x, oxrt.CodeSuccess
}

// GraphDestroy forgets the graph; executables made from it stay.
func (d *Driver) GraphDestroy(ctx oxrt.ContextHandle, h oxrt.GraphHandle) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.graphs[h] == nil {
		return oxrt.CodeInvalidHandle
	}
	delete(v.graphs, h)
	return oxrt.CodeSuccess
}

// ExecUpload has nothing to do.
func (d *Driver) ExecUpload(ctx oxrt.ContextHandle, x oxrt.ExecHandle, s oxrt.StreamHandle) oxrt.Code {
	return d.withStream(ctx, s, func(v *device, _ *stream) oxrt.Code {
		if v.execs[x] == nil {
			return oxrt.CodeInvalidHandle
		}
		return oxrt.CodeSuccess
	})
}

// ExecLaunch enqueues the captured commands with the parameters of the capture.
func (d *Driver) ExecLaunch(ctx oxrt.ContextHandle, x oxrt.ExecHandle, h oxrt.StreamHandle, done oxrt.EventHandle) oxrt.Code {
	return d.withStream(ctx, h, func(v *device, s *stream) oxrt.Code {
		g := v.execs[x]
		if g == nil {
			return oxrt.CodeInvalidHandle
		}
		for _, c := range g.commands {
			if code := s.add(c); code != oxrt.CodeSuccess {
				return code
			}
		}
		if done == 0 || s.capture != nil {
			return oxrt.CodeSuccess
		}
		return s.settle(v.events[done])
	})
}

// ExecUpdate gives the executable the commands of a graph of the same shape.
func (d *Driver) ExecUpdate(ctx oxrt.ContextHandle, x oxrt.ExecHandle, h oxrt.GraphHandle) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	old, g := v.execs[x], v.graphs[h]
	if old == nil || g == nil {
		return oxrt.CodeInvalidHandle
	}
	if !slices.EqualFunc(old.commands, g.commands, sameNode) {
		return oxrt.CodeGraphUpdateFailure
	}
	v.execs[x] = g
	return oxrt.CodeSuccess
}

// sameNode tells whether an executable's node can become another one: the driver keeps kind, function, cluster and launch attributes, and
// the direction and context of copies (CUDA driver API, cuGraphExecUpdate).
func sameNode(a, b command) bool {
	return a.kind == b.kind && a.kernel == b.kernel && a.config.HasCluster == b.config.HasCluster && a.config.Cluster == b.config.Cluster &&
		a.config.Dependent == b.config.Dependent
}

// ExecDestroy forgets the executable graph; replays in flight go on.
func (d *Driver) ExecDestroy(ctx oxrt.ContextHandle, x oxrt.ExecHandle) oxrt.Code {
	v := d.device(ctx)
	if v == nil {
		return oxrt.CodeInvalidContext
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.execs[x] == nil {
		return oxrt.CodeInvalidHandle
	}
	delete(v.execs, x)
	return oxrt.CodeSuccess
}
