package op

// Info describes one operation. Name is unique; Method is the Go method that the generator makes for every kind in Kinds
// (empty when package ir has a hand-written one).
type Info struct {
	Name   string
	Method string
	On     Receiver

	// Sig is "x:T y:T -> T". A slot's pattern is T (ranges over Kinds, or with S over Pairs), W (twice as wide as T), E
	// (element of the pointer operand), ptr (pointer into one of Spaces; as a result the operand's type), @space|space or
	// @space.kind (pointer into one of these spaces, to that kind), any, or a kind's name. "*" marks a variadic slot; "?" an
	// optional one, which is there when the flag attribute of its name is set.
	Sig    string
	Kinds  KindSet
	Pairs  []Pair
	Spaces SpaceSet

	Attrs    []AttrSpec
	Effects  Effects
	Touches  []Touch // what pointer operands beside the first are used for
	Uniform  Rule
	Level    Level // uniformity of the result under the rule Fixed
	Converge Level // control flow around the op must be uniform at least this far
	Demands  []Demand
	Ties     []Tie
	Regions  []string
	Commutes bool
	Arch     Arch   // the first target that has the op
	Gates    []Gate // kinds for which a later one is needed

	Doc     string // sentence that completes "<Method> …"
	PTX     string // the instruction that it becomes
	Section string // PTX ISA section
}

// Pair is one combination of operand and result kind of a conversion.
type Pair struct{ S, T Kind }

// Receiver tells what a generated method hangs on.
type Receiver uint8

// Receivers: the first operand, or the kernel (special registers, barriers).
const (
	OnValue Receiver = iota
	OnKernel
)

// Effects say what an op does besides computing its results. The zero value is a pure op: only those are merged, moved or
// deleted. All others keep program order.
type Effects struct {
	Reads, Writes SpaceSet
	ByPointer     Access // reads or writes the space of the pointer operand
	Convergent    bool   // result or meaning depends on the set of threads that execute it together
	Async         bool   // completes later; a commit, wait or barrier orders it
	Order         bool   // may not move for another reason: a clock, a trap, a fence
	Control       bool   // has regions or ends one
}

// Access is a set of read and write.
type Access uint8

// Accesses.
const (
	Reads Access = 1 << iota
	Writes
)

// Touch says that an op reads or writes the memory behind an operand; asynchronous ops do so later.
type Touch struct {
	Slot   string
	Access Access
}

// Pure tells whether the op may be merged and deleted.
func (e Effects) Pure() bool { return e == Effects{} }

// Level is how far a value or a control-flow decision is known to be the same.
type Level uint8

// Levels, from nothing known to equal in every thread of the grid.
const (
	Divergent Level = iota
	UniformWarp
	UniformWarpgroup
	UniformBlock
	UniformCluster
	UniformGrid
)

var levelNames = [...]string{"thread", "warp", "warpgroup", "block", "cluster", "grid"}

func (l Level) String() string { return levelNames[min(int(l), len(levelNames)-1)] }

// Rule derives a result's level.
type Rule uint8

// Rules: the least of the operands; exactly Info.Level whatever the operands are; at least Info.Level, more if the
// operands are; for loads, the least of the operands when the memory is constant and divergent otherwise.
const (
	FromArgs Rule = iota
	Fixed
	AtLeast
	FromConstantMemory
)

// Demand asks for a uniform operand.
type Demand struct {
	Slot  string
	Level Level
}

// Tie says that the values of a result slot live in the registers of an operand slot: accumulators that an instruction
// updates in place. The operands die at the op.
type Tie struct{ Result, Arg string }

// Gate says that the op needs Arch when an operand or result is one of Kinds.
type Gate struct {
	Kinds KindSet
	Arch  Arch
}

// Arch gates an op by target.
type Arch uint8

// Arches. SM90a ops exist on no other target (PTX ISA 11.1.2 .target).
const (
	SM80 Arch = iota
	SM90
	SM90a
)

var archNames = [...]string{"sm_80", "sm_90", "sm_90a"}

func (a Arch) String() string { return archNames[min(int(a), len(archNames)-1)] }
