package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// The language of Row.Args: entries separated by ";", each "name: word word …".
//
//	T .name @name type   the operand's type: the row's main one, that of a modifier, by a rule of rules.go, a fixed one
//	def use usedef       direction
//	reg imm              a register only; an immediate only (imm=a|b: these values)
//	either               a register or an immediate
//	vec=N vec=.name      a vector: of N elements, of as many as modifier .vec or .num says (absent: a scalar)
//	vec=@name            of as many as the counting rule of rules.go says
//	orvec=…              likewise, but a scalar may stand there as well
//	coords=@name         number of coordinates of a tensor address
//	if=name unless=name  the operand exists if the modifier or value is present, or absent
//	space=.ss space=x    space of an address
//	pack                 for the .b types also a vector of 2 or more elements that fill the operand
//	orpred               a predicate may stand there as well
//	scalaronly=name      not where operand name is a vector
//	sink sinkonly wide opt label sym sreg table func proto list
//
// Names without an entry follow defaultArg.

// argRule is a compiled operand rule of a row.
type argRule struct {
	slot    Slot   // the parts that do not depend on modifiers
	typ     string // ".name": type of a modifier
	count   string // vec= argument
	space   string // ".name": space of a modifier
	orvec   bool
	present []presence
}

type presence struct {
	cond term
	want bool
}

// defaultArgs says what the manual's usual operand names mean. T is the row's main type.
var defaultArgs = [...][2]string{
	{"d", "T def reg"}, {"a", "T either"}, {"b", "T either"}, {"c", "T either"}, {"p", "pred def reg"}, {"q", "pred def reg"},
	{"cache-policy", "b64 reg if=L2::cache_hint"}, {"membermask", "b32 either"},
	{"mbar", "b64"}, {"tgt", "label"}, {"ctaMask", "u16 reg if=multicast::cluster"},
}

func defaultArg(name string) string {
	for _, d := range defaultArgs {
		if d[0] == name {
			return d[1]
		}
	}
	return ""
}

// compileArgs combines the operands of a Syntax with Args.
func compileArgs(texts []argText, args string, slots []modSlot) ([]argRule, error) {
	entries := map[string]string{}
	for _, e := range strings.Split(args, ";") {
		if strings.TrimSpace(e) == "" {
			continue
		}
		name, words, ok := strings.Cut(e, ":")
		if !ok {
			return nil, fmt.Errorf("no colon in Args entry %q", e)
		}
		entries[strings.TrimSpace(name)] = words
	}
	var out []argRule
	for _, t := range texts {
		words, ok := entries[t.name]
		delete(entries, t.name)
		if !ok {
			if words = defaultArg(t.name); words == "" && !t.addr {
				return nil, fmt.Errorf("operand %q has no meaning: add it to Args", t.name)
			}
		}
		r, err := compileArg(t, words, slots)
		if err != nil {
			return nil, fmt.Errorf("operand %s: %w", t.name, err)
		}
		out = append(out, r)
	}
	for name := range entries {
		return nil, fmt.Errorf("Args names %q, which Syntax lacks", name)
	}
	return out, nil
}

func compileArg(t argText, words string, slots []modSlot) (argRule, error) {
	r := argRule{slot: Slot{Name: t.name, Opt: t.opt, Pair: t.pair, Negate: t.negate}}
	switch {
	case t.coords != "":
		r.slot.Kind = KindTensor
	case t.addr:
		r.slot.Kind = KindAddr
	case t.list:
		r.slot.Kind = KindList
	}
	for _, w := range strings.Fields(words) {
		if err := r.word(w, slots); err != nil {
			return r, err
		}
	}
	if r.slot.Kind == 0 {
		r.slot.Kind = KindReg
	}
	return r, nil
}

