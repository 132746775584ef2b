package op

// Space is a memory state space (PTX ISA 5.1).
type Space uint8

// The spaces. A Generic pointer may point to Global, Shared or Local. SharedCluster is the shared memory of all blocks of
// the cluster, seen from one of them. Register holds arrays of registers with an identity of their own: the accumulators
// and fragments that asynchronous matrix instructions work on. Its "pointers" name such an array; there are no addresses.
const (
	NoSpace Space = iota
	Global
	Shared
	Local
	Const
	Param
	Generic
	SharedCluster
	Register
	numSpaces
)

var spaceNames = [numSpaces]string{"none", "global", "shared", "local", "const", "param", "generic", "shared_cluster", "register"}

func (s Space) String() string {
	if s >= numSpaces {
		return "none"
	}
	return spaceNames[s]
}

// AddressBits is the size of a pointer into the space: shared, local and const windows fit 32 bits.
func (s Space) AddressBits() int {
	switch s {
	case Shared, SharedCluster, Local, Const, Register:
		return 32
	}
	return 64
}

// SpaceByName finds a space by its text form.
func SpaceByName(text string) (Space, bool) {
	for s := Global; s < numSpaces; s++ {
		if spaceNames[s] == text {
			return s, true
		}
	}
	return NoSpace, false
}

// SpaceSet is a set of spaces.
type SpaceSet uint16

// In makes a set.
func In(list ...Space) SpaceSet {
	var s SpaceSet
	for _, x := range list {
		s |= 1 << x
	}
	return s
}

// Has tells whether x is a member.
func (s SpaceSet) Has(x Space) bool { return s&(1<<x) != 0 }

// Type is the type of a device value. Space and Elem are set for pointers only. Types are comparable.
type Type struct {
	Kind  Kind
	Space Space
	Elem  Kind
}

// Scalar is the type of a value that is no pointer.
func Scalar(k Kind) Type { return Type{Kind: k} }

// PointerTo is the type of a pointer into a space.
func PointerTo(s Space, elem Kind) Type { return Type{Kind: Ptr, Space: s, Elem: elem} }

// Bits is the size of the register that holds the value.
func (t Type) Bits() int {
	if t.Kind == Ptr {
		return t.Space.AddressBits()
	}
	return t.Kind.Bits()
}

// String gives the text form: f32, global.bf16.
func (t Type) String() string {
	if t.Kind == Ptr {
		return t.Space.String() + "." + t.Elem.String()
	}
	return t.Kind.String()
}
