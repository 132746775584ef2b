package isa

import (
	"fmt"
	"strings"
)

// The language of Row.Where: clauses separated by ";", all of which must hold.
//
//	clause = [ expr "=>" ] expr        with "=>": the right side must hold wherever the left side does
//	expr   = conj { " or " conj }
//	conj   = term { " & " term }
//	term   = "never" | [ "!" ] name [ ( "=" | "!=" ) value { "|" value } ]
//
// A name is a placeholder or literal of the row; alone it means "present". name=v means present with that value;
// name!=v holds for absence too. A name that is no placeholder may also be a value of exactly one of them.

// clause is one compiled condition.
type clause struct {
	text string
	when cond // nil: always
	then cond
}

// cond is a disjunction of conjunctions.
type cond [][]term

// term holds when the choice of the slot is in the set; bit 0 stands for absence.
type term struct {
	slot int
	set  uint64
}

func (c cond) holds(choice []uint8) bool {
	for _, conj := range c {
		ok := true
		for _, t := range conj {
			if t.set>>choice[t.slot]&1 == 0 {
				ok = false
				break
			}
		}
		if ok {
			return true
		}
	}
	return false
}

func (c *clause) holds(choice []uint8) bool {
	if c.when != nil && !c.when.holds(choice) {
		return true
	}
	return c.then.holds(choice)
}

// parseWhere compiles a Where text against the slots of its row.
func parseWhere(text string, slots []modSlot) ([]clause, error) {
	var out []clause
	for _, s := range strings.Split(text, ";") {
		s = strings.TrimSpace(s)
		if s == "" {
			continue
		}
		c := clause{text: s}
		then := s
		var err error
		if left, right, ok := strings.Cut(s, "=>"); ok {
			if c.when, err = parseCond(left, slots); err != nil {
				return nil, err
			}
			then = right
		}
		if c.then, err = parseCond(then, slots); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func parseCond(text string, slots []modSlot) (cond, error) {
	c := cond{}
	for _, conj := range strings.Split(text, " or ") {
		if strings.TrimSpace(conj) == "never" {
			continue
		}
		var terms []term
		for _, t := range strings.Split(conj, "&") {
			tm, err := parseTerm(strings.TrimSpace(t), slots)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", text, err)
			}
			terms = append(terms, tm)
		}
		c = append(c, terms)
	}
	return c, nil
}

func parseTerm(text string, slots []modSlot) (term, error) {
	neg := strings.HasPrefix(text, "!")
	text = strings.TrimPrefix(text, "!")
	name, values, hasValues := text, "", false
	if n, v, ok := strings.Cut(text, "!="); ok {
		name, values, hasValues, neg = n, v, true, !neg
	} else if n, v, ok := strings.Cut(text, "="); ok {
		name, values, hasValues = n, v, true
	}
	slot, set, err := findName(name, slots)
	if err != nil {
		return term{}, err
	}
	if hasValues {
		set = 0
		for _, v := range strings.Split(values, "|") {
			i := slots[slot].choiceOf(v)
			if i == 0 {
				return term{}, fmt.Errorf("%s has no value %q", name, v)
			}
			set |= 1 << i
		}
	}
	if neg {
		set = ^set
	}
	return term{slot, set}, nil
}

// findName resolves a name to a slot and the set of choices that "present" means.
func findName(name string, slots []modSlot) (slot int, set uint64, err error) {
	for i := range slots {
		if slots[i].name == name {
			return i, ^uint64(1), nil
		}
	}
	slot = -1
	for i := range slots {
		if c := slots[i].choiceOf(name); c != 0 {
			if slot >= 0 {
				return 0, 0, fmt.Errorf("%q is a value of two placeholders", name)
			}
			slot, set = i, 1<<c
		}
	}
	if slot < 0 {
		return 0, 0, fmt.Errorf("no modifier %q", name)
	}
	return slot, set, nil
}
