package oxrt

import (
	"fmt"
	"sync"
)

// Graph is a captured sequence of scopes with fixed addresses. It holds leases of everything that it touches, its workspace and its
// status record until it is closed. One replay runs at a time: replays on one stream follow each other, a replay on another stream is
// refused while one is in flight. A graph with operators that validate their data has one record for them, so that its next replay is
// refused until the one before has settled. Values that change between replays are read from device memory.
type Graph struct {
	dev   *Device
	exec  ExecHandle
	lease *lease
	held  *graphHold

	mu   sync.Mutex // orders replays and updates
	last lastLaunch
}

// graphHold is what a graph keeps alive. It is apart from the graph, which must stay collectable while its free function exists.
type graphHold struct {
	mu        sync.Mutex
	leases    []*lease
	workspace *memory
	record    *statusRecord
}

// take exchanges what is held and returns what was.
func (h *graphHold) take(r *recording) *recording {
	if r.workspace != nil && r.workspace.closeIdle() {
		r.workspace = nil // no operator asked for it
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	old := &recording{leases: h.leases, workspace: h.workspace, record: h.record}
	h.leases, h.workspace, h.record = r.leases, r.workspace, r.record
	return old
}

// lastLaunch remembers the replay that may still be in flight.
type lastLaunch struct {
	stream StreamHandle
	done   Completion
}

func (l *lastLaunch) inFlight() bool {
	if l.done.dev == nil {
		return false
	}
	done, _ := l.done.Poll()
	return !done
}

func (d *Device) newGraph(exec ExecHandle, r *recording) *Graph {
	g := &Graph{dev: d, exec: exec, lease: &lease{}, held: &graphHold{}}
	g.held.take(r)
	id := d.rt.live.add(Leak{Kind: "graph", Site: callSite()}, g.lease)
	held := g.held
	g.lease.free = func() {
		d.drv.ExecDestroy(d.ctx, exec)
		held.take(&recording{}).drop(d)
		d.rt.live.remove(id)
	}
	watch(g, d.rt.live, id)
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
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.lease.acquire() {
		return Completion{}, fmt.Errorf("graph: %w", ErrClosed)
	}
	if err := g.busy(s); err != nil {
		g.lease.release()
		return Completion{}, err
	}
	done, err := g.launch(s)
	if err == nil {
		g.last = lastLaunch{s.handle, done}
	}
	return done, err
}

// busy refuses a replay that would run beside another one or share its status record.
func (g *Graph) busy(s *Stream) error {
	if g.last.stream == s.handle && g.held.record == nil || !g.last.inFlight() {
		return nil
	}
	if g.held.record != nil {
		return &ContractError{"Graph.Launch", "replay", "the one before settled, as operators validate", "in flight"}
	}
	return &ContractError{"Graph.Launch", "stream", "the one of the replay in flight", "another"}
}

// launch hands a replay to the driver, as submit does a scope. The graph's lease goes to the submission.
func (g *Graph) launch(s *Stream) (Completion, error) {
	t := &g.dev.completions
	t.prepare()
	s.order.Lock()
	defer s.order.Unlock()
	done, slot, err := t.take(s)
	if err != nil {
		g.lease.release()
		return Completion{}, err
	}
	slot.op, slot.status = "graph", g.held.record
	slot.leases = append(slot.leases, g.lease)
	if code := g.dev.drv.ExecLaunch(g.dev.ctx, g.exec, s.handle, slot.event); code != CodeSuccess {
		t.cancel(done)
		return Completion{}, g.dev.fail("cuGraphLaunch", "", code)
	}
	s.order.graph = true
	slot.commit()
	return done, nil
}

// update puts a recording in place of the graph's own.
func (g *Graph) update(r *recording, graph GraphHandle) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.lease.closed():
		return fmt.Errorf("graph: %w", ErrClosed)
	case g.last.inFlight():
		return fmt.Errorf("graph: %w: a replay is in flight", ErrLeased)
	}
	if !g.lease.acquire() {
		return fmt.Errorf("graph: %w", ErrClosed)
	}
	defer g.lease.release()
	if code := g.dev.drv.ExecUpdate(g.dev.ctx, g.exec, graph); code != CodeSuccess {
		return g.dev.fail("cuGraphExecUpdate", "", code)
	}
	g.held.take(r).drop(g.dev)
	return nil
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
