package profile

import (
	"cmp"
	"math"
	"slices"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/isa"
)

// Recorder makes a profile of every launch that it observes. Its Observe needs Config.Workers at 1.
type Recorder struct {
	machine  Machine
	launches []*launch
}

// Blocks is how many blocks are enough to tell what they share from what each has for itself.
const Blocks = 24

// New returns a recorder. Latencies along the chain of dependencies are those of an H200.
func New() *Recorder { return &Recorder{machine: H200} }

// launch is a profile in the making.
type launch struct {
	about  emulate.Launched
	sites  sites
	counts []Counts       // by the number of the instruction
	steps  []emulate.Step // of them, for line and mnemonic
	chain  *tracker
	read   touched
	write  touched
	wgmmas uint64 // warps that executed one
}

// touched is which sectors blocks touch, by allocation.
type touched struct {
	memory []emulate.Range
	parts  []part
	last   int // allocation in hand
}

// part is what blocks touch of one allocation.
type part struct {
	all    sectors
	blocks map[int]*sectors
	sum    uint64 // over blocks
}

// at returns the part of an address. What lies in no allocation, such as constants of the module, belongs to the last part.
func (t *touched) at(addr uint64) *part {
	if t.parts == nil {
		t.parts = make([]part, len(t.memory)+1)
	}
	if t.last < len(t.memory) && t.holds(t.last, addr) {
		return &t.parts[t.last]
	}
	for i := range t.memory {
		if t.holds(i, addr) {
			t.last = i
			return &t.parts[i]
		}
	}
	return &t.parts[len(t.memory)]
}

func (t *touched) holds(i int, addr uint64) bool {
	m := &t.memory[i]
	return addr >= m.Addr && addr-m.Addr < uint64(m.Bytes)
}

func (t *touched) add(block int, addr, n uint64) {
	p := t.at(addr)
	b := p.blocks[block]
	if b == nil {
		if p.blocks == nil {
			p.blocks = map[int]*sectors{}
		}
		b = &sectors{}
		p.blocks[block] = b
	}
	p.sum += b.add(addr, n)
	p.all.add(addr, n)
}

// extent adds up the allocations.
func (t *touched) extent(n, grid int) Extent {
	var e Extent
	for i := range t.parts {
		size := math.Inf(1)
		if i < len(t.memory) {
			size = float64((t.memory[i].Bytes + sectorBytes - 1) / sectorBytes * sectorBytes)
		}
		e.add(extent(t.parts[i].sum, t.parts[i].all.count, n, grid, size))
	}
	return e
}

// Observe is the Observe of an emulate.Config.
func (r *Recorder) Observe(about emulate.Launched) emulate.Observer {
	if about.Worker != 0 {
		return nil
	}
	l := &launch{about: about, read: touched{memory: about.Memory}, write: touched{memory: about.Memory}, chain: newTracker(&r.machine, int(volume(about.Block)))}
	r.launches = append(r.launches, l)
	return l.step
}

// Profiles returns a profile of each launch so far, in order.
func (r *Recorder) Profiles() []*Profile {
	var all []*Profile
	for _, l := range r.launches {
		all = append(all, l.profile())
	}
	return all
}

// at returns the counts of an instruction.
func (l *launch) at(s *emulate.Step) *Counts {
	for len(l.counts) <= s.PC {
		l.counts = append(l.counts, Counts{})
		l.steps = append(l.steps, emulate.Step{})
	}
	l.steps[s.PC] = emulate.Step{Line: s.Line, Instr: s.Instr}
	return &l.counts[s.PC]
}

func (l *launch) step(s *emulate.Step) {
	c := l.at(s)
	if s.Again {
		c.Retries++
		return
	}
	x := l.sites.of(s)
	c.Warp++
	c.Thread += onesCount(s.Mask)
	c.Slots.add(x.cost.Slots, 1)
	if s.Mask != 0 {
		l.memory(s, x, c)
		l.copies(s, x, c)
	}
	switch {
	case x.waits:
		c.Waits++
	case x.flop != 0 && x.wgmma: // the four warps of a warpgroup are one instruction
		if l.wgmmas++; l.wgmmas%4 == 0 {
			c.matrix(x)
		}
	case x.flop != 0:
		c.matrix(x)
	case x.op == "bar" || x.op == "barrier":
		c.Barriers++
	}
	if x.op == "mbarrier" {
		c.Mbarriers++
	}
	l.chain.step(s, x, l)
}

func (c *Counts) matrix(x *site) {
	c.Matrix++
	c.MatrixFlop += x.flop
	c.MatrixBytes += x.shared
	c.Slots.Tensor += float64(x.flop) / narrow(x)
}