// flagKind returns the kind that a word of Args adds.
func flagKind(w string) Kind {
	switch w {
	case "reg":
		return KindReg
	case "either":
		return KindReg | KindImm
	case "label":
		return KindLabel
	case "sym":
		return KindSym
	case "sreg":
		return KindSReg
	case "table":
		return KindTable
	case "func":
		return KindFunc
	case "proto":
		return KindProto
	case "list":
		return KindList
	}
	return 0
}

// word applies one word of an Args entry.
func (r *argRule) word(w string, slots []modSlot) error {
	key, val, _ := strings.Cut(w, "=")
	isAddr := r.slot.Kind&(KindAddr|KindTensor) != 0
	if k := flagKind(key); k != 0 {
		if !isAddr {
			r.slot.Kind |= k
		}
		return nil
	}
	switch key {
	case "T":
		r.typ = mainType(slots)
	case "def":
		r.slot.Dir = Def
	case "use":
		r.slot.Dir = Use
	case "usedef":
		r.slot.Dir = UseDef
	case "imm":
		r.slot.Kind |= KindImm
		r.slot.Values = val
	case "vec", "orvec", "coords":
		r.count, r.orvec = val, key == "orvec"
	case "if", "unless":
		tm, err := parseTerm(val, slots)
		if err != nil {
			return err
		}
		r.slot.Opt = false
		r.present = append(r.present, presence{tm, key == "if"})
	case "space":
		r.space = val
	case "sink":
		r.slot.Sink = true
	case "sinkonly":
		r.slot.Sink, r.slot.SinkOnly = true, true
	case "wide":
		r.slot.Wide = true
	case "opt":
		r.slot.Opt = true
	case "pack":
		r.slot.Pack = true
	case "orpred":
		r.slot.OrPred = true
	case "scalaronly":
		r.slot.ScalarOnly = val
	default:
		if !strings.HasPrefix(w, ".") && !strings.HasPrefix(w, "@") && TypeOf(w) == NoType {
			return fmt.Errorf("unknown word %q", w)
		}
		r.typ = w
	}
	return nil
}

// mainType is what T stands for: .type where there is one, else the last literal type.
func mainType(slots []modSlot) string {
	typ := ""
	for i := range slots {
		if slots[i].name == "type" {
			return ".type"
		}
		if slots[i].literal && slots[i].isType {
			typ = slots[i].name
		}
	}
	return typ
}

// bind makes the operand of a form from the rule; ok is false where the form has no such operand.
func (r *argRule) bind(f *Form) (s Slot, ok bool) {
	for _, p := range r.present {
		if (p.cond.set>>f.choice[p.cond.slot]&1 != 0) != p.want {
			return Slot{}, false
		}
	}
	s = r.slot
	if name, found := strings.CutPrefix(r.typ, "."); found {
		s.Type = TypeOf(f.Mod(name))
	} else if name, found := strings.CutPrefix(r.typ, "@"); found {
		s.Type = f.typeRule(name)
	} else {
		s.Type = TypeOf(r.typ)
	}
	if name, found := strings.CutPrefix(r.space, "."); found {
		s.Space, _ = SpaceOf(f.Mod(name))
	} else {
		s.Space, _ = SpaceOf(r.space)
	}
	if s.Pack && s.Type.Class() == ClassBits {
		s.Kind |= KindVec
	}
	if r.count == "" {
		return s, true
	}
	s.N = f.count(r.count)
	if s.N > 0 && s.Kind&KindTensor == 0 {
		s.ElemImm = s.Kind&KindImm != 0
		if r.orvec {
			s.Kind |= KindVec
		} else {
			s.Kind = KindVec
		}
	}
	return s, true
}

// count evaluates the argument of vec=.
func (f *Form) count(arg string) int {
	switch arg[0] {
	case '.':
		n, _ := strconv.Atoi(strings.Trim(f.Mod(arg[1:]), "vxd"))
		return n
	case '@':
		return f.countRule(arg[1:])
	}
	n, _ := strconv.Atoi(arg)
	return n
}
