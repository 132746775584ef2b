package op

var atomSpaces = In(Global, Shared, Generic, SharedCluster)

func atomAttrs() []AttrSpec { return []AttrSpec{AtomOp, Offset, AtomSem, Scope} }

var atomics = []Info{
	{Name: "atom", Sig: "p:ptr v:E -> E", Spaces: atomSpaces, Attrs: atomAttrs(),
		Effects: Effects{ByPointer: Reads | Writes}, Uniform: Fixed, Level: Divergent,
		Doc: "updates memory atomically and returns the old value", PTX: "atom", Section: "9.7.13.5"},
	{Name: "cas", Sig: "p:ptr old:E new:E -> E", Spaces: atomSpaces, Attrs: []AttrSpec{Offset, AtomSem, Scope},
		Effects: Effects{ByPointer: Reads | Writes}, Uniform: Fixed, Level: Divergent,
		Doc: "stores new where memory equals old, atomically, and returns what was there", PTX: "atom.cas", Section: "9.7.13.5"},
	{Name: "red", Sig: "p:ptr v:E*", Spaces: atomSpaces, Attrs: atomAttrs(),
		Effects: Effects{ByPointer: Reads | Writes},
		Doc:     "updates memory atomically; several values make a vector reduction on global memory", PTX: "red", Section: "9.7.13.6"},
}
