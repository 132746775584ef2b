package oxrt

import (
	"errors"
	goruntime "runtime"
	"strconv"
)

// Signature is what is the same in every call of an operator: its name, its operands' names and accesses, and which of them may share
// memory. A plan makes it once; it is immutable.
type Signature struct {
	op       string
	operands []Operand // without regions
	pairs    []aliasPair
}

// aliasPair are two operands of which at least one is written. inPlace allows exactly the same memory.
type aliasPair struct {
	a, b    uint8
	inPlace bool
}

// NewSignature makes a signature of at most 256 operands; their regions are not looked at.
func NewSignature(op string, operands ...Operand) *Signature {
	sig := &Signature{op: op, operands: operands}
	for j := range operands {
		for i := range j {
			a, b := &operands[i], &operands[j]
			if (a.Access|b.Access)&Write != 0 {
				sig.pairs = append(sig.pairs, aliasPair{uint8(i), uint8(j), a.mayBe(b)})
			}
		}
	}
	return sig
}

// mayBe tells whether one of two operands may be the other.
func (o *Operand) mayBe(other *Operand) bool {
	return (o.InPlace != "" && o.InPlace == other.Name) || (other.InPlace != "" && other.InPlace == o.Name)
}

// BindTo is Bind for a signature and the regions of its operands in order. It does the same, several times as fast.
func (s *Scope) BindTo(sig *Signature, regions []Region) error {
	defer goruntime.KeepAlive(s)
	c, err := s.ready()
	if err != nil {
		return err
	}
	if len(regions) != len(sig.operands) {
		return c.refuse(&ContractError{sig.op, "operands", strconv.Itoa(len(sig.operands)), strconv.Itoa(len(regions))})
	}
	if !c.bindAll(sig, regions) || !sig.apart(regions) {
		return c.explain(sig, regions)
	}
	c.op, c.sig = sig.op, sig
	c.ops++
	for i := range regions {
		c.touch(&sig.operands[i], &regions[i])
	}
	return nil
}

// bindAll leases the regions, and stops at one that cannot be bound.
func (c *scopeCore) bindAll(sig *Signature, regions []Region) bool {
	for i := range regions {
		r := &regions[i]
		if access := sig.operands[i].Access; r.dtype == 0 || access == 0 || access&^r.access != 0 {
			return false
		}
		if r.mem == nil {
			continue
		}
		if r.mem.dev != c.dev || !r.mem.acquire() {
			return false
		}
		c.leases = append(c.leases, r.mem.lease)
	}
	return true
}

// apart tells whether no two regions share memory that may not.
func (sig *Signature) apart(regions []Region) bool {
	for _, p := range sig.pairs {
		a, b := &regions[p.a], &regions[p.b]
		if a.overlaps(*b) && !(p.inPlace && a.same(*b)) {
			return false
		}
	}
	return true
}

// explain binds the slow way, which finds everything that is wrong.
func (c *scopeCore) explain(sig *Signature, regions []Region) error {
	operands := make([]Operand, len(regions))
	for i := range operands {
		operands[i] = sig.operands[i]
		operands[i].Region = regions[i]
	}
	return c.bind(sig.op, operands)
}

// bind is Bind on an open scope.
func (c *scopeCore) bind(op string, operands []Operand) error {
	c.op, c.sig = op, nil
	c.ops++
	var findings []error
	for i := range operands {
		if err := c.bindOne(op, &operands[i]); err != nil {
			findings = append(findings, err)
		}
		findings = aliases(findings, op, operands[:i], &operands[i])
	}
	if findings != nil {
		return c.refuse(errors.Join(findings...))
	}
	for i := range operands {
		c.touch(&operands[i], &operands[i].Region)
	}
	return nil
}