// memory counts the accesses of ld, st, atomics, ldmatrix and stmatrix.
func (l *launch) memory(s *emulate.Step, x *site, c *Counts) {
	switch x.op {
	case "ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix":
	case "prefetch", "prefetchu":
		c.Prefetch++
		return
	default:
		return
	}
	if len(s.Refs) == 0 || x.in.Form.Has("async") {
		return
	}
	r := &s.Refs[0]
	switch r.Space {
	case isa.Global:
		l.global(s, x, c, r)
	case isa.Shared, isa.SharedCluster:
		l.shared(s, x, c, r)
	case isa.Local:
		c.Local++
	}
}

func (l *launch) global(s *emulate.Step, x *site, c *Counts, r *emulate.Reference) {
	q := request(r, s.Mask)
	load, store := x.op == "ld" || x.op == "ldu", x.op == "st"
	switch {
	case load:
		c.Load.add(q)
	case store:
		c.Store.add(q)
	default:
		c.Atomic.add(q)
	}
	if !store {
		c.L2ToSM += q.Sectors * sectorBytes
	}
	if !load {
		c.SMToL2 += q.Sectors * sectorBytes
	}
	for m := s.Mask; m != 0; m &= m - 1 {
		a := r.Addr[trailing(m)]
		if !store {
			l.read.add(s.Block, a, uint64(r.Bytes))
		}
		if !load {
			l.write.add(s.Block, a, uint64(r.Bytes))
		}
	}
}

func (l *launch) shared(s *emulate.Step, x *site, c *Counts, r *emulate.Reference) {
	var b Banks
	switch x.op {
	case "ldmatrix", "stmatrix":
		b = matrixPhases(r, matrices(x.in.Form))
	default:
		b = phases(r, s.Mask, x.op == "atom" || x.op == "red")
	}
	if x.op == "ld" || x.op == "ldmatrix" {
		c.SharedLoad.add(b)
	} else {
		c.SharedStore.add(b)
	}
}

// copies counts what an instruction started. A multicast reads L2 once for all its destinations.
func (l *launch) copies(s *emulate.Step, x *site, c *Counts) {
	multicast := false
	for i := range s.Copies {
		k := &s.Copies[i]
		if k.Matrix {
			continue
		}
		if i == 0 || !x.cp {
			c.Copies++
		}
		var in, out, from uint64
		for _, r := range k.Reads {
			if r.Space == isa.Global {
				in += uint64(r.Bytes)
				l.read.add(s.Block, r.Addr, uint64(r.Bytes))
			} else {
				from += uint64(r.Bytes)
			}
		}
		for _, r := range k.Writes {
			if r.Space == isa.Global {
				out += uint64(r.Bytes)
				l.write.add(s.Block, r.Addr, uint64(r.Bytes))
			}
		}
		c.CopyIn += in
		c.CopyOut += out
		c.SMToL2 += out
		if in == 0 && out == 0 {
			c.CopyPeer += from
		}
		if !multicast {
			c.L2ToSM += in
		}
		multicast = x.in.Form.Has("multicast::cluster")
	}
	if x.op == "cp" && x.in.Form.Has("prefetch") {
		c.Prefetch++
	}
}

// profile adds up.
func (l *launch) profile() *Profile {
	p := &Profile{Kernel: l.about.Kernel.Name, Grid: l.about.Grid, Block: l.about.Block, Cluster: l.about.Cluster,
		Dynamic: int(l.about.Dynamic), Dependent: l.about.Dependent, Blocks: l.about.Blocks}
	byLine := map[int]*Line{}
	for pc := range l.counts {
		c, s := &l.counts[pc], &l.steps[pc]
		if c.Warp == 0 && c.Retries == 0 {
			continue
		}
		p.Total.Add(c)
		line := byLine[s.Line]
		if line == nil {
			line = &Line{Line: s.Line, Op: "ret"}
			if s.Instr != nil {
				line.Op = s.Instr.Form.Mnemonic()
			}
			byLine[s.Line] = line
		}
		line.Add(c)
	}
	for _, line := range byLine {
		p.Lines = append(p.Lines, *line)
	}
	slices.SortFunc(p.Lines, func(a, b Line) int { return cmp.Compare(a.Line, b.Line) })
	p.Footprint = Footprint{Read: l.read.extent(p.Blocks, p.GridBlocks()), Write: l.write.extent(p.Blocks, p.GridBlocks())}
	p.Chain = l.chain.longest()
	return p
}
