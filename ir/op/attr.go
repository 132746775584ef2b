package op

// AttrKind is the type of an attribute's value.
type AttrKind uint8

// Attribute kinds.
const (
	Enum AttrKind = iota // Values[i]; Values[0] is the default and never stored
	Flag                 // present or not
	Int                  // 0 is the default and never stored
	Text
)

// AttrSpec declares an attribute of an op.
type AttrSpec struct {
	Name     string
	Kind     AttrKind
	Values   []string
	Go       string  // option type in package ir, empty when a hand-written method sets it
	Required bool    // a parameter of the method, not an option; no default
	Kinds    KindSet // T for which it exists, 0 for all
	From     KindSet // S for which it exists, 0 for all
}

// Attr is one attribute of an op in a kernel.
type Attr struct {
	Name string
	Int  int64
	Text string
}

// For tells whether the attribute exists on the kinds.
func (a AttrSpec) For(t, s Kind) bool {
	return (a.Kinds == 0 || a.Kinds.Has(t)) && (a.From == 0 || s == Invalid || a.From.Has(s))
}

// On narrows the attribute to some T.
func (a AttrSpec) On(k KindSet) AttrSpec { a.Kinds = k; return a }

// OnFrom narrows the attribute to some S.
func (a AttrSpec) OnFrom(k KindSet) AttrSpec { a.From = k; return a }

// Vocabulary of attributes that generated methods take.
var (
	Rnd      = AttrSpec{Name: "rnd", Kind: Enum, Values: []string{"rn", "rz", "rm", "rp"}, Go: "Rounding"}
	RndInt   = AttrSpec{Name: "rnd", Kind: Enum, Values: []string{"rzi", "rni", "rmi", "rpi"}, Go: "RoundingToInt"}
	FTZ      = AttrSpec{Name: "ftz", Kind: Flag, Go: "Flush"}
	Sat      = AttrSpec{Name: "sat", Kind: Flag, Go: "Saturate"}
	SatFin   = AttrSpec{Name: "satfinite", Kind: Flag, Go: "Finite"}
	ReluA    = AttrSpec{Name: "relu", Kind: Flag, Go: "Relu"}
	NaN      = AttrSpec{Name: "nan", Kind: Flag, Go: "PropagateNaN"}
	Approx   = AttrSpec{Name: "approx", Kind: Enum, Values: []string{"exact", "approx"}, Go: "Approximation"}
	Full     = AttrSpec{Name: "approx", Kind: Enum, Values: []string{"exact", "approx", "full"}, Go: "Approximation"}
	Only     = AttrSpec{Name: "approx", Kind: Enum, Values: []string{"exact", "approx"}, Go: "Approximation", Required: true}
	Width    = AttrSpec{Name: "width", Kind: Int, Go: "Width"}
	Mask     = AttrSpec{Name: "mask", Kind: Int, Go: "Members"}
	Lane     = AttrSpec{Name: "lane", Kind: Int, Required: true}
	Offset   = AttrSpec{Name: "off", Kind: Int}
	Scale    = AttrSpec{Name: "scale", Kind: Int}
	Bar      = AttrSpec{Name: "id", Kind: Int, Required: true}
	Threads  = AttrSpec{Name: "threads", Kind: Int, Required: true}
	NoUnroll = AttrSpec{Name: "nounroll", Kind: Flag}
	Policy   = AttrSpec{Name: "policy", Kind: Flag}
	Cache    = AttrSpec{Name: "cache", Kind: Enum, Values: []string{"none", "ca", "cg", "cs", "lu", "cv"}}
	StCache  = AttrSpec{Name: "cache", Kind: Enum, Values: []string{"none", "wb", "cg", "cs", "wt"}}
	NC       = AttrSpec{Name: "nc", Kind: Flag}
	L1       = AttrSpec{Name: "l1", Kind: Enum, Values: []string{"none", "evict_normal", "evict_unchanged", "evict_first", "evict_last", "no_allocate"}}
	L2Fetch  = AttrSpec{Name: "l2", Kind: Enum, Values: []string{"none", "64B", "128B", "256B"}}
	Sem      = AttrSpec{Name: "sem", Kind: Enum, Values: []string{"weak", "relaxed", "acquire", "release", "volatile"}}
	AtomSem  = AttrSpec{Name: "sem", Kind: Enum, Values: []string{"relaxed", "acquire", "release", "acq_rel"}}
	FenceSem = AttrSpec{Name: "sem", Kind: Enum, Values: []string{"acq_rel", "sc"}}
	Scope    = AttrSpec{Name: "scope", Kind: Enum, Values: []string{"gpu", "cta", "cluster", "sys"}}
	Groups   = AttrSpec{Name: "groups", Kind: Int, Required: true}
	PadBytes = AttrSpec{Name: "src_bytes", Kind: Flag}
	Spread   = AttrSpec{Name: "multicast", Kind: Flag}
	Counted  = AttrSpec{Name: "count", Kind: Flag}
	State    = AttrSpec{Name: "state", Kind: Flag}
	Drop     = AttrSpec{Name: "drop", Kind: Flag}
	Arrival  = AttrSpec{Name: "sem", Kind: Enum, Values: []string{"release", "relaxed"}}
	Waiting  = AttrSpec{Name: "sem", Kind: Enum, Values: []string{"acquire", "relaxed"}}
	BarScope = AttrSpec{Name: "scope", Kind: Enum, Values: []string{"cta", "cluster"}}
	RedOp    = AttrSpec{Name: "op", Kind: Enum, Required: true, Values: []string{"add", "min", "max", "inc", "dec", "and", "or", "xor"}}
	AtomOp   = AttrSpec{Name: "op", Kind: Enum, Required: true, Values: []string{"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"}}
)

// Spec finds an attribute of the op by name.
func (i *Info) Spec(name string) (AttrSpec, bool) {
	for _, a := range i.Attrs {
		if a.Name == name {
			return a, true
		}
	}
	return AttrSpec{}, false
}

// EnumValue finds the index of a value of an enumeration.
func (a AttrSpec) EnumValue(text string) (int64, bool) {
	for i, v := range a.Values {
		if v == text {
			return int64(i), true
		}
	}
	return 0, false
}
