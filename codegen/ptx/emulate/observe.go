package emulate

import (
	"math/bits"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// The seam between the machine and those who watch it: profiles and traces. A watched launch runs its warps in a loop of its
// own (watchFrag); any other runs as if nobody could watch.

// Observer is told of every instruction that one goroutine of a launch executes, in order. The Step is valid during the call.
type Observer func(*Step)

// Launched describes a launch to those who observe it.
type Launched struct {
	Kernel *Kernel
	LaunchConfig
	Blocks int // that run; fewer than the grid has where Config.Blocks says so
	Worker int // goroutine; Config.Workers 1 makes it the only one
	// Memory is the live allocations of global memory, by ascending addresses.
	Memory []Range
}

// Step is one instruction executed by lanes of a warp.
type Step struct {
	Instr  *ptx.Instr // nil: the return at the end of a body
	Line   int        // of the text
	PC     int        // number of the instruction in the kernel's code
	Block  int        // in launch order
	Warp   int        // in the block
	Active uint32     // lanes that came to the instruction together
	Mask   uint32     // those of them whose guard holds
	// Waits: the lanes could not go on. Again: when what they wait for has happened, they execute the instruction anew; behind a
	// barrier or a rendezvous of lanes they go on without that.
	Waits, Again bool
	Refs         []Reference // the address operands, in text order
	// Copies are the asynchronous operations that the instruction started. A wgmma is started by the last of its four warps.
	Copies []Copy

	w  *warp
	in *inst
}

// Reference is an address operand of an instruction.
type Reference struct {
	// Space is Global, Shared, SharedCluster, Local or Param. That of a generic address is where the first lane points.
	Space isa.Space
	Bytes int // of a lane's access; 0: another operand has the number
	// Addr holds the address of each lane in Step.Mask: global ones of the device, others from the start of their window. That
	// of shared memory has the rank of its block in the cluster from bit 24 on.
	Addr [warpSize]uint64
}

// Copy is one asynchronous operation.
type Copy struct {
	Reads, Writes []Range
	Matrix        bool // a wgmma: what it reads from shared memory is not listed
	Barrier       bool // an mbarrier counts the bytes: the one at Bar, of the block of that rank
	Bar           uint64
	Rank          int
}

// Range is contiguous memory.
type Range struct {
	Space isa.Space // Global or Shared
	Rank  int       // of the block whose shared memory it is
	Addr  uint64
	Bytes int
}

// Value is what an instruction wrote to one register.
type Value struct {
	Name  string
	Lanes [warpSize]uint64 // 0 or 1 of a predicate
}

// Values returns what the instruction wrote, lane by lane; those outside Mask hold what they held.
func (s *Step) Values() []Value {
	var out []Value
	for _, id := range s.in.writes {
		v := Value{Name: s.w.k.names[id]}
		if i := int(id) - s.w.k.nregs; i >= 0 {
			for l := range v.Lanes {
				v.Lanes[l] = uint64(s.w.preds[i] >> l & 1)
			}
		} else {
			v.Lanes = s.w.regs[id]
		}
		out = append(out, v)
	}
	return out
}

// Thread returns the coordinates of a lane.
func (s *Step) Thread(lane int) Thread { return s.w.thread(lane) }

// CTABarrier returns the number of the CTA barrier that the instruction works on.
func (s *Step) CTABarrier() (id int, ok bool) {
	if s.in == nil || s.in.bar == nil || s.Mask == 0 {
		return 0, false
	}
	return int(s.w.val(s.in.bar.id)[bits.TrailingZeros32(s.Mask)]), true
}

// Rank is the block's rank in its cluster.
func (s *Step) Rank() int { return s.w.cta.rank }

// Cluster numbers the block's cluster in launch order.
func (s *Step) Cluster() int { return s.Block / len(s.w.cta.cluster.ctas) }

// watch tells one observer of what a worker does.
type watch struct {
	see  Observer
	step Step
}

// live lists the allocations that have not been freed.
func (d *Device) live() []Range {
	var all []Range
	for _, a := range d.allocs {
		if a.data != nil {
			all = append(all, Range{Space: isa.Global, Addr: a.base, Bytes: int(a.size)})
		}
	}
	return all
}

func newWatch(l *launch, worker int) *watch {
	f := l.dev.cfg.Observe
	if f == nil {
		return nil
	}
	see := f(Launched{Kernel: l.k, LaunchConfig: l.LaunchConfig, Blocks: l.running(), Worker: worker, Memory: l.dev.live()})
	if see == nil {
		return nil
	}
	return &watch{see: see}
}

// watchFrag is runFrag for a launch that is observed.
func (w *warp) watchFrag(stop int32, quantum int) (ran int) {
	code, o := w.k.code, w.run.watch
	f := &w.frags[w.cur]
	pc, all := f.pc, f.mask
	width := uint64(bits.OnesCount32(all))
	for ran < quantum && pc < stop {
		in := &code[pc]
		m := all
		if in.guard != noGuard {
			m = w.guardMask(in, all)
		}
		ran++
		w.threads += width
		o.begin(w, in, pc, all, m)
		if in.ctl != nil {
			f.pc = pc
			over := in.ctl(w, in, m)
			if over {
				o.step.Waits, o.step.Again = w.stays(pc, m)
			}
			o.end()
			if over {
				return ran
			}
			pc = f.pc
			continue
		}
		if m != 0 {
			in.exec(w, in, m)
			if in.outs != nil && w.run.initcheck {
				w.flow(in, m)
			}
		}
		o.end()
		pc++
	}
	f.pc = pc
	return ran
}

// stays reports whether lanes of m wait at an instruction, and whether they will execute it again.
func (w *warp) stays(pc int32, m uint32) (waits, again bool) {
	for i := range w.frags {
		if f := &w.frags[i]; f.pc == pc && f.mask&m != 0 && f.state != ready && f.state != spinYield {
			return true, f.state == atMbarrier || f.state == atRegisters || f.state == atGrid
		}
	}
	return false, false
}

// begin notes what an instruction will do before it changes the registers that say so.
func (o *watch) begin(w *warp, in *inst, pc int32, all, m uint32) {
	s := &o.step
	*s = Step{Instr: in.text, Line: int(in.line), PC: int(pc), Block: w.cta.index, Warp: w.index, Active: all, Mask: m,
		Refs: s.Refs[:0], Copies: s.Copies[:0], w: w, in: in}
	if m == 0 || !in.own {
		return
	}
	for i := range in.places {
		s.Refs = append(s.Refs, w.reference(&in.places[i], m))
	}
}

func (o *watch) end() {
	if o.step.in.own || o.step.Instr == nil {
		o.see(&o.step)
	}
}

// reference evaluates an address operand.
func (w *warp) reference(p *place, m uint32) Reference {
	base, first := w.val(p.base), bits.TrailingZeros32(m)&31
	r := Reference{Space: p.spaceOf(base[first] + p.off), Bytes: int(p.bytes)}
	for l := range r.Addr {
		r.Addr[l] = base[l] + p.off
		if p.space == isa.Generic && r.Space != isa.Global {
			r.Addr[l] &= 1<<windowShift - 1
		}
	}
	return r
}

// copies tells of an asynchronous operation.
func (o *watch) copies(op *asyncOp) {
	c := Copy{Matrix: op.kind == asyncMatrix}
	if op.bar != nil {
		c.Barrier, c.Bar, c.Rank = true, op.bar.addr, op.bar.cta.rank
	}
	for _, s := range op.reads {
		c.Reads = append(c.Reads, s.asRange())
	}
	for _, s := range op.writes {
		c.Writes = append(c.Writes, s.asRange())
	}
	o.step.Copies = append(o.step.Copies, c)
}

func (s span) asRange() Range {
	if s.cta == nil {
		return Range{Space: isa.Global, Addr: s.addr, Bytes: int(s.n)}
	}
	return Range{Space: isa.Shared, Rank: s.cta.rank, Addr: s.addr, Bytes: int(s.n)}
}

// chosen is how many clusters of a launch run. Where clusters cannot see each other, Config.Blocks may ask for a part.
func (l *launch) chosen() int {
	size := int(volume(l.Cluster))
	all := l.ctas / size
	if n := l.dev.cfg.Blocks; n > 0 && l.k.private {
		return min(all, (n+size-1)/size)
	}
	return all
}

// running is how many blocks run.
func (l *launch) running() int { return l.chosen() * int(volume(l.Cluster)) }

// cluster is the place in the grid of the i-th cluster that runs: spread evenly, the first and the last among them.
func (l *launch) cluster(i int) int {
	all, n := l.ctas/int(volume(l.Cluster)), l.chosen()
	if n == all || n == 1 {
		return i
	}
	return int(int64(i) * int64(all-1) / int64(n-1))
}
