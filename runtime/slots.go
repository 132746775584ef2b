package oxrt

import (
	"sync"
	"sync/atomic"
)

// completions is a device's table of completion slots. An outcome stays readable for a number of later submissions, which is what lets
// a completion be a plain number pair: CompletionsKept once somebody has read it, unreadKept before that. Events are pooled
// apart from the slots, so that an outcome nobody reads holds no driver object.
type completions struct {
	dev *Device

	mu     sync.Mutex
	slots  []*slot
	events ring[EventHandle]
	spare  atomic.Int32     // length of events, for a look without the lock
	read   ring[uint32]     // slots whose outcome was read, the longest read first
	unread ring[Completion] // settled ones in order; those read meanwhile are skipped
	flight ring[Completion] // submissions in order; settled ones are skipped

	submitted uint64
}

const (
	unreadKept = 1 << 14
	warmEvents = 256
	moreEvents = 64
)

const (
	slotTaken    = iota // between take and commit
	slotInFlight        // submitted
	slotSettling        // done; the leases are being given back
	slotSettled         // err is the outcome
	slotRead            // and somebody has seen it
)

type slot struct {
	event  EventHandle // zero once settled
	gen    uint32
	stream *Stream // the work went to, while in flight
	seq    uint64  // counts submissions; those of one stream are in its order
	state  atomic.Uint32
	err    error
	op     string // the operator that the error names
	leases []*lease
	status *statusRecord // where operators that validate report, nil if none does
}

// warm makes the first slots and events, so that submissions create nothing until that many are in flight.
func (t *completions) warm() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for range warmEvents {
		event, err := t.newEvent()
		if err != nil {
			return err
		}
		t.events.push(event)
		t.read.push(t.newSlot())
	}
	return nil
}

// moreEvents adds events by the dozen, so that a device far behind is not asked again at every submission.
func (t *completions) moreEvents() error {
	for range moreEvents {
		event, err := t.newEvent()
		if err != nil {
			if t.events.len() > 0 {
				return nil
			}
			return err
		}
		t.events.push(event)
	}
	return nil
}

func (t *completions) newEvent() (EventHandle, error) {
	event, code := t.dev.drv.EventCreate(t.dev.ctx, false)
	if code != CodeSuccess {
		return 0, t.dev.fail("cuEventCreate", "", code)
	}
	return event, nil
}

func (t *completions) newSlot() uint32 {
	s := &slot{leases: make([]*lease, 0, 8)}
	s.state.Store(slotRead)
	t.slots = append(t.slots, s)
	return uint32(len(t.slots) - 1)
}

// prepare sees to an event for the next submission. Settling runs release callbacks of external memory, so it happens here, where no
// stream is locked.
func (t *completions) prepare() {
	if t.spare.Load() > 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.events.len() == 0 {
		t.reapSome()
	}
	t.spare.Store(int32(t.events.len()))
}

// take reserves a slot and an event for a submission to a stream, whose order lock is held until commit or cancel: the numbers of a
// stream's submissions are in its order. The handle of per-thread streams names many queues, so that nothing follows from theirs.
func (t *completions) take(stream *Stream) (Completion, *slot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skipSettled()
	if t.events.len() == 0 {
		if err := t.moreEvents(); err != nil {
			return Completion{}, nil, err
		}
	}
	event := t.events.pop()
	t.spare.Store(int32(t.events.len()))
	index := t.freeSlot()
	s := t.slots[index]
	s.gen++
	s.state.Store(slotTaken)
	s.err, s.op, s.event, s.stream = nil, "", event, stream
	if stream.handle == StreamPerThread {
		s.stream = nil
	}
	t.submitted++
	s.seq = t.submitted
	c := Completion{t.dev, index, s.gen}
	t.flight.push(c)
	return c, s, nil
}

// freeSlot returns the slot that was read the longest ago, or the oldest one that nobody has read, or a new one.
func (t *completions) freeSlot() uint32 {
	for t.unread.len() > 0 {
		c := t.unread.front()
		s := t.slots[c.slot]
		pending := s.gen == c.gen && s.state.Load() == slotSettled
		if pending && t.unread.len() <= unreadKept {
			break
		}
		t.unread.pop()
		if pending {
			return c.slot
		}
	}
	if t.read.len() > CompletionsKept {
		return t.read.pop()
	}
	return t.newSlot()
}

// commit puts a taken slot in flight: its event is recorded.
func (s *slot) commit() { s.state.Store(slotInFlight) }

// cancel ends a taken submission that did not go to the device and gives its leases back. Nobody has its completion.
func (t *completions) cancel(c Completion) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.slots[c.slot]
	t.settleLocked(c.slot, s, nil)
	s.state.Store(slotRead)
	t.read.push(c.slot)
}

