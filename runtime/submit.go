package oxrt

// Submit enqueues everything the scope collected, in order, and ends the scope. If the driver refuses a command, the ones before it
// have been enqueued; their operands stay held until they are done, and the error names the kernel. While the stream is being captured the work goes
// into the graph and the completion is [Completion.Captured].
func (s *Scope) Submit() (Completion, error) {
	c := s.c
	if err := c.ready(); err != nil {
		s.Drop()
		return Completion{}, err
	}
	if err := c.stream.usable(); err != nil {
		s.Drop()
		return Completion{}, err
	}
	done, slot, err := c.dev.completions.take()
	if err != nil {
		s.Drop()
		return Completion{}, err
	}
	c.batch.Done = slot.event
	slot.op = c.label()
	slot.leases = append(slot.leases, c.leases...)
	n, capturing, code := c.stream.submit(&c.batch, done)
	if code == CodeSuccess && !capturing {
		c.handOver()
		s.end()
		return done, nil
	}
	clear(slot.leases)
	slot.leases = slot.leases[:0]
	defer s.end()
	if code == CodeSuccess {
		c.capture(done)
		return Completion{dev: c.dev, slot: capturedSlot}, nil
	}
	err = c.dev.fail("submit", c.failed(n), code)
	c.keepUntilDone(done, slot, n)
	return Completion{}, err
}

// handOver forgets the leases: somebody else holds them now.
func (c *scopeCore) handOver() {
	clear(c.leases)
	c.leases = c.leases[:0]
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

// capture gives the leases to the graph that our own capture is making. Memory in somebody else's graph is that owner's business.
func (c *scopeCore) capture(done Completion) {
	c.dev.completions.cancel(done)
	if r := c.stream.recording.Load(); r != nil {
		r.mu.Lock()
		r.leases = append(r.leases, c.leases...)
		r.mu.Unlock()
		c.handOver()
		return
	}
	c.release()
}

// keepUntilDone holds the operands of a submission that failed half way until its first part has run.
func (c *scopeCore) keepUntilDone(done Completion, slot *slot, enqueued int) {
	slot.leases = append(slot.leases, c.leases...)
	slot.op = c.label()
	c.handOver()
	if enqueued > 0 && c.dev.drv.EventRecord(c.dev.ctx, slot.event, c.stream.handle) == CodeSuccess {
		c.dev.completions.commit(done, nil)
		return
	}
	c.dev.completions.cancel(done)
}

// submit hands a batch to the driver and counts it, both under one lock: the numbers of a stream's submissions are in its order.
func (s *Stream) submit(b *Batch, done Completion) (n int, capturing bool, code Code) {
	s.order.Lock()
	defer s.order.Unlock()
	n, capturing, code = s.dev.drv.Submit(s.dev.ctx, s.handle, b)
	if code == CodeSuccess && !capturing {
		s.dev.completions.commit(done, s)
	}
	return n, capturing, code
}
