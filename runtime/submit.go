package oxrt

import goruntime "runtime"

// Submit enqueues everything the scope collected, in order, and ends the scope. If the driver refuses a command, the ones before it
// have been enqueued; their operands stay held until they are done, and the error names the kernel. While the stream is being captured
// the work goes into the graph and the completion is [Completion.Captured]; where an operator cannot be captured, nothing is
// enqueued and the error is a *CaptureError.
func (s *Scope) Submit() (Completion, error) {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err == nil {
		err = c.submittable()
	}
	if err != nil {
		s.Drop()
		return Completion{}, err
	}
	done, err := c.submit()
	if err != nil {
		c.release()
	}
	c.end()
	return done, err
}

// submit hands the batch to the driver under the stream's order lock. Whatever the scope still holds afterwards, nothing uses.
func (c *scopeCore) submit() (Completion, error) {
	t := &c.dev.completions
	t.prepare()
	c.stream.order.Lock()
	defer c.stream.order.Unlock()
	done, slot, err := t.take(c.stream)
	if err != nil {
		return Completion{}, err
	}
	c.batch.Done = slot.event
	slot.op = c.label()
	c.handOver(slot)
	c.orderLaunches()
	n, capture, code := c.dev.drv.Submit(c.dev.ctx, c.stream.handle, &c.batch)
	if code == CodeSuccess && capture == 0 {
		slot.commit()
		return done, nil
	}
	if code != CodeSuccess {
		err = c.dev.fail("submit", c.failed(n), code)
		c.keepUntilDone(done, slot, n)
		return Completion{}, err
	}
	c.takeBack(slot)
	t.cancel(done)
	if c.batch.Eager {
		return Completion{}, &CaptureError{c.eagerOp, c.eagerWant}
	}
	c.capture(capture)
	return Completion{dev: c.dev, slot: capturedSlot}, nil
}

// submittable checks what may have changed since the operators were called.
func (c *scopeCore) submittable() error {
	if c.recorded != nil && c.recorded != c.stream.recording.Load() {
		return &ContractError{c.op, "capture", "the one in which the operator was called", "ended"}
	}
	return c.stream.usable()
}

// handOver gives the leases and the record to the submission, before the device can be done with it.
func (c *scopeCore) handOver(s *slot) {
	s.leases, c.leases = c.leases, s.leases
	s.status, c.status = c.status, nil
}

// takeBack is the reverse, for a submission that went into a graph or nowhere.
func (c *scopeCore) takeBack(s *slot) {
	c.leases, s.leases = s.leases, c.leases
	c.status, s.status = s.status, nil
}

// label names the operator in the error of a completion, if there is only one: the device does not say which of several failed.
func (c *scopeCore) label() string {
	if c.ops > 1 {
		return ""
	}
	return c.op
}

// failed names the command that the driver refused.
func (c *scopeCore) failed(n int) string {
	if n < len(c.names) {
		return c.names[n]
	}
	return c.op
}

// capture gives the leases to the graph that a capture of ours is making. Memory in somebody else's graph is that owner's business.
func (c *scopeCore) capture(id CaptureID) {
	if r := c.dev.recordings.find(id); r != nil {
		r.hold(c.leases)
		clear(c.leases)
		c.leases = c.leases[:0]
		return
	}
	c.release()
}

// keepUntilDone holds the operands of a submission that failed half way until its first part has run.
func (c *scopeCore) keepUntilDone(done Completion, slot *slot, enqueued int) {
	if enqueued > 0 && c.dev.drv.EventRecord(c.dev.ctx, slot.event, c.stream.handle) == CodeSuccess {
		slot.commit()
		return
	}
	c.takeBack(slot)
	c.dev.completions.cancel(done)
}
