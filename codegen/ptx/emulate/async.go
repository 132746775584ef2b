package emulate

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
)

// AsyncMode says when an asynchronous operation takes effect between its issue and the wait that observes it. The
// manual leaves this open, so a kernel must give the same result in every mode.
type AsyncMode uint8

// The modes. Late is the default: a wait that is missing gives undefined bytes there.
const (
	// AsyncLate completes an operation when a wait observes it, or when nothing else can run. Until then its
	// destination is undefined; its sources are read at the end.
	AsyncLate AsyncMode = iota
	// AsyncEarly does everything at the issue: a slot that is filled before its readers are done loses their data.
	AsyncEarly
	// AsyncRandom reads the sources, writes the destination and signals at moments that Config.Seed chooses, and lets
	// mbarrier.try_wait give up early.
	AsyncRandom
)

var asyncNames = []string{"late", "early", "random"}

// String is the name that ParseAsync takes.
func (m AsyncMode) String() string { return asyncNames[m] }

// ParseAsync returns the mode of a name: "early", "late" or "random".
func ParseAsync(name string) (AsyncMode, error) {
	i := slices.Index(asyncNames, name)
	if i < 0 {
		return 0, fmt.Errorf("emulate: %q is no mode of asynchronous completion: early, late or random", name)
	}
	return AsyncMode(i), nil
}

// Bits of the shadow byte that every byte of shared, local and global memory has.
const (
	shadowWritten byte = 1 << iota // somebody gave it a value
	shadowTarget                   // an asynchronous operation in flight will write it
	shadowSource                   // an asynchronous operation in flight will read it; shared memory only
	shadowBarrier                  // part of an mbarrier; shared memory only
)

// span is a range of memory that an asynchronous operation touches.
type span struct {
	cta  *cta   // whose shared memory it is; nil: global memory
	addr uint64 // in the window of the CTA, or the device address
	n    uint64
}

// asyncKind tells the operations apart in messages.
type asyncKind uint8

const (
	asyncCopy   asyncKind = iota // cp.async
	asyncBulk                    // cp.async.bulk, cp.reduce.async.bulk and their tensor forms
	asyncRemote                  // st.async, red.async
	asyncMatrix                  // wgmma.mma_async
)

// asyncStage is how far an operation in flight is.
type asyncStage uint8

const (
	asyncIssued asyncStage = iota
	asyncTaken             // the sources are read
	asyncDone
)

// asyncOp is an asynchronous operation: what it reads and writes, how it does so, and what counts its completion. An
// operation of several lanes is one record.
type asyncOp struct {
	kind          asyncKind
	warp          *warp // issued it
	lanes         uint32
	in            *inst
	reads, writes []span
	combines      bool // the old bytes of the destination count (reductions): they are not poisoned
	// take reads the sources, give writes the destination. Either may be nil; take runs first.
	take, give func()
	// signal tells the completion mechanism: the bytes of an mbarrier's phase. Groups are waited for by those who
	// hold the operation and need no signal.
	signal func()
	// sources are what the operation reads in many small pieces, instead of reads; nil: there are none.
	sources func(yield func(span) bool)
	after   []*asyncOp // have to be done before this one
	stage   asyncStage
	bar     *mbarrier // that signal tells, or nil
	// waited: a group wait covered it, or an mbarrier will tell. readDone: its sources were waited for.
	waited, readDone bool
}

// signalTo makes the completion of an operation an event of an mbarrier.
func (op *asyncOp) signalTo(b *mbarrier, tell func()) {
	op.bar = b
	b.flight = append(b.flight, op)
	op.signal = func() {
		b.done(op)
		tell()
	}
}

// line is the PTX line of the instruction that issued the operation.
func (op *asyncOp) line() int { return int(op.in.line) }

// issue starts an operation: everything happens now, or its destination is undefined from now on.
func (r *worker) issue(op *asyncOp) {
	r.progress++
	if r.track != nil {
		r.track.issue(op)
	}
	if r.watch != nil {
		r.watch.copies(op)
	}
	if op.warp.pairs() {
		op.warp.noteSpans(op, op.reads, false)
		op.warp.noteSpans(op, op.writes, true)
	}
	if r.async == AsyncEarly {
		r.settle(op)
		return
	}
	c := op.warp.cta
	c.flight = append(c.flight, op)
	for _, s := range op.reads {
		r.mark(s, shadowSource)
	}
	for _, s := range op.writes {
		if !op.combines {
			r.poison(s)
		}
		r.mark(s, shadowTarget)
	}
}

