package oxrt

import goruntime "runtime"

// GraphPolicy says where the calls of a plan may be captured. It is part of the plan; a scope refuses at Submit what it forbids.
type GraphPolicy uint8

// Graph policies, from the freest to the strictest.
const (
	// GraphAnywhere: in own graphs and in somebody else's capture.
	GraphAnywhere GraphPolicy = iota + 1
	// GraphSupplied: in own graphs; in somebody else's capture with the caller's workspace and status record.
	GraphSupplied
	// GraphOwn: in own graphs only.
	GraphOwn
	// GraphNowhere: eager calls only.
	GraphNowhere
)

func (p GraphPolicy) String() string {
	switch p {
	case GraphAnywhere:
		return "capturable"
	case GraphSupplied:
		return "capturable, in a foreign capture with the caller's workspace and status record"
	case GraphOwn:
		return "capturable in own graphs"
	case GraphNowhere:
		return "eager only"
	}
	return "no graph policy"
}

// Restrict applies an operator's graph policy to the scope. GraphAnywhere and GraphSupplied ask for nothing here: a scope knows by itself
// when an operator uses its own workspace or status record.
func (s *Scope) Restrict(op string, p GraphPolicy) error {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return err
	}
	own := c.stream.recording.Load()
	switch {
	case p == GraphNowhere && own != nil:
		return c.refuse(&CaptureError{op, "an eager stream"})
	case p == GraphNowhere:
		c.eager(op, "an eager stream")
	case p == GraphOwn && own == nil:
		c.eager(op, "an eager stream or Stream.BeginCapture")
	}
	return nil
}

// eager keeps the scope out of captures that it does not know of when an operator is called. want is what would help.
func (c *scopeCore) eager(op, want string) {
	if !c.batch.Eager {
		c.batch.Eager, c.eagerOp, c.eagerWant = true, op, want
	}
}

// ReportTo makes the operators of the scope that validate their data report to the caller's record (see [StatusRule]) instead of to the
// completion: at least [StatusBytes] bytes at a multiple of 8, zeroed by the caller. Inside somebody else's capture, where a
// replay has no completion, it is the only way. It comes before the first such operator.
func (s *Scope) ReportTo(record Region) error {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return err
	}
	switch {
	case c.status != nil || c.reportTo != 0:
		return c.refuse(&ContractError{"Scope.ReportTo", "order", "before the operators that validate, once", "after one"})
	case record.Bytes() < StatusBytes || !record.AlignedTo(8):
		return c.refuse(&ContractError{"Scope.ReportTo", "record", "40 bytes at a multiple of 8", regionText(record)})
	}
	if err := c.bindOne("Scope.ReportTo", &Operand{Name: "record", Region: record, Access: Write}); err != nil {
		return c.refuse(err)
	}
	c.reportTo = record.ptr
	return nil
}

// Status gives a validating operator the record to report to and its number there. It is called once for each call of such an operator,
// before its launches.
func (s *Scope) Status(v *Validation) (Status, error) {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return Status{}, err
	}
	if c.reportTo != 0 {
		c.reports++
		return Status{c.reportTo, c.reports - 1}, nil
	}
	if r := c.stream.recording.Load(); r != nil {
		c.recorded = r
		st, err := r.status(c.dev, v)
		if err != nil {
			return Status{}, c.refuse(err)
		}
		return st, nil
	}
	if c.status == nil {
		record, err := c.dev.status.take(false)
		if err != nil {
			return Status{}, c.refuse(err)
		}
		c.status = record
		c.eager(v.Operator, "a status record of the caller's (Scope.ReportTo)")
	}
	return c.status.add(v), nil
}
