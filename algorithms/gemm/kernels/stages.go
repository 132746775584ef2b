package kernels

import "github.com/oxideinfer/oxide/ir"

// stages is a ring in shared memory that several warps fill: those that copy constants before the launch ahead has ended,
// and those that copy its results.
type stages struct {
	k           *ir.Kernel
	most        int    // stages that have barriers
	n           ir.U32 // stages in use
	full, empty ir.MBarrier
}

// init prepares the barriers, in one thread: so many arrivals fill a stage, and so many give it back.
func (s *stages) init(fillers, readers int) {
	c := s.k.ConstU32
	for i := range s.most {
		s.full.AtConst(i).Init(c(uint32(fillers)))
		s.empty.AtConst(i).Init(c(uint32(readers)))
	}
}

// spot is where a role is in the ring: a stage, and the parity of the phase that it waits for there.
type spot struct {
	*stages
	at, parity ir.Var[ir.U32]
}

// writer starts where every stage is empty: parity 1 lets the first lap pass.
func (s *stages) writer() spot {
	return spot{s, ir.NewVar(s.k.ConstU32(0)), ir.NewVar(s.k.ConstU32(1))}
}

func (s *stages) reader() spot {
	return spot{s, ir.NewVar(s.k.ConstU32(0)), ir.NewVar(s.k.ConstU32(0))}
}

func (p spot) waitEmpty() { p.empty.At(p.at.Get()).Wait(p.parity.Get()) }
func (p spot) waitFull()  { p.full.At(p.at.Get()).Wait(p.parity.Get()) }

// filled is the barrier that counts what comes into the stage.
func (p spot) filled() ir.MBarrier { return p.full.At(p.at.Get()) }

// release gives the stage back once the whole warp has read it.
func (p spot) release() {
	p.k.SyncWarp()
	p.k.If(p.k.Elect(), func() { p.empty.At(p.at.Get()).Arrive() })
}

func (p spot) advance() {
	k := p.k
	next := p.at.Get().Add(k.ConstU32(1))
	wrap := next.Equal(p.n)
	p.parity.Set(ir.Select(wrap, p.parity.Get().Xor(k.ConstU32(1)), p.parity.Get()))
	p.at.Set(ir.Select(wrap, k.ConstU32(0), next))
}
