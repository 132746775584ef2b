package op

import (
	"strings"
	"testing"
)

func TestRowsAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, i := range All() {
		if names[i.Name] {
			t.Errorf("%s: two rows", i.Name)
		}
		names[i.Name] = true
		if i.Doc == "" || i.PTX == "" || i.Section == "" {
			t.Errorf("%s: no doc, instruction or manual section", i.Name)
		}
		sig, err := ParseSignature(i.Sig)
		if err != nil {
			t.Errorf("%s: %v", i.Name, err)
		}
		if got, ok := ByName(i.Name); !ok || got != i {
			t.Errorf("%s is not found by name", i.Name)
		}
		checkSignature(t, i, sig)
		checkAttrs(t, i)
	}
}

func checkSignature(t *testing.T, i *Info, sig Signature) {
	variadic, usesT, usesS := 0, false, false
	for n, s := range append(append([]Slot(nil), sig.Args...), sig.Results...) {
		if s.Variadic && n < len(sig.Args) {
			variadic++
		}
		usesT, usesS = usesT || s.Pattern == "T", usesS || s.Pattern == "S"
		switch s.Pattern {
		case "T", "S", "W", "E", "ptr", "any":
		default:
			_, kind := KindByName(s.Pattern)
			_, _, pointer := PointerPattern(s.Pattern)
			if !kind && !pointer {
				t.Errorf("%s: pattern %q of %s", i.Name, s.Pattern, s.Name)
			}
		}
		if spec, ok := i.Spec(s.Name); s.Optional && (!ok || spec.Kind != Flag) {
			t.Errorf("%s: optional operand %s has no flag", i.Name, s.Name)
		}
	}
	if variadic > 1 {
		t.Errorf("%s: two variadic operands cannot be told apart", i.Name)
	}
	if usesT && i.Kinds == 0 && i.Pairs == nil || usesS && i.Pairs == nil {
		t.Errorf("%s: no kinds for its type variable", i.Name)
	}
	for _, touch := range i.Touches {
		if !hasSlot(sig.Args, touch.Slot) || touch.Access == 0 {
			t.Errorf("%s: touches %q, which is no operand", i.Name, touch.Slot)
		}
	}
	if len(i.Regions) > 0 && !i.Effects.Control {
		t.Errorf("%s: regions without control", i.Name)
	}
	if i.Converge != Divergent && !i.Effects.Convergent {
		t.Errorf("%s: needs convergence and is not marked convergent", i.Name)
	}
}

func checkAttrs(t *testing.T, i *Info) {
	for _, a := range i.Attrs {
		if a.Kind == Enum && len(a.Values) < 2 {
			t.Errorf("%s: enumeration %s", i.Name, a.Name)
		}
		if strings.ContainsAny(a.Name, " ={},") {
			t.Errorf("%s: attribute name %q", i.Name, a.Name)
		}
	}
}

func TestKindsAndSpacesByName(t *testing.T) {
	for _, k := range Kinds() {
		if got, ok := KindByName(k.String()); !ok || got != k {
			t.Errorf("%v is not found by name", k)
		}
		if k != Pred && k.Elem().Bits()*k.Lanes() != k.Bits() {
			t.Errorf("%v: %d lanes of %v are not %d bits", k, k.Lanes(), k.Elem(), k.Bits())
		}
	}
	for s := Global; s < numSpaces; s++ {
		if got, ok := SpaceByName(s.String()); !ok || got != s {
			t.Errorf("%v is not found by name", s)
		}
	}
	if _, ok := KindByName("invalid"); ok {
		t.Error("the invalid kind has a name")
	}
}

func hasSlot(slots []Slot, name string) bool {
	for _, s := range slots {
		if s.Name == name {
			return true
		}
	}
	return false
}

func TestPointerPattern(t *testing.T) {
	spaces, elem, ok := PointerPattern("@shared|shared_cluster.u64")
	if !ok || spaces != In(Shared, SharedCluster) || elem != U64 {
		t.Errorf("got %v %v %v", spaces, elem, ok)
	}
	if _, elem, ok = PointerPattern("@global"); !ok || elem != Invalid {
		t.Errorf("got %v %v", elem, ok)
	}
	for _, bad := range []string{"shared", "@nowhere", "@shared.f33", "@"} {
		if _, _, ok := PointerPattern(bad); ok {
			t.Errorf("%q is no pattern", bad)
		}
	}
}
