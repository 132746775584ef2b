package profile

// Profile is what one launch did.
type Profile struct {
	Kernel  string    `json:"kernel"`
	Grid    [3]uint32 `json:"grid"`
	Block   [3]uint32 `json:"block"`
	Cluster [3]uint32 `json:"cluster"`
	Dynamic int       `json:"dynamic_shared_bytes"`
	// Dependent: the launch may begin before the one in front of it has ended (programmatic stream serialisation).
	Dependent bool      `json:"dependent"`
	Blocks    int       `json:"blocks"` // that ran
	Lines     []Line    `json:"lines"`  // by PTX line, ascending; lines that were never reached are left out
	Total     Counts    `json:"total"`
	Footprint Footprint `json:"footprint"`
	Chain     Chain     `json:"chain"`
}

// Line is what happened at one line of the PTX.
type Line struct {
	Line int    `json:"line"`
	Op   string `json:"op"` // the mnemonic; of several instructions on one line, that of the first
	Counts
}

// Counts are numbers of events.
type Counts struct {
	Warp    uint64 `json:"warp"`    // warp instructions
	Thread  uint64 `json:"thread"`  // thread instructions: lanes whose guard held
	Retries uint64 `json:"retries"` // times that a warp had to wait and came back

	Load   Memory `json:"load"`   // of global memory
	Store  Memory `json:"store"`  // likewise
	Atomic Memory `json:"atomic"` // likewise

	SharedLoad  Banks `json:"shared_load"`
	SharedStore Banks `json:"shared_store"`

	Local uint64 `json:"local"` // requests to local memory

	Matrix      uint64 `json:"matrix"`       // matrix instructions: mma.sync of a warp, wgmma of a warpgroup
	MatrixFlop  uint64 `json:"matrix_flop"`  // their operations, a multiply-add as two
	MatrixBytes uint64 `json:"matrix_bytes"` // that wgmma reads from shared memory

	Barriers  uint64 `json:"barriers"`  // CTA and cluster barriers that a warp came to
	Mbarriers uint64 `json:"mbarriers"` // operations on mbarriers, waits among them
	Waits     uint64 `json:"waits"`     // waits for mbarriers and for groups of asynchronous operations

	Copies   uint64 `json:"copies"`    // asynchronous copies: cp.async of a warp, bulk and tensor copies
	CopyIn   uint64 `json:"copy_in"`   // bytes that they bring from global to shared memory, at each destination
	CopyOut  uint64 `json:"copy_out"`  // bytes from shared to global memory
	CopyPeer uint64 `json:"copy_peer"` // bytes between the shared memory of blocks
	Prefetch uint64 `json:"prefetch"`  // prefetch instructions to L2

	L2ToSM uint64 `json:"l2_to_sm"` // bytes
	SMToL2 uint64 `json:"sm_to_l2"` // bytes

	Slots Slots `json:"slots"`
}

// Memory counts accesses to global memory.
type Memory struct {
	Requests uint64 `json:"requests"` // of warps
	Sectors  uint64 `json:"sectors"`  // of 32 bytes
	Bytes    uint64 `json:"bytes"`    // distinct bytes that a request's lanes asked for
}

// Efficiency is the share of the sectors' bytes that was asked for; 1 where nothing was.
func (m Memory) Efficiency() float64 {
	if m.Sectors == 0 {
		return 1
	}
	return float64(m.Bytes) / float64(m.Sectors*sectorBytes)
}

// Banks counts accesses to shared memory.
type Banks struct {
	Requests uint64 `json:"requests"` // of warps
	Phases   uint64 `json:"phases"`   // that the banks needed
	Least    uint64 `json:"least"`    // that they would need without conflicts
	Bytes    uint64 `json:"bytes"`    // of all lanes
}

// Conflicts is how many phases bank conflicts cost.
func (b Banks) Conflicts() uint64 { return b.Phases - b.Least }

// Slots is the use of an SM's units, in warp instructions of the machine code that a PTX instruction becomes (slots.go).
type Slots struct {
	Issue   float64 `json:"issue"`
	FMA     float64 `json:"fma"`     // 32-bit floating point and integer multiplication
	ALU     float64 `json:"alu"`     // integers, comparisons, bits
	MUFU    float64 `json:"mufu"`    // approximate functions
	Convert float64 `json:"convert"` // conversions that run at a quarter of the rate
	Shuffle float64 `json:"shuffle"`
	LSU     float64 `json:"lsu"` // requests to any memory
	// Tensor is the operations of tensor cores in time: those on 8-bit factors count half, on tf32 twice.
	Tensor float64 `json:"tensor"`
}

func (s *Slots) add(t Slots, n float64) {
	s.Issue += n * t.Issue
	s.FMA += n * t.FMA
	s.ALU += n * t.ALU
	s.MUFU += n * t.MUFU
	s.Convert += n * t.Convert
	s.Shuffle += n * t.Shuffle
	s.LSU += n * t.LSU
	s.Tensor += n * t.Tensor
}

func (m *Memory) add(n Memory) {
	m.Requests += n.Requests
	m.Sectors += n.Sectors
	m.Bytes += n.Bytes
}

func (b *Banks) add(n Banks) {
	b.Requests += n.Requests
	b.Phases += n.Phases
	b.Least += n.Least
	b.Bytes += n.Bytes
}

// Add adds the counts of another line.
func (c *Counts) Add(o *Counts) {
	c.Warp += o.Warp
	c.Thread += o.Thread
	c.Retries += o.Retries
	c.Load.add(o.Load)
	c.Store.add(o.Store)
	c.Atomic.add(o.Atomic)
	c.SharedLoad.add(o.SharedLoad)
	c.SharedStore.add(o.SharedStore)
	c.Local += o.Local
	c.Matrix += o.Matrix
	c.MatrixFlop += o.MatrixFlop
	c.MatrixBytes += o.MatrixBytes
	c.Barriers += o.Barriers
	c.Mbarriers += o.Mbarriers
	c.Waits += o.Waits
	c.Copies += o.Copies
	c.CopyIn += o.CopyIn
	c.CopyOut += o.CopyOut
	c.CopyPeer += o.CopyPeer
	c.Prefetch += o.Prefetch
	c.L2ToSM += o.L2ToSM
	c.SMToL2 += o.SMToL2
	c.Slots.add(o.Slots, 1)
}

// GridBlocks is the number of blocks of the launch.
func (p *Profile) GridBlocks() int { return int(volume(p.Grid)) }

// Threads is the number of threads of a block.
func (p *Profile) Threads() int { return int(volume(p.Block)) }

// Scale is how many blocks of the grid each block that ran stands for.
func (p *Profile) Scale() float64 { return float64(p.GridBlocks()) / float64(p.Blocks) }

func volume(v [3]uint32) uint64 { return uint64(v[0]) * uint64(v[1]) * uint64(v[2]) }
