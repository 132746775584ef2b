package op

import (
	"fmt"
	"strings"
)

// Slot is one operand or result of a signature.
type Slot struct {
	Name     string
	Pattern  string
	Optional bool
	Variadic bool
}

// Signature is the parsed form of Info.Sig.
type Signature struct {
	Args    []Slot
	Results []Slot
}

// ParseSignature reads "x:T y:T -> T". The table's test proves that every row parses.
func ParseSignature(sig string) (Signature, error) {
	var s Signature
	left, right, _ := strings.Cut(sig, "->")
	for _, f := range strings.Fields(left) {
		name, pattern, ok := strings.Cut(f, ":")
		if !ok {
			return s, fmt.Errorf("signature %q: operand %q has no pattern", sig, f)
		}
		s.Args = append(s.Args, slot(name, pattern))
	}
	for i, f := range strings.Fields(right) {
		name, pattern, ok := strings.Cut(f, ":")
		if !ok {
			name, pattern = fmt.Sprintf("r%d", i), f
		}
		s.Results = append(s.Results, slot(name, pattern))
	}
	return s, nil
}

func slot(name, pattern string) Slot {
	s := Slot{Name: name}
	s.Pattern, s.Variadic = strings.CutSuffix(pattern, "*")
	s.Pattern, s.Optional = strings.CutSuffix(s.Pattern, "?")
	return s
}

// Signature is the parsed form of the op's own signature. It is shared: callers do not change it.
func (i *Info) Signature() Signature {
	if s, ok := parsed[i]; ok {
		return s
	}
	s, _ := ParseSignature(i.Sig)
	return s
}

// PointerPattern reads "@shared|shared_cluster.u64": the spaces that a pointer operand may be into, and what it points to,
// Invalid for anything.
func PointerPattern(pattern string) (spaces SpaceSet, elem Kind, ok bool) {
	text, ok := strings.CutPrefix(pattern, "@")
	if !ok {
		return 0, Invalid, false
	}
	text, kind, typed := strings.Cut(text, ".")
	for name := range strings.SplitSeq(text, "|") {
		s, known := SpaceByName(name)
		if !known {
			return 0, Invalid, false
		}
		spaces |= In(s)
	}
	if typed {
		if elem, ok = KindByName(kind); !ok {
			return 0, Invalid, false
		}
	}
	return spaces, elem, true
}
