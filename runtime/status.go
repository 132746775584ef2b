package oxrt

import (
	"encoding/binary"
	"sync"
)

// A status record is where a kernel that validates its data says what it found wrong. The kernel writes it at most once per submission,
// from one thread, and only when it rejects: a submission without findings costs no store and no read across the bus. Operators of
// one scope share a record; the first finding stays, because a kernel looks at the rule before it writes, behind
// griddepcontrol.wait. In host order of bytes:
//
//	offset  type  field
//	     0  u32   rule: how got should stand to wanted (Rule); 0 while nothing was rejected; written last
//	     4  u32   operator: the number in [Status].Operator
//	     8  u32   operand: which of Validation.Operands
//	    16  s64   index of the wrong element
//	    24  s64   wanted
//	    32  s64   got
//
// Eager submissions and own graphs use records of page-locked host memory that the completion reads. Inside somebody else's capture the
// caller supplies the record ([Scope.ReportTo]) and reads it with [ReadStatus].
const (
	StatusRule     = 0
	StatusOperator = 4
	StatusOperand  = 8
	StatusIndex    = 16
	StatusWanted   = 24
	StatusGot      = 32
	// StatusBytes is the size of a record; its address is a multiple of 8.
	StatusBytes = 40
)

// Rule is how a value on the device must stand to a bound.
type Rule uint32

// Rules. Zero is no rule.
const (
	RuleBelow Rule = iota + 1
	RuleAtMost
	RuleAtLeast
	RuleEqual
)

func (r Rule) String() string {
	switch r {
	case RuleBelow:
		return "below"
	case RuleAtMost:
		return "at most"
	case RuleAtLeast:
		return "at least"
	case RuleEqual:
		return "exactly"
	}
	return "another value than"
}

// Validation names what an operator checks on the device. A plan makes it once; it is immutable.
type Validation struct {
	Operator string
	Operands []string // by the numbers that the kernel writes
}

// Status is what a validating kernel is given: the record to report to, and its number in it.
type Status struct {
	Record   DevicePtr
	Operator uint32
}

// StatusUnchecked is the operator's number that tells a kernel not to check: the plan trusts its data. There is no record then.
const StatusUnchecked uint32 = 1<<32 - 1

// ReadStatus returns the rejection in a record of at least [StatusBytes] bytes, nil if there is none. operators are the validations of
// the scope that reported to it, in the order of their calls. The owner of the record zeroes it before the next use.
func ReadStatus(record []byte, operators ...*Validation) error {
	rule := Rule(binary.LittleEndian.Uint32(record[StatusRule:]))
	if rule == 0 {
		return nil
	}
	e := &RejectedError{
		Operator: "unknown operator", Operand: "unknown operand", Rule: rule,
		Index:  int64(binary.LittleEndian.Uint64(record[StatusIndex:])),
		Wanted: int64(binary.LittleEndian.Uint64(record[StatusWanted:])),
		Got:    int64(binary.LittleEndian.Uint64(record[StatusGot:])),
	}
	if n := binary.LittleEndian.Uint32(record[StatusOperator:]); int64(n) < int64(len(operators)) {
		v := operators[n]
		e.Operator = v.Operator
		if i := binary.LittleEndian.Uint32(record[StatusOperand:]); int64(i) < int64(len(v.Operands)) {
			e.Operand = v.Operands[i]
		}
	}
	return e
}

// statusRecord is a record of ours and who may write to it.
type statusRecord struct {
	host      []byte
	ptr       DevicePtr
	operators []*Validation
	graph     bool // belongs to a graph and not to one submission
}

// add registers an operator.
func (r *statusRecord) add(v *Validation) Status {
	r.operators = append(r.operators, v)
	return Status{r.ptr, uint32(len(r.operators) - 1)}
}

// outcome reads the record and makes it ready for the next use.
func (r *statusRecord) outcome() error {
	err := ReadStatus(r.host, r.operators...)
	if err != nil {
		clear(r.host)
	}
	return err
}

// statusPool hands out the records of a device. The first chunk is made when the device is opened, another only when more
// validating submissions are in flight than there are records.
type statusPool struct {
	dev *Device

	mu     sync.Mutex
	idle   ring[*statusRecord]
	chunks [][]byte
}

const (
	statusStride = 64 // no two records in one line
	statusChunk  = 128
)

func (p *statusPool) take(graph bool) (*statusRecord, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle.len() == 0 {
		if err := p.grow(); err != nil {
			return nil, err
		}
	}
	r := p.idle.pop()
	r.graph = graph
	return r, nil
}

func (p *statusPool) grow() error {
	mem, ptr, code := p.dev.drv.AllocHost(p.dev.ctx, statusChunk*statusStride)
	if code != CodeSuccess {
		return p.dev.fail("cuMemHostAlloc", "", code)
	}
	clear(mem)
	p.chunks = append(p.chunks, mem)
	for i := range statusChunk {
		at := i * statusStride
		p.idle.push(&statusRecord{host: mem[at : at+StatusBytes : at+StatusBytes], ptr: ptr + DevicePtr(at), operators: make([]*Validation, 0, 8)})
	}
	return nil
}

// put takes back a record that no work on the device can write to any more.
func (p *statusPool) put(r *statusRecord) {
	clear(r.operators)
	r.operators = r.operators[:0]
	clear(r.host)
	p.mu.Lock()
	p.idle.push(r)
	p.mu.Unlock()
}

func (p *statusPool) destroy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, mem := range p.chunks {
		p.dev.drv.FreeHost(p.dev.ctx, mem)
	}
	p.chunks, p.idle = nil, ring[*statusRecord]{}
}
