package profile

import "math"

// Conditions are those of the measurement that is estimated: launches of the kernel one after the other, as in a graph.
type Conditions struct {
	// WorkingSet is the bytes that launches go round before one finds its operands again: where L2 holds them, they are
	// read from there. 0: more than that.
	WorkingSet float64
}

// Term is one part of an estimate.
type Term struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Estimate is the time from one launch to the next of the same kernel:
//
//	launch + chain of one block + the largest of the limits
//
// The chain is the latency that nothing hides: a block that has the machine to itself, its instructions when their operands
// are there (Chain). The limits are what the rest of the grid adds, as work over the rate of what does it: device memory and L2,
// for which the time over which a block spreads its reads counts (Chain.Stream); port, issue slots, units, banks and tensor cores of
// the busiest SM, without the block whose chain has them; power, what full tensor cores on all SMs take beyond the chain at the clock
// that the board's limit leaves; the start of blocks; residency, if the waves of blocks behind the first did nothing but run
// their chains one after the other. Nothing is fitted to a kernel.
type Estimate struct {
	Seconds float64 `json:"seconds"`
	// Launch, Ramp and Steady add up to Seconds: the hand-over from the launch before, the chain of one block, and the largest
	// of the Limits.
	Launch float64 `json:"launch"`
	Ramp   float64 `json:"ramp"`
	Steady float64 `json:"steady"`
	Limits []Term  `json:"limits"`
	By     string  `json:"by"` // the limit that decides
	Waves  float64 `json:"waves"`
}

// Estimate is a model of the time that the launch takes on a machine whose SMs hold so many blocks each, as the cubin's
// registers and shared memory allow.
func (p *Profile) Estimate(m Machine, blocksPerSM int, c Conditions) Estimate {
	w := work{Profile: p, m: m, warmed: c.WorkingSet > 0 && c.WorkingSet <= m.L2Bytes}
	e := Estimate{Launch: m.NodeTime, Waves: float64(p.GridBlocks()) / float64(max(1, blocksPerSM)*m.SMs)}
	if p.Dependent {
		e.Launch = m.DependentTime
	}
	e.Ramp = w.block() / m.Hz
	e.Limits = append(w.shared(e.Ramp), w.ofSM()...)
	e.Limits = append(e.Limits, Term{"residency", max(0, e.Waves-1) * (p.Chain.Head + w.block()) / m.Hz})
	for _, l := range e.Limits {
		if l.Seconds > e.Steady {
			e.Steady, e.By = l.Seconds, l.Name
		}
	}
	e.Seconds = e.Launch + e.Ramp + e.Steady
	return e
}

// work is what a launch gives a machine to do.
type work struct {
	*Profile
	m      Machine
	warmed bool // L2 holds all operands
}

// block is the clocks of one block that has the machine to itself.
func (w *work) block() float64 {
	clk := w.Chain.Cold
	if w.warmed {
		clk = w.Chain.Warm
	}
	if clk += w.Chain.Slots; w.Chain.Stores {
		clk += w.m.LatencyL2
	}
	return clk
}

// shared are the limits of what all SMs share.
func (w *work) shared(ramp float64) []Term {
	m, t := &w.m, &w.Total
	read, write := w.Footprint.Read.Grid, w.Footprint.Write.Grid
	mix := 2 * min(read, write) / max(1, read+write)
	rate := m.ReadRate - (m.ReadRate-m.CopyRate)*mix
	if w.warmed {
		rate = m.L2Rate
	}
	stream := w.Chain.Stream / m.Hz
	tensor := float64(m.SMs) * m.MatrixFlop * m.TensorHz
	return []Term{
		{"memory", max(0, (read+write)/rate-stream)},
		{"L2", max(0, float64(t.L2ToSM+t.SMToL2)*w.Scale()/m.L2Rate-stream)},
		{"power", max(0, t.Slots.Tensor*w.Scale()/tensor-ramp)},
		{"blocks", float64(w.GridBlocks()) / m.BlockRate},
	}
}

// ofSM are the limits of the busiest SM.
func (w *work) ofSM() []Term {
	m, t := &w.m, &w.Total
	blocks := math.Ceil(float64(w.GridBlocks()) / float64(m.SMs))
	seconds := func(work, rate, blocks float64) float64 {
		return work / float64(w.Blocks) * blocks / rate / m.Hz
	}
	// The chain of the first block holds its issue slots, and all of what it waits for by itself: copies and matrices.
	first := seconds(t.Slots.Issue, m.Issue, 1)
	unit := func(work, rate float64) float64 { return max(0, seconds(work, rate, blocks)-first) }
	more := func(work, rate float64) float64 { return seconds(work, rate, blocks-1) }
	return []Term{
		{"port", more(float64(max(t.L2ToSM, t.SMToL2)), m.PortBytes)},
		{"issue", unit(t.Slots.Issue, m.Issue)},
		{"fma", unit(t.Slots.FMA, m.FMA)},
		{"alu", unit(t.Slots.ALU, m.ALU)},
		{"mufu", unit(t.Slots.MUFU, m.MUFU)},
		{"convert", unit(t.Slots.Convert, m.Convert)},
		{"shuffle", unit(t.Slots.Shuffle, m.Shuffle)},
		{"shared", unit(float64(t.SharedLoad.Phases+t.SharedStore.Phases), m.SharedPhase) + more(float64(t.MatrixBytes)/(banks*bankBytes), m.SharedPhase)},
		{"requests", unit(t.Slots.LSU, m.LSU)},
		{"tensor", more(t.Slots.Tensor, m.MatrixFlop)},
	}
}