// settleLocked releases the lock while leases are given back, because freeing memory may wait for the device. Only then is the slot put
// where freeSlot finds it.
func (t *completions) settleLocked(index uint32, s *slot, err error) {
	if s.status != nil {
		err = s.settleStatus(t.dev, err)
	}
	s.err = err
	s.state.Store(slotSettling)
	t.events.push(s.event)
	s.event = 0
	if len(s.leases) > 0 {
		t.mu.Unlock()
		for i, l := range s.leases {
			l.release()
			s.leases[i] = nil
		}
		t.mu.Lock()
		s.leases = s.leases[:0]
	}
	s.state.Store(slotSettled)
	t.unread.push(Completion{t.dev, index, s.gen})
}

// settleStatus reads what the operators reported, where the work ran at all, and gives the record back to whom it belongs.
func (s *slot) settleStatus(d *Device, err error) error {
	r := s.status
	s.status = nil
	if err == nil {
		err = r.outcome()
	}
	if !r.graph {
		d.status.put(r)
	}
	return err
}

func (t *completions) poll(c Completion) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if int(c.slot) >= len(t.slots) || t.slots[c.slot].gen != c.gen {
		return true, ErrStale
	}
	s := t.slots[c.slot]
	if s.state.Load() == slotInFlight && !t.reapThrough(s) {
		t.query(c.slot, s)
	}
	if s.gen != c.gen {
		return true, ErrStale
	}
	if s.state.Load() == slotSettled {
		s.state.Store(slotRead)
		t.read.push(c.slot)
	}
	if s.state.Load() != slotRead {
		return false, nil
	}
	return true, s.err
}

// query asks the driver about a flying slot and settles it if it is done.
func (t *completions) query(index uint32, s *slot) bool {
	if lost := t.dev.lost.Load(); lost != nil {
		t.settleLocked(index, s, lost)
		return true
	}
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
		if s := t.slots[c.slot]; s.gen == c.gen && s.state.Load() <= slotInFlight {
			return
		}
		t.flight.pop()
	}
}

// reapSome settles submissions, so that events are free. A query costs as much as half a launch, so one
// answers for many where it can: the work of a stream ends in its order, and a failure loses the context, so that when the submission
// in the middle of the flight has succeeded, all before it on its stream have. A driver table that explains faults keeps them apart,
// one event each, and is asked about every one.
func (t *completions) reapSome() {
	t.skipSettled()
	if t.flight.len() == 0 {
		return
	}
	oldest := t.flight.front()
	s := t.slots[oldest.slot]
	if s.state.Load() == slotInFlight && !t.reapThrough(s) {
		t.query(oldest.slot, s)
	}
}

// reapThrough asks about the submission in the middle of the flight, if it came later on the stream of s, and settles everything up to
// it if it has succeeded; it reports whether that settled s.
func (t *completions) reapThrough(s *slot) bool {
	if t.dev.explainer != nil || t.dev.lost.Load() != nil || s.stream == nil || t.flight.len() < 2 {
		return false
	}
	mid := t.slots[t.flight.at(t.flight.len()/2).slot]
	if mid.state.Load() != slotInFlight || mid.stream != s.stream || mid.seq <= s.seq || t.dev.drv.EventQuery(t.dev.ctx, mid.event) != CodeSuccess {
		return false
	}
	t.settleUpTo(mid.stream, mid.seq)
	return true
}

// settleUpTo settles the submissions of a stream up to one that has succeeded.
func (t *completions) settleUpTo(stream *Stream, seq uint64) {
	for n := t.flight.len(); n > 0 && t.flight.len() > 0; n-- {
		c := t.flight.pop()
		s := t.slots[c.slot]
		switch {
		case s.gen != c.gen || s.state.Load() > slotInFlight:
		case s.state.Load() == slotInFlight && s.stream == stream && s.seq <= seq:
			t.settleLocked(c.slot, s, nil)
		default:
			t.flight.push(c)
		}
	}
}

// reap settles every submission that is done.
func (t *completions) reap() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for n := t.flight.len(); n > 0 && t.flight.len() > 0; n-- {
		c := t.flight.pop()
		s := t.slots[c.slot]
		if s.gen != c.gen || s.state.Load() > slotInFlight {
			continue
		}
		if s.state.Load() == slotTaken || !t.query(c.slot, s) {
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
		if s.gen != c.gen || s.state.Load() != slotInFlight {
			continue
		}
		var err error
		if code != CodeSuccess || t.dev.lost.Load() != nil {
			err = t.dev.failEvent("completion", s.op, s.event, code)
		}
		t.settleLocked(c.slot, s, err)
	}
}

func (t *completions) destroy() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.events.len() > 0 {
		t.dev.drv.EventDestroy(t.dev.ctx, t.events.pop())
	}
}
