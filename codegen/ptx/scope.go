package ptx

import "strconv"

// scope holds the names of one braced region. A name is a *RegDecl (single register), a *Var, a *Label, a
// *BranchTargets, a *CallTargets or a *CallPrototype; at the outermost scope, a Symbol.
type scope struct {
	parent *scope
	names  map[string]any
	ranges map[string]*RegDecl // by prefix
	// stems finds single registers that lie in a range declared later: "%r" is here with the smallest n of all %rn.
	stems map[string]int
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, names: map[string]any{}}
}

// declare enters a name; false if the scope has it already.
func (s *scope) declare(name string, what any) bool {
	if s.names[name] != nil || s.inRange(name) != nil {
		return false
	}
	s.names[name] = what
	if _, ok := what.(*RegDecl); ok {
		eachSplit(name, func(prefix string, n int) bool {
			if old, ok := s.stems[prefix]; !ok || n < old {
				if s.stems == nil {
					s.stems = map[string]int{}
				}
				s.stems[prefix] = n
			}
			return false
		})
	}
	return true
}

// declareRange enters the names of a range; false if the scope has one of them.
func (s *scope) declareRange(d *RegDecl) bool {
	n, single := s.stems[d.Name]
	if s.ranges[d.Name] != nil || single && n < d.Count {
		return false
	}
	if s.ranges == nil {
		s.ranges = map[string]*RegDecl{}
	}
	s.ranges[d.Name] = d
	return true
}

// lookup finds what a name stands for: a register as *Reg, otherwise what was declared, or nil.
func (s *scope) lookup(name string) any {
	for ; s != nil; s = s.parent {
		if what := s.names[name]; what != nil {
			if d, ok := what.(*RegDecl); ok {
				return d.reg(0)
			}
			return what
		}
		if r := s.inRange(name); r != nil {
			return r
		}
	}
	return nil
}

// inRange finds the register of a range.
func (s *scope) inRange(name string) (found *Reg) {
	if s.ranges == nil {
		return nil
	}
	eachSplit(name, func(prefix string, n int) bool {
		if d := s.ranges[prefix]; d != nil && n < d.Count {
			found = d.reg(n)
		}
		return found != nil
	})
	return found
}

// eachSplit calls f with every division of a name into a prefix and a number as a range would number it, until f
// returns true.
func eachSplit(name string, f func(prefix string, n int) bool) {
	for i := len(name) - 1; i > 0 && i >= len(name)-9 && isDigit(name[i]); i-- {
		if name[i] == '0' && i != len(name)-1 {
			continue // a number has no leading zero
		}
		n, err := strconv.Atoi(name[i:])
		if err != nil || f(name[:i], n) {
			return
		}
	}
}
