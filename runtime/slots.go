package oxrt

import "sync"

// completions is a device's table of completion slots. Slots are used in turn: a settled slot is not used again before CompletionsKept
// others, which is what lets a completion be a plain number pair.
type completions struct {
	dev *Device

	mu     sync.Mutex
	slots  []*slot
	idle   ring[uint32]     // settled slots, the longest settled first
	flight ring[Completion] // submissions in order; settled ones are skipped
}

type slotState uint8

const (
	slotIdle     slotState = iota // never used
	slotTaken                     // between take and commit
	slotInFlight                  // submitted
	slotSettled                   // err is the outcome
)

type slot struct {
	event  EventHandle
	gen    uint32
	state  slotState
	err    error
	op     string // the operator that the error names
	leases []*lease
}

// warm makes the first slots, so that submissions create no events until that many are in flight.
func (t *completions) warm() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for range CompletionsKept + 32 {
		index, err := t.grow()
		if err != nil {
			return err
		}
		t.idle.push(index)
	}
	return nil
}

func (t *completions) grow() (uint32, error) {
	event, code := t.dev.drv.EventCreate(t.dev.ctx, false)
	if code != CodeSuccess {
		return 0, t.dev.fail("cuEventCreate", "", code)
	}
	t.slots = append(t.slots, &slot{event: event, leases: make([]*lease, 0, 8)})
	return uint32(len(t.slots) - 1), nil
}

// take reserves a slot for a submission.
func (t *completions) take() (Completion, *slot, error) {
	t.mu.Lock()
	t.skipSettled()
	for tries := 0; t.idle.len() <= CompletionsKept && tries < 2 && t.flight.len() > 0; tries++ {
		if !t.reapOldest() {
			break
		}
	}
	defer t.mu.Unlock()
	var index uint32
	if t.idle.len() > CompletionsKept {
		index = t.idle.pop()
	} else {
		i, err := t.grow()
		if err != nil {
			return Completion{}, nil, err
		}
		index = i
	}
	s := t.slots[index]
	s.gen++
	s.state, s.err, s.op = slotTaken, nil, ""
	return Completion{t.dev, index, s.gen}, s, nil
}

// commit puts a taken slot in flight.
func (t *completions) commit(c Completion) {
	t.mu.Lock()
	t.slots[c.slot].state = slotInFlight
	t.flight.push(c)
	t.mu.Unlock()
}

// settle ends a taken or flying submission and gives its leases back. Only the goroutine that changed the state does so; the slot can
// be reused only after that.
func (t *completions) settle(c Completion, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.slots[c.slot]; s.gen == c.gen && (s.state == slotInFlight || s.state == slotTaken) {
		t.settleLocked(c.slot, s, err)
	}
}

// settleLocked releases the lock while leases are given back, because freeing memory may wait for the device.
func (t *completions) settleLocked(index uint32, s *slot, err error) {
	s.state, s.err = slotSettled, err
	t.mu.Unlock()
	for i, l := range s.leases {
		l.release()
		s.leases[i] = nil
	}
	s.leases = s.leases[:0]
	t.mu.Lock()
	t.idle.push(index)
}

func (t *completions) poll(c Completion) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if int(c.slot) >= len(t.slots) || t.slots[c.slot].gen != c.gen {
		return true, ErrStale
	}
	s := t.slots[c.slot]
	if s.state == slotInFlight {
		t.query(c.slot, s)
	}
	if s.gen != c.gen {
		return true, ErrStale
	}
	return s.state == slotSettled, s.err
}

// query asks the driver about a flying slot and settles it if it is done.
func (t *completions) query(index uint32, s *slot) bool {
	code := t.dev.drv.EventQuery(t.dev.ctx, s.event)
	switch code {
	case CodeNotReady:
		return false
	case CodeSuccess:
		t.settleLocked(index, s, nil)
	default:
		t.settleLocked(index, s, t.dev.failEvent("completion", s.op, s.event, code))
	}
	return true
}

func (t *completions) skipSettled() {
	for t.flight.len() > 0 {
		c := t.flight.front()
		if s := t.slots[c.slot]; s.gen == c.gen && s.state == slotInFlight {
			return
		}
		t.flight.pop()
	}
}

// reapOldest settles the oldest flying submission if it is done.
func (t *completions) reapOldest() bool {
	t.skipSettled()
	if t.flight.len() == 0 {
		return false
	}
	c := t.flight.front()
	return t.query(c.slot, t.slots[c.slot])
}

// reap settles every submission that is done.
func (t *completions) reap() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := t.flight.len(); n > 0 && t.flight.len() > 0; n-- {
		c := t.flight.pop()
		s := t.slots[c.slot]
		if s.gen == c.gen && s.state == slotInFlight && !t.query(c.slot, s) {
			t.flight.push(c)
		}
	}
}

// settleAll ends every submission after the device has been waited for.
func (t *completions) settleAll(code Code) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.flight.len() > 0 {
		c := t.flight.pop()
		s := t.slots[c.slot]
		if s.gen != c.gen || s.state != slotInFlight {
			continue
		}
		if code == CodeSuccess {
			t.settleLocked(c.slot, s, nil)
		} else {
			t.settleLocked(c.slot, s, t.dev.failEvent("completion", s.op, s.event, code))
		}
	}
}

func (t *completions) destroy() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.slots {
		t.dev.drv.EventDestroy(t.dev.ctx, s.event)
	}
	t.slots = nil
}
