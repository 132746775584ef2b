package emulate

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// StreamLaunch is one launch of a stream.
type StreamLaunch struct {
	Kernel *Kernel
	Config LaunchConfig
	Params []byte
}

// LaunchAll runs launches in stream order. One whose Config.Dependent is set may start before the one before it has
// ended: as soon as all blocks of that one have executed griddepcontrol.launch_dependents or ended. It starts then with
// AsyncEarly, at a random time after that with AsyncRandom, and after the end with AsyncLate; no third grid overlaps.
// What the dependent grid does to global memory before griddepcontrol.wait must not touch what its predecessor does:
// that is reported as race.global in every mode, for all schedules.
//
// The results are those of the launches that ran. An error is about a launch that was refused.
func (d *Device) LaunchAll(list []StreamLaunch) ([]*Result, error) {
	var out []*Result
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n].Config.Dependent {
			n++
		}
		res, err := d.launchChain(list[i : i+n])
		out = append(out, res...)
		if err != nil {
			return out, err
		}
		i += n
	}
	return out, nil
}

// launchChain runs launches of which all but the first are dependent.
func (d *Device) launchChain(list []StreamLaunch) (out []*Result, err error) {
	if len(list) == 1 {
		res, err := d.Launch(list[0].Kernel, list[0].Config, list[0].Params)
		if err != nil {
			return nil, err
		}
		return []*Result{res}, nil
	}
	chance := rand.New(rand.NewPCG(d.cfg.Seed, 0x6f78))
	var cur *worker
	start := func(l StreamLaunch) (*worker, error) {
		p, err := d.prepare(l.Kernel, l.Config, l.Params)
		if err != nil {
			return nil, err
		}
		return newWorker(p, 0, 1), nil
	}
	if cur, err = start(list[0]); err != nil {
		return nil, err
	}
	for i := 0; ; i++ {
		var next *worker
		if i+1 < len(list) {
			if next, err = start(list[i+1]); err != nil {
				return out, err
			}
			pair := &gridPair{pages: map[uint64]*pairPage{}}
			cur.follower, next.leader = pair, pair
			cur.after, next.before = next, cur
		}
		overlap(cur, next, chance)
		cur.explainStop()
		out = append(out, cur.result())
		if next == nil {
			return out, nil
		}
		next.before = nil
		next.releaseGrid()
		cur = next
	}
}

// overlap runs a grid to its end, and the next one beside it from the time that the mode allows.
func overlap(cur, next *worker, chance *rand.Rand) {
	started := false
	quiet, ran := 0, uint64(0)
	for cur.round() {
		if next == nil || cur.async == AsyncLate {
			continue
		}
		if !started && cur.triggered == cur.l.running() {
			started = cur.async == AsyncEarly || chance.IntN(4) == 0
		}
		if started {
			next.round()
		}
		if quiet++; cur.steps+next.steps != ran || !started {
			quiet, ran = 0, cur.steps+next.steps
		}
		if quiet > quietRounds {
			cur.after = nil // the next grid waits for this one: it will not help it out of a deadlock
		}
	}
}

// quietRounds is how often two grids may find nothing to run before neither helps the other.
const quietRounds = 64

// overlapped reports whether a grid behind this one may run now and has not ended: it may still change what is waited for.
func (w *worker) overlapped() bool {
	a := w.after
	return a != nil && w.async != AsyncLate && w.triggered == w.l.running() && !a.stopped && (a.next < a.clusters || len(a.resident) > 0)
}

func (w *worker) result() *Result {
	return &Result{CTAs: w.l.running(), Workers: 1, WarpInstructions: w.steps, ThreadInstructions: w.threads, Findings: merge([]*reporter{&w.rep})}
}

// releaseGrid lets those go on who wait for the grid before this one.
func (w *worker) releaseGrid() {
	for _, c := range w.resident {
		for _, x := range c.warps {
			for i := range x.frags {
				if x.frags[i].state == atGrid {
					x.frags[i].state = ready
				}
			}
		}
	}
}

// decodeGridDep is griddepcontrol (manual 9.7.13.13).
func decodeGridDep(b *build) {
	if b.oneOf("launch_dependents", "wait") == "launch_dependents" {
		b.inst.exec = func(w *warp, _ *inst, m uint32) { w.cta.trigger(w.run) }
		return
	}
	b.inst.ctl = func(w *warp, in *inst, m uint32) bool {
		if m != 0 && w.run.before != nil {
			w.part(m)
			w.frags[w.cur].state = atGrid
			return true
		}
		w.gridWaited |= m
		w.frags[w.cur].pc++
		return false
	}
}

