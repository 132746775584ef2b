package oxrt

import "sync"

// streamOrder is what is known about the order of a stream's launches. Wrappers of one handle share it.
//
// A programmatic launch starts while the launches ahead still run and waits for them itself (PTX ISA, griddepcontrol). What it reads
// before that wait, its constants, must not be what one of them writes. As the launch ahead may start early too, that means everything
// written since the last launch that waited for all of the stream: a full dependency.
type streamOrder struct {
	sync.Mutex // held over a submission and its number

	written []span // since the last full dependency
	graph   bool   // and what a graph wrote
}

// span is a range of addresses.
type span struct{ lo, hi DevicePtr }

func (a span) overlaps(b span) bool { return a.lo < b.hi && b.lo < a.hi }

// maxWritten is how many ranges are remembered. A launch that finds them used up, and reads constants, waits for everything.
const maxWritten = 64

// touch is memory of an operator whose first command is that one: written, or read early.
type touch struct {
	span
	command int
	early   bool
}

// touch notes what an operand does to the order.
func (c *scopeCore) touch(o *Operand, r *Region) {
	if write := o.Access&Write != 0; (write || o.Constant) && r.elems > 0 {
		c.touches = append(c.touches, touch{span{r.ptr, r.ptr + DevicePtr(r.Bytes())}, len(c.batch.Commands), !write})
	}
}

// orderLaunches makes those programmatic launches wait whose constants are written by work that may still run. The order is locked.
func (c *scopeCore) orderLaunches() {
	order, first, next := c.stream.order, 0, 0
	for i := range c.batch.Commands {
		cmd := &c.batch.Commands[i]
		if next < len(c.touches) && c.touches[next].command == i {
			for first = next; next < len(c.touches) && c.touches[next].command == i; {
				next++
			}
		}
		switch own := c.touches[first:next]; cmd.Kind {
		case CommandLaunch:
			if cmd.Flags&LaunchProgrammatic != 0 && order.endangers(own) {
				cmd.Flags &^= LaunchProgrammatic
			}
			order.add(own, cmd.Flags&LaunchProgrammatic == 0)
		case CommandFill, CommandCopy:
			order.add(own, true)
		}
	}
}

// endangers tells whether something that an operator reads early may be written by work ahead.
func (o *streamOrder) endangers(own []touch) bool {
	for i := range own {
		if !own[i].early {
			continue
		}
		if o.graph || len(o.written) == maxWritten {
			return true
		}
		for _, w := range o.written {
			if w.overlaps(own[i].span) {
				return true
			}
		}
	}
	return false
}

// add notes what a command writes. One that waits for all of the stream leaves nothing behind it unfinished.
func (o *streamOrder) add(own []touch, waits bool) {
	if waits {
		o.written, o.graph = o.written[:0], false
	}
	for i := range own {
		if !own[i].early {
			o.write(own[i].span)
		}
	}
}

// write remembers a range. Ranges that are there already, as in a loop over the same buffers, take no more room.
func (o *streamOrder) write(s span) {
	for _, w := range o.written {
		if w.lo <= s.lo && s.hi <= w.hi {
			return
		}
	}
	if len(o.written) < maxWritten {
		o.written = append(o.written, s)
	}
}

// streamOrders are the orders of a device's streams by handle.
type streamOrders struct {
	mu  sync.Mutex
	all map[StreamHandle]*streamOrder
}

// of returns the order of a stream, the same one for every wrapper of the handle.
func (t *streamOrders) of(h StreamHandle) *streamOrder {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.all[h]
	if o == nil {
		if t.all == nil {
			t.all = map[StreamHandle]*streamOrder{}
		}
		o = &streamOrder{written: make([]span, 0, maxWritten)}
		t.all[h] = o
	}
	return o
}

// forget drops the order of an own stream that is destroyed.
func (t *streamOrders) forget(h StreamHandle) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, h)
}
