package abi

import (
	"sync"
	"sync/atomic"
)

// Ref is a handle as the caller holds it: 4 bits of kind, 28 of slot, 32 of generation. Zero is never given out.
type Ref uint64

// kind says what a handle names.
type kind uint8

const (
	deviceKind kind = iota + 1
	streamKind
	planKind
	scopeKind
	completionKind
)

var kindNames = [...]string{"nothing", "device", "stream", "plan", "scope", "completion"}

const slotBits = 28

func newRef(k kind, slot, generation uint32) Ref {
	return Ref(k)<<60 | Ref(slot)<<32 | Ref(generation)
}

func (r Ref) kind() kind         { return kind(r >> 60) }
func (r Ref) slot() uint32       { return uint32(r>>32) & (1<<slotBits - 1) }
func (r Ref) generation() uint32 { return uint32(r) }

// entry is one object that a handle names. It is immutable but for the mark.
type entry[T any] struct {
	ref      Ref
	value    *T
	poisoned atomic.Bool
}

// poison marks the object of a call that panicked.
func (e *entry[T]) poison() {
	if e != nil {
		e.poisoned.Store(true)
	}
}

// table gives out handles. Looking one up takes no lock: calls of many threads meet here.
type table[T any] struct {
	kind  kind
	mu    sync.Mutex
	slots atomic.Pointer[[]*atomic.Pointer[entry[T]]]
	free  []uint32
	gens  []uint32
	live  int
}

// add gives the value a handle.
func (t *table[T]) add(v *T) Ref {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) == 0 {
		t.grow()
	}
	slot := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	t.gens[slot]++
	t.live++
	e := &entry[T]{ref: newRef(t.kind, slot, t.gens[slot]), value: v}
	(*t.slots.Load())[slot].Store(e)
	return e.ref
}

// grow doubles the slots. Readers keep the array they have loaded; the slots themselves do not move.
func (t *table[T]) grow() {
	var old []*atomic.Pointer[entry[T]]
	if p := t.slots.Load(); p != nil {
		old = *p
	}
	slots := append([]*atomic.Pointer[entry[T]]{}, old...)
	for range max(16, len(old)) {
		t.free = append(t.free, uint32(len(slots)))
		slots = append(slots, new(atomic.Pointer[entry[T]]))
		t.gens = append(t.gens, 0)
	}
	t.slots.Store(&slots)
}

// get returns the object of a handle.
func (t *table[T]) get(r Ref) (*entry[T], error) {
	e := t.find(r)
	if e == nil {
		return nil, t.unknown(r)
	}
	if e.poisoned.Load() {
		return nil, refuse(Poisoned, "%s handle %#x: %v", kindNames[t.kind], uint64(r), Poisoned)
	}
	return e, nil
}

// on runs an action on the object of a handle. A panic inside becomes an error and poisons the handle.
func (t *table[T]) on(r Ref, do func(*T) error) (err error) {
	e, err := t.get(r)
	defer recovered(&err, e.poison)
	if err != nil {
		return err
	}
	return do(e.value)
}

func (t *table[T]) find(r Ref) *entry[T] {
	p := t.slots.Load()
	if p == nil || r.kind() != t.kind || int(r.slot()) >= len(*p) {
		return nil
	}
	e := (*p)[r.slot()].Load()
	if e == nil || e.ref != r {
		return nil
	}
	return e
}

func (t *table[T]) unknown(r Ref) error {
	if k := r.kind(); k != t.kind && k != 0 && int(k) < len(kindNames) {
		return refuse(Handle, "handle %#x is that of a %s, want a %s", uint64(r), kindNames[k], kindNames[t.kind])
	}
	return refuse(Handle, "%#x is no %s handle, or one that was destroyed", uint64(r), kindNames[t.kind])
}

// take ends a handle, a poisoned one too, and returns its object.
func (t *table[T]) take(r Ref) (*T, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.find(r)
	if e == nil {
		return nil, t.unknown(r)
	}
	(*t.slots.Load())[r.slot()].Store(nil)
	t.live--
	if t.gens[r.slot()] != ^uint32(0) { // a slot whose generations are used up stays empty
		t.free = append(t.free, r.slot())
	}
	return e.value, nil
}

func (t *table[T]) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live
}
