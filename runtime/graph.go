package oxrt

import (
	"fmt"
	"sync"
)

// Graph is a captured sequence of scopes with fixed addresses. It holds leases of everything that it touches until it is closed. One
// replay runs at a time: replays on one stream follow each other, a replay on another stream is refused while one is in flight.
type Graph struct {
	dev    *Device
	exec   ExecHandle
	lease  *lease
	last   lastLaunch
	leases []*lease
}

// lastLaunch remembers the replay that may still be in flight.
type lastLaunch struct {
	mu     sync.Mutex
	stream StreamHandle
	done   Completion
}

func (l *lastLaunch) busy(s *Stream) error {
	if l.done.dev == nil || l.stream == s.handle {
		return nil
	}
	if done, _ := l.done.Poll(); !done {
		return &ContractError{"Graph.Launch", "stream", "the one of the replay in flight", "another"}
	}
	return nil
}

// BeginCapture starts recording: scopes submitted on the stream go into the graph that EndCapture returns, nothing runs.
func (s *Stream) BeginCapture() error {
	if err := s.usable(); err != nil {
		return err
	}
	if !s.recording.CompareAndSwap(nil, &recording{}) {
		return &ContractError{"Stream.BeginCapture", "stream", "not capturing", "capturing"}
	}
	if code := s.dev.drv.CaptureBegin(s.dev.ctx, s.handle); code != CodeSuccess {
		s.recording.Store(nil)
		return s.dev.fail("cuStreamBeginCapture", "", code)
	}
	return nil
}

// EndCapture ends the recording and makes the graph ready to launch. On an error nothing is left of it.
func (s *Stream) EndCapture() (*Graph, error) {
	r := s.recording.Swap(nil)
	if r == nil {
		return nil, &ContractError{"Stream.EndCapture", "stream", "capturing", "not capturing"}
	}
	g, err := s.endCapture(r)
	if err != nil {
		for _, l := range r.leases {
			l.release()
		}
		return nil, err
	}
	return g, nil
}

func (s *Stream) endCapture(r *recording) (*Graph, error) {
	d := s.dev
	if err := d.usable(); err != nil {
		return nil, err
	}
	graph, code := d.drv.CaptureEnd(d.ctx, s.handle)
	if code != CodeSuccess {
		return nil, d.fail("cuStreamEndCapture", "", code)
	}
	defer d.drv.GraphDestroy(d.ctx, graph)
	exec, code := d.drv.GraphInstantiate(d.ctx, graph)
	if code != CodeSuccess {
		return nil, d.fail("cuGraphInstantiate", "", code)
	}
	if code = d.drv.ExecUpload(d.ctx, exec, s.handle); code != CodeSuccess {
		d.drv.ExecDestroy(d.ctx, exec)
		return nil, d.fail("cuGraphUpload", "", code)
	}
	return d.newGraph(exec, r.leases), nil
}

func (d *Device) newGraph(exec ExecHandle, leases []*lease) *Graph {
	g := &Graph{dev: d, exec: exec, lease: &lease{}, leases: leases}
	id := d.rt.live.add(Leak{Kind: "graph", Site: callSite()}, g.lease.force)
	live, drv, ctx := d.rt.live, d.drv, d.ctx
	g.lease.free = func() {
		drv.ExecDestroy(ctx, exec)
		for _, l := range leases {
			l.release()
		}
		live.remove(id)
	}
	watch(g, live, id)
	return g
}

// Launch replays the graph on a stream of its device.
func (g *Graph) Launch(s *Stream) (Completion, error) {
	if err := s.usable(); err != nil {
		return Completion{}, err
	}
	if s.dev != g.dev {
		return Completion{}, &ContractError{"Graph.Launch", "stream", "of " + g.dev.String(), "of " + s.dev.String()}
	}
	if s.recording.Load() != nil {
		return Completion{}, &ContractError{"Graph.Launch", "stream", "not capturing", "capturing"}
	}
	g.last.mu.Lock()
	defer g.last.mu.Unlock()
	if err := g.last.busy(s); err != nil {
		return Completion{}, err
	}
	if !g.lease.acquire() {
		return Completion{}, fmt.Errorf("graph: %w", ErrClosed)
	}
	done, slot, err := g.dev.completions.take()
	if err != nil {
		g.lease.release()
		return Completion{}, err
	}
	slot.op = "graph"
	slot.leases = append(slot.leases, g.lease)
	if code := s.launch(g, slot.event, done); code != CodeSuccess {
		g.dev.completions.cancel(done)
		return Completion{}, g.dev.fail("cuGraphLaunch", "", code)
	}
	g.last.stream, g.last.done = s.handle, done
	return done, nil
}

// launch hands a replay to the driver and counts it, as submit does.
func (s *Stream) launch(g *Graph, event EventHandle, done Completion) Code {
	s.order.Lock()
	defer s.order.Unlock()
	code := g.dev.drv.ExecLaunch(g.dev.ctx, g.exec, s.handle, event)
	if code == CodeSuccess {
		g.dev.completions.commit(done, s)
	}
	return code
}

// Close destroys the graph and gives its leases back. If a replay is in flight that happens when it settles, and Close returns
// ErrLeased; a second Close returns ErrClosed.
func (g *Graph) Close() error {
	if g.lease.count() > 0 {
		g.dev.completions.reap()
	}
	first, idle := g.lease.close()
	switch {
	case !first:
		return fmt.Errorf("graph: %w", ErrClosed)
	case !idle:
		return fmt.Errorf("graph: %w; it is destroyed when that settles", ErrLeased)
	}
	return nil
}
