package oxrt

import goruntime "runtime"

// Detach is Submit for a caller who never asks how it ended: it records no event and gives no completion, which saves both where work is
// followed by other means, as in an engine with streams of its own. A fault of the device appears in a later completion of the stream.
// Where something has to be held until the work is done, memory of ours or a status record, this is Submit.
func (s *Scope) Detach() error {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		s.Drop()
		return err
	}
	if len(c.leases) > 0 || c.status != nil {
		_, err := s.Submit()
		return err
	}
	defer s.Drop()
	if err := c.submittable(); err != nil {
		return err
	}
	return c.detach()
}

func (c *scopeCore) detach() error {
	c.batch.Done = 0
	c.stream.order.Lock()
	c.orderLaunches()
	n, capture, code := c.dev.drv.Submit(c.dev.ctx, c.stream.handle, &c.batch)
	c.stream.order.Unlock()
	switch {
	case code != CodeSuccess:
		return c.dev.fail("submit", c.failed(n), code)
	case capture != 0 && c.batch.Eager:
		return &CaptureError{c.eagerOp, c.eagerWant}
	}
	return nil
}