// trigger notes that the CTA lets dependent grids start: it said so, or ended.
func (c *cta) trigger(r *worker) {
	if !c.triggered {
		c.triggered = true
		r.triggered++
	}
}

// gridPair records, for a grid and the dependent one behind it, which bytes of global memory the first one touched and
// which ones the second touched before its wait.
type gridPair struct{ pages map[uint64]*pairPage }

const pairPageBytes = 4096

// pairPage holds a cell for every four bytes.
type pairPage [pairPageBytes / 4]pairCell

// pairCell says, for each kind of access, which of the four bytes had one, four bits each, and the PTX line of the last.
type pairCell struct {
	bytes uint16
	lines [4]uint16
}

const (
	pairLeaderRead = iota
	pairLeaderWrite
	pairFollowerRead
	pairFollowerWrite
)

// pairConflicts lists the kinds that do not go together with each kind.
var pairConflicts = [4][]int{
	pairLeaderRead:    {pairFollowerWrite},
	pairLeaderWrite:   {pairFollowerRead, pairFollowerWrite},
	pairFollowerRead:  {pairLeaderWrite},
	pairFollowerWrite: {pairLeaderRead, pairLeaderWrite},
}

// note records an access and returns the line and kind of a conflicting one of the other grid; line 0 is none.
func (p *gridPair) note(addr, n uint64, kind int, line int32) (other, otherKind int) {
	for end := addr + n; addr < end; {
		page := p.pages[addr/pairPageBytes]
		if page == nil {
			page = &pairPage{}
			p.pages[addr/pairPageBytes] = page
		}
		next := min(end, addr&^3+4)
		mask := uint16(1<<(next-addr)-1) << (addr & 3)
		cell := &page[addr%pairPageBytes/4]
		cell.bytes |= mask << (4 * kind)
		cell.lines[kind] = uint16(min(line, math.MaxUint16))
		for _, k := range pairConflicts[kind] {
			if cell.bytes>>(4*k)&mask != 0 && other == 0 {
				other, otherKind = int(cell.lines[k]), k
			}
		}
		addr = next
	}
	return other, otherKind
}

// pairs reports whether accesses to global memory have to be recorded.
func (w *warp) pairs() bool { return w.run.follower != nil || w.run.leader != nil }

// noteGrid records the accesses of some lanes to global memory where grids may overlap.
func (w *warp) noteGrid(in *inst, p *place, m uint32, write bool) {
	base := w.val(p.base)
	for t := m; t != 0; t &= t - 1 {
		l := bits.TrailingZeros32(t) & 31
		if addr := base[l] + p.off; p.spaceOf(addr) == isa.Global {
			w.noteBytes(in, l, addr, p.bytes, write)
		}
	}
}

// noteSpans records what an asynchronous operation touches, when it is issued.
func (w *warp) noteSpans(op *asyncOp, list []span, write bool) {
	for _, s := range list {
		if s.cta == nil {
			w.noteBytes(op.in, bits.TrailingZeros32(op.lanes), s.addr, s.n, write)
		}
	}
}

// noteBytes records one access of a lane.
func (w *warp) noteBytes(in *inst, l int, addr, n uint64, write bool) {
	kind := pairLeaderRead
	if write {
		kind = pairLeaderWrite
	}
	if p := w.run.follower; p != nil {
		w.gridConflict(in, l, addr, n, p, kind)
	}
	if p := w.run.leader; p != nil && w.gridWaited>>l&1 == 0 {
		w.gridConflict(in, l, addr, n, p, kind+pairFollowerRead)
	}
}

func (w *warp) gridConflict(in *inst, l int, addr, n uint64, p *gridPair, kind int) {
	other, otherKind := p.note(addr, n, kind, in.line)
	if other == 0 || w.known(RaceGlobal, in) {
		return
	}
	verbs := [...]string{"read", "write", "read", "write"}
	who := "the dependent grid, before its griddepcontrol.wait"
	if kind >= pairFollowerRead {
		who = "the grid before, which this one has not waited for"
	}
	mine := Access{Kind: verbs[kind], Space: "global", Addr: addr, Bytes: n, Line: int(in.line), Threads: w.threadsOf(1 << l)}
	theirs := Access{Kind: verbs[otherKind], Space: "global", Addr: addr, Bytes: n, Line: other}
	w.run.report(w.cta, Finding{Class: RaceGlobal, Line: int(in.line), Threads: mine.Threads, Section: "9.7.13.13", Accesses: []Access{mine, theirs},
		Message: fmt.Sprintf("a %s of %#x (%s) meets a %s at line %d of %s", verbs[kind], addr, w.run.l.dev.describe(addr, n), verbs[otherKind], other, who)})
}