// takeSources runs the part of an operation that reads.
func (r *worker) takeSources(op *asyncOp) {
	if op.stage != asyncIssued {
		return
	}
	for _, o := range op.after {
		r.settle(o)
	}
	op.stage = asyncTaken
	if op.take != nil {
		op.take()
	}
	for _, s := range op.reads {
		r.unmark(op.warp.cta, s, shadowSource)
	}
}

// settle runs what is left of an operation and signals its completion.
func (r *worker) settle(op *asyncOp) {
	if op.stage == asyncDone {
		return
	}
	r.takeSources(op)
	op.stage = asyncDone
	if f := op.warp.cta.flight; len(f) > 0 {
		if i := slices.Index(f, op); i >= 0 {
			op.warp.cta.flight = slices.Delete(f, i, i+1)
		}
	}
	for _, s := range op.writes {
		r.unmark(op.warp.cta, s, shadowTarget)
	}
	if op.give != nil {
		op.give()
	}
	r.progress++
	if op.signal != nil {
		op.signal()
	}
}

// advance moves operations of a CTA on at random (AsyncRandom).
func (r *worker) advance(c *cta) {
	if r.async != AsyncRandom || len(c.flight) == 0 {
		return
	}
	for _, op := range slices.Clone(c.flight) {
		switch c.chance.IntN(8) {
		case 0:
			r.takeSources(op)
		case 1:
			r.settle(op)
		}
	}
}

// bytesOf returns the memory of a span and its shadow, or nil where the CTA or allocation has no such bytes.
func (r *worker) bytesOf(s span) (mem, shadow []byte) {
	if s.cta != nil {
		return s.cta.sharedAt(s.addr, s.n)
	}
	return r.globalAt(s.addr, s.n)
}

// mark sets a shadow bit. Sources in global memory are not marked: CTAs of other goroutines may read them too.
func (r *worker) mark(s span, bit byte) {
	if s.cta == nil && bit == shadowSource {
		return
	}
	_, shadow := r.bytesOf(s)
	orBytes(shadow, bit)
}

// unmark clears a shadow bit, and sets it again where another operation of the CTA still needs it.
func (r *worker) unmark(c *cta, s span, bit byte) {
	if r.async == AsyncEarly || s.cta == nil && bit == shadowSource {
		return
	}
	_, shadow := r.bytesOf(s)
	clearBytes(shadow, bit)
	if bit != shadowSource {
		return // two operations in flight do not write the same bytes: that is reported
	}
	for _, o := range c.flight {
		if o.stage != asyncIssued {
			continue
		}
		for _, t := range o.reads {
			if t.cta != nil && t.overlaps(s) {
				r.mark(t, bit)
			}
		}
	}
	if s.cta != nil && bit == shadowSource {
		s.cta.markMatrices(s)
	}
}

// orBytes sets bits in every byte, eight bytes at a time.
func orBytes(b []byte, bit byte) {
	x := uint64(bit) * 0x0101010101010101
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)|x)
	}
	for i := range b {
		b[i] |= bit
	}
}

func clearBytes(b []byte, bit byte) {
	x := ^(uint64(bit) * 0x0101010101010101)
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)&x)
	}
	for i := range b {
		b[i] &^= bit
	}
}

// overlaps reports whether two spans share a byte.
func (s span) overlaps(t span) bool {
	return s.cta == t.cta && s.addr < t.addr+t.n && t.addr < s.addr+s.n
}

// poisonByte fills destinations in flight: no float, index or pointer that a kernel expects.
const poisonByte = 0xc9

// poison makes the bytes of a span undefined.
func (r *worker) poison(s span) {
	mem, shadow := r.bytesOf(s)
	fill(mem, poisonByte)
	clearBytes(shadow, shadowWritten)
}

// newChance returns the source of the random decisions of a CTA: it depends on the seed and the CTA, not on who runs.
func newChance(seed uint64, index int) *rand.Rand {
	return rand.New(rand.NewPCG(seed^0x9e3779b97f4a7c15, uint64(index)))
}
