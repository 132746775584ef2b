package isa

// Space is a state space or window of memory (manual 5.1).
type Space uint8

// The spaces. Generic is an address without a space; Shared is .shared without a sub-qualifier, which means the
// executing CTA's window; SharedCluster addresses the shared memory of any CTA of the cluster.
const (
	Generic Space = iota
	Const
	Global
	Local
	Param
	ParamEntry
	ParamFunc
	Shared
	SharedCTA
	SharedCluster
	numSpaces
)

type spaceInfo struct {
	name     string
	variable bool // may declare variables
}

var spaceInfos = [numSpaces]spaceInfo{
	Generic: {"generic", false}, Const: {"const", true}, Global: {"global", true}, Local: {"local", true},
	Param: {"param", true}, ParamEntry: {"param::entry", false}, ParamFunc: {"param::func", false},
	Shared: {"shared", true}, SharedCTA: {"shared::cta", false}, SharedCluster: {"shared::cluster", false},
}

// SpaceOf returns the space of a name without its dot; ok is false for other names. The empty name is Generic, as an
// absent modifier is.
func SpaceOf(name string) (s Space, ok bool) {
	if name == "" {
		return Generic, true
	}
	for s := range spaceInfos {
		if spaceInfos[s].name == name {
			return Space(s), true
		}
	}
	return Generic, false
}

// String returns the name without a dot.
func (s Space) String() string {
	if s >= numSpaces {
		return "?"
	}
	return spaceInfos[s].name
}

// Base folds the sub-qualified windows: the space whose memory is meant. SharedCluster stays apart, because it names
// other CTAs' memory.
func (s Space) Base() Space {
	switch s {
	case SharedCTA:
		return Shared
	case ParamEntry, ParamFunc:
		return Param
	}
	return s
}

// Declares reports whether variables may be declared in the space.
func (s Space) Declares() bool { return s < numSpaces && spaceInfos[s].variable }
