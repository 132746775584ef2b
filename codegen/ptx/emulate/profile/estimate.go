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
// The chain is the latency that nothing hides: a block that has the machine to itself, its instructions when their operands are
// there (Chain). The limits are the work of the grid over the rates of what does it: device memory and L2 together, and the port, issue
// slots, units, banks of shared memory and tensor cores of the busiest SM, without the block whose chain counts them
// already; residency is what the waves of blocks behind the first take if a chain is all that happens. Nothing is fitted to a kernel.
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
	grid, sms := float64(p.GridBlocks()), float64(m.SMs)
	busiest := p.Scale() * math.Ceil(grid/sms) / grid // share of the totals that the busiest SM has
	resident := float64(max(1, blocksPerSM)) * sms
	e := Estimate{Launch: m.NodeTime, Waves: grid / resident}
	if p.Dependent {
		e.Launch = m.DependentTime
	}
	warmed := c.WorkingSet > 0 && c.WorkingSet <= m.L2Bytes
	block := p.Chain.Cold
	if warmed {
		block = p.Chain.Warm
	}
	block += p.Chain.Slots
	if p.Chain.Stores {
		block += m.LatencyL2
	}
	e.Ramp = block / m.Hz
	t := &p.Total
	clk := func(work, rate float64) float64 { return work * busiest / rate / m.Hz }
	// The chain of the first block holds its own issue slots.
	first := t.Slots.Issue / float64(p.Blocks) / m.Issue / m.Hz
	unit := func(work, rate float64) float64 { return max(0, clk(work, rate)-first) }
	read, write := p.Footprint.Read.Grid, p.Footprint.Write.Grid
	mix := 2 * min(read, write) / max(1, read+write)
	rate := m.ReadRate - (m.ReadRate-m.CopyRate)*mix
	if warmed {
		rate = m.L2Rate
	}
	e.Limits = []Term{
		{"memory", (read + write) / rate},
		{"L2", float64(t.L2ToSM+t.SMToL2) * p.Scale() / m.L2Rate},
		{"port", max(clk(float64(t.L2ToSM), m.PortBytes), clk(float64(t.SMToL2), m.PortBytes))},
		{"issue", unit(t.Slots.Issue, m.Issue)},
		{"fma", unit(t.Slots.FMA, m.FMA)},
		{"alu", unit(t.Slots.ALU, m.ALU)},
		{"mufu", unit(t.Slots.MUFU, m.MUFU)},
		{"convert", unit(t.Slots.Convert, m.Convert)},
		{"shuffle", unit(t.Slots.Shuffle, m.Shuffle)},
		{"shared", unit(float64(t.SharedLoad.Phases+t.SharedStore.Phases)+float64(t.MatrixBytes)/128, m.SharedPhase)},
		{"requests", unit(t.Slots.LSU, m.LSU)},
		{"residency", max(0, e.Waves-1) * (p.Chain.Head + block) / m.Hz},
		{"blocks", grid / m.BlockRate},
		{"tensor", float64(t.MatrixFlop) * (busiest - 1/float64(p.Blocks)) / m.MatrixFlop / m.TensorHz},
	}
	for _, l := range e.Limits {
		if l.Seconds > e.Steady {
			e.Steady, e.By = l.Seconds, l.Name
		}
	}
	e.Seconds = e.Launch + e.Ramp + e.Steady
	return e
}
