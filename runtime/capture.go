package oxrt

import "sync"

// recording is a capture of ours in progress: what goes into it, from the stream it began on and from those that joined it.
type recording struct {
	mu        sync.Mutex
	id        CaptureID
	leases    []*lease
	record    *statusRecord // once an operator validates
	workspace *memory       // the graph's own, as large as the stream's reservation
}

// recordings finds captures of ours by their number. Others' captures are not in it.
type recordings struct {
	mu   sync.Mutex
	open map[CaptureID]*recording
}

func (t *recordings) add(r *recording) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[CaptureID]*recording{}
	}
	t.open[r.id] = r
}

func (t *recordings) remove(r *recording) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, r.id)
}

func (t *recordings) find(id CaptureID) *recording {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open[id]
}

// hold gives leases to the graph in the making.
func (r *recording) hold(leases []*lease) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leases = append(r.leases, leases...)
}

// status registers a validating operator with the graph's record.
func (r *recording) status(d *Device, v *Validation) (Status, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.record == nil {
		record, err := d.status.take(true)
		if err != nil {
			return Status{}, err
		}
		r.record = record
	}
	return r.record.add(v), nil
}

// drop gives everything back: the capture came to nothing.
func (r *recording) drop(d *Device) {
	for _, l := range r.leases {
		l.release()
	}
	if r.workspace != nil {
		r.workspace.close()
	}
	if r.record != nil {
		d.status.put(r.record)
	}
}

// BeginCapture starts recording: scopes submitted on the stream, and on streams that wait for an event of it, go into the graph that
// EndCapture returns; nothing runs. A stream with reserved workspace gets a block of the same size for the graph.
func (s *Stream) BeginCapture() error {
	if err := s.usable(); err != nil {
		return err
	}
	r := &recording{}
	if !s.recording.CompareAndSwap(nil, r) {
		return &ContractError{"Stream.BeginCapture", "stream", "not capturing", "capturing"}
	}
	err := s.beginCapture(r)
	if err != nil {
		s.recording.Store(nil)
		r.drop(s.dev)
	}
	return err
}

func (s *Stream) beginCapture(r *recording) (err error) {
	if reserved, _ := s.WorkspaceBytes(); reserved > 0 {
		if r.workspace, err = s.newWorkspace(reserved); err != nil {
			return err
		}
	}
	var code Code
	if r.id, code = s.dev.drv.CaptureBegin(s.dev.ctx, s.handle); code != CodeSuccess {
		return s.dev.fail("cuStreamBeginCapture", "", code)
	}
	s.dev.recordings.add(r)
	return nil
}

// EndCapture ends the recording and makes the graph ready to launch. On an error nothing is left of it.
func (s *Stream) EndCapture() (*Graph, error) {
	var g *Graph
	err := s.endCapture("Stream.EndCapture", func(r *recording, graph GraphHandle) (err error) {
		g, err = s.dev.instantiate(s, r, graph)
		return err
	})
	return g, err
}

// EndCaptureInto ends the recording and gives g what was recorded in place of what it had: the same launches in the same order with
// other parameters, operands or grids, for a fraction of the time of a new graph. A recording with other nodes or edges is refused with
// CodeGraphUpdateFailure, a graph with a replay in flight with ErrLeased; then g is as it was and nothing is left of the recording.
func (s *Stream) EndCaptureInto(g *Graph) error {
	return s.endCapture("Stream.EndCaptureInto", func(r *recording, graph GraphHandle) error { return g.update(r, graph) })
}

// endCapture ends the recording and hands it to take; what take refuses is dropped.
func (s *Stream) endCapture(op string, take func(*recording, GraphHandle) error) error {
	r := s.recording.Swap(nil)
	if r == nil {
		return &ContractError{op, "stream", "capturing", "not capturing"}
	}
	d := s.dev
	d.recordings.remove(r)
	err := d.usable()
	if err == nil {
		err = d.finishCapture(s, r, take)
	}
	if err != nil {
		r.drop(d)
	}
	return err
}

func (d *Device) finishCapture(s *Stream, r *recording, take func(*recording, GraphHandle) error) error {
	graph, code := d.drv.CaptureEnd(d.ctx, s.handle)
	if code != CodeSuccess {
		return d.fail("cuStreamEndCapture", "", code)
	}
	defer d.drv.GraphDestroy(d.ctx, graph)
	return take(r, graph)
}

func (d *Device) instantiate(s *Stream, r *recording, graph GraphHandle) (*Graph, error) {
	exec, code := d.drv.GraphInstantiate(d.ctx, graph)
	if code != CodeSuccess {
		return nil, d.fail("cuGraphInstantiate", "", code)
	}
	if code = d.drv.ExecUpload(d.ctx, exec, s.handle); code != CodeSuccess {
		d.drv.ExecDestroy(d.ctx, exec)
		return nil, d.fail("cuGraphUpload", "", code)
	}
	return d.newGraph(exec, r), nil
}
