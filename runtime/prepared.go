package oxrt

import (
	"math/bits"
	"slices"
)

// Prepared is an operator call with everything decided but the addresses of its operands: kernels, grids and all other arguments are those
// of the call that it was prepared from. A call checks the same as the operator's Enqueue does, in a fraction of the time. It is
// immutable and safe for concurrent use.
type Prepared struct {
	dev      *Device
	call     func(*Scope, []Region) error
	op       string
	operands []preparedOperand
	pairs    []aliasPair
	commands []Command
	params   []byte
	offsets  []uint16
	names    []string
	patches  []patch
	maps     []mapPatch
}

// PreparedOperand is what a call demands of one region: at least Elements elements of DType at a multiple of Align bytes. Absent
// operands are zero.
type PreparedOperand struct {
	DType    DType
	Elements int64
	Align    int64
}

type preparedOperand struct {
	PreparedOperand
	Operand
	bytes DevicePtr
}

// patch is a parameter that holds an address: of an operand and so many bytes.
type patch struct {
	at      uint32 // in the parameters of all launches
	operand uint8
	plus    DevicePtr
}

// mapPatch is a parameter that holds a tensor map: of an operand from so many bytes on.
type mapPatch struct {
	patch
	box  *TensorBox
	view TensorView
}

// rehearsedMaps are the tensor maps of a rehearsal. Nobody encodes them, as their tensors are not there.
type rehearsedMaps []mapPatch

// mapMark begins what stands in the place of a rehearsed map; its number follows.
const mapMark = "a tensor map of a rehearsal, number"

// note checks a map and gives it a number.
func (all *rehearsedMaps) note(to *TensorMap, b *TensorBox, v *TensorView) error {
	if err := b.Check(v); err != nil {
		return err
	}
	*to = TensorMap{}
	copy(to[:], mapMark)
	to[len(mapMark)] = byte(len(*all))
	*all = append(*all, mapPatch{box: b, view: *v})
	return nil
}

// number is which of so many rehearsed maps a parameter holds, -1 if none.
func mapNumber(param []byte, count int) int {
	if len(param) < len(TensorMap{}) || string(param[:len(mapMark)]) != mapMark || int(param[len(mapMark)]) >= count {
		return -1
	}
	return int(param[len(mapMark)])
}

// Prepare makes a call twice, on memory that is not there and into scopes that are never submitted, and keeps what it comes to. The two
// differ in their addresses alone, and whatever differs between the results is an address. sig is what the call binds: the operands that
// are not absent, in order. A call that takes more from its scope, as workspace, a status record or a lease, cannot be prepared, nor
// one that binds in another way: that is a ContractError.
func Prepare(d *Device, sig *Signature, operands []PreparedOperand, call func(*Scope, []Region) error) (*Prepared, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	p := &Prepared{dev: d, call: call, op: sig.op}
	if !p.describe(sig, operands) {
		return nil, p.refuse("operands", "those of the signature at powers of two")
	}
	a, err := p.rehearse(sig, 1)
	if err != nil {
		return nil, err
	}
	b, err := p.rehearse(sig, 2)
	if err != nil {
		return nil, err
	}
	p.commands, p.params, p.offsets, p.names = a.batch.Commands, a.batch.Params, a.batch.Offsets, a.names
	if !slices.Equal(a.batch.Commands, b.batch.Commands) || !slices.Equal(a.batch.Offsets, b.batch.Offsets) || !p.compare(b.batch.Params, *a.maps, *b.maps) {
		return nil, p.refuse("arguments", "addresses of operands, or the same in every call")
	}
	return p, nil
}

func (p *Prepared) refuse(field, want string) error {
	return &ContractError{p.op, "prepared " + field, want, "others"}
}

// describe joins the regions of a call to the operands of the signature.
func (p *Prepared) describe(sig *Signature, operands []PreparedOperand) bool {
	var present []uint8 // by operand of the signature
	for i, o := range operands {
		all := preparedOperand{PreparedOperand: o, bytes: DevicePtr(o.Elements) * DevicePtr(o.DType.Size())}
		if o.DType != 0 {
			if len(present) == len(sig.operands) || bits.OnesCount64(uint64(o.Align)) != 1 || o.Elements < 0 {
				return false
			}
			all.Operand = sig.operands[len(present)]
			present = append(present, uint8(i))
		}
		p.operands = append(p.operands, all)
	}
	if len(present) != len(sig.operands) {
		return false
	}
	for _, pair := range sig.pairs {
		p.pairs = append(p.pairs, aliasPair{present[pair.a], present[pair.b], pair.inPlace})
	}
	return true
}

// rehearsalSpan is more than an operand of any device; the operands of a rehearsal lie that far apart.
const rehearsalSpan = DevicePtr(1) << 52

// base is where operand i lies in a rehearsal: no address of one rehearsal is one of the other.
func base(i, rehearsal int) DevicePtr {
	return DevicePtr(2*i+rehearsal)*rehearsalSpan + DevicePtr(rehearsal)<<40
}

// rehearse makes the call and returns what its scope collected.
func (p *Prepared) rehearse(sig *Signature, number int) (*scopeCore, error) {
	stream := &Stream{dev: p.dev, order: &streamOrder{}}
	s, err := stream.Begin()
	if err != nil {
		return nil, err
	}
	defer s.Drop()
	maps := &rehearsedMaps{}
	s.c.maps = maps
	defer func() { s.c.maps = nil }()
	regions := make([]Region, len(p.operands))
	for i := range p.operands {
		if o := &p.operands[i]; o.DType != 0 {
			regions[i] = Region{ptr: base(i, number), elems: o.Elements, dtype: o.DType, access: ReadWrite}
		}
	}
	if err := p.call(s, regions); err != nil {
		return nil, err
	}
	c := s.c
	if c.sig != sig || c.ops != 1 || c.status != nil || c.recorded != nil || c.batch.Eager || len(c.leases) > 0 {
		return nil, p.refuse("call", "launches of one operator that binds its signature and takes nothing else from the scope")
	}
	for i := range c.batch.Commands {
		if c.batch.Commands[i].Kind != CommandLaunch {
			return nil, p.refuse("call", "launches alone")
		}
	}
	return &scopeCore{names: slices.Clone(c.names), maps: maps, batch: Batch{Commands: slices.Clone(c.batch.Commands), Params: slices.Clone(c.batch.Params),
		Offsets: slices.Clone(c.batch.Offsets)}}, nil
}

// compare finds the addresses in the parameters of one rehearsal with the help of the other.
func (p *Prepared) compare(other []byte, maps, otherMaps rehearsedMaps) bool {
	if len(other) != len(p.params) || len(maps) != len(otherMaps) || len(maps) > 255 {
		return false
	}
	checked := slices.Clone(p.params)
	for i := range p.commands {
		cmd := &p.commands[i]
		offsets := p.offsets[cmd.OffsetStart:][:cmd.OffsetCount]
		for n, o := range offsets {
			end := cmd.ParamBytes
			if n+1 < len(offsets) {
				end = uint32(offsets[n+1])
			}
			at, size := cmd.ParamStart+uint32(o), end-uint32(o)
			if n := mapNumber(p.params[at:at+size], len(maps)); n >= 0 {
				if !p.tensorMap(at, maps[n], &otherMaps[n]) {
					return false
				}
			} else if size >= 8 {
				p.address(at, checked, other)
			}
		}
	}
	return string(checked) == string(other)
}

// address notes a parameter that is an address of the same operand in both rehearsals.
func (p *Prepared) address(at uint32, checked, other []byte) {
	a, b := readPtr(p.params[at:]), readPtr(other[at:])
	if i, plus, ok := p.operand(a, b); ok {
		p.patches = append(p.patches, patch{at, i, plus})
		writePtr(checked[at:], b)
	}
}

// tensorMap notes a parameter that is a map of the same operand in both rehearsals.
func (p *Prepared) tensorMap(at uint32, m mapPatch, other *mapPatch) bool {
	i, plus, ok := p.operand(m.view.Base, other.view.Base)
	m.patch, m.view.Base = patch{at, i, plus}, other.view.Base
	p.maps = append(p.maps, m)
	return ok && m.box == other.box && m.view == other.view
}

// operand finds what two addresses in two rehearsals are: an operand and so many bytes.
func (p *Prepared) operand(a, b DevicePtr) (number uint8, plus DevicePtr, ok bool) {
	for i := range p.operands {
		o := &p.operands[i]
		if plus := a - base(i, 1); o.DType != 0 && plus <= o.bytes && b-base(i, 2) == plus {
			return uint8(i), plus, true
		}
	}
	return 0, 0, false
}

// Submit submits the call as a scope of its own.
func (p *Prepared) Submit(s *Stream, regions []Region) (Completion, error) {
	return p.run(s, regions, true)
}

// Detach is Submit for a caller who never asks how it ended, as [Scope.Detach].
func (p *Prepared) Detach(s *Stream, regions []Region) error {
	_, err := p.run(s, regions, false)
	return err
}

func (p *Prepared) run(s *Stream, regions []Region, ask bool) (Completion, error) {
	if err := s.usable(); err != nil {
		return Completion{}, err
	}
	c := p.dev.scopes.borrow(s)
	if s.dev != p.dev || !p.bind(c, regions) || !p.fill(c, regions) {
		c.release()
		c.giveBack()
		return p.explain(s, regions, ask)
	}
	var done Completion
	var err error
	if ask || len(c.leases) > 0 {
		if done, err = c.submit(); err != nil {
			c.release()
		}
	} else {
		err = c.detach()
	}
	c.giveBack()
	return done, err
}

// bind checks and leases the regions; it says no where the operator would refuse the call.
func (p *Prepared) bind(c *scopeCore, regions []Region) bool {
	if len(regions) != len(p.operands) {
		return false
	}
	for i := range p.operands {
		o, r := &p.operands[i], &regions[i]
		if r.dtype != o.DType || r.elems < o.Elements || o.Access&^r.access != 0 || (o.Elements > 0 && int64(r.ptr)&(o.Align-1) != 0) {
			return false
		}
		if r.mem != nil {
			if r.mem.dev != c.dev || !r.mem.acquire() {
				return false
			}
			c.leases = append(c.leases, r.mem.lease)
		}
	}
	for _, pair := range p.pairs {
		a, b := regions[pair.a].ptr, regions[pair.b].ptr
		n, m := p.operands[pair.a].bytes, p.operands[pair.b].bytes
		if a < b+m && b < a+n && n > 0 && m > 0 && !(pair.inPlace && a == b && n == m) {
			return false
		}
	}
	return true
}

// fill puts the call into a core; it says no where a tensor map cannot be encoded.
func (p *Prepared) fill(c *scopeCore, regions []Region) bool {
	c.op, c.ops = p.op, 1
	for i := range p.operands {
		if o := &p.operands[i]; o.Constant || o.Access&Write != 0 {
			if o.bytes > 0 {
				c.touches = append(c.touches, touch{span{regions[i].ptr, regions[i].ptr + o.bytes}, 0, o.Access&Write == 0})
			}
		}
	}
	b := &c.batch
	b.Commands = append(b.Commands, p.commands...)
	b.Params = append(b.Params, p.params...)
	b.Offsets = append(b.Offsets, p.offsets...)
	c.names = append(c.names, p.names...)
	for i := range p.patches {
		patch := &p.patches[i]
		writePtr(b.Params[patch.at:], regions[patch.operand].ptr+patch.plus)
	}
	for i := range p.maps {
		m := &p.maps[i]
		c.view = m.view
		c.view.Base = regions[m.operand].ptr + m.plus
		if p.dev.EncodeTensorMap((*TensorMap)(b.Params[m.at:]), m.box, &c.view) != nil {
			return false
		}
	}
	return true
}

// explain makes the call the long way, which finds everything that is wrong.
func (p *Prepared) explain(s *Stream, regions []Region, ask bool) (Completion, error) {
	scope, err := s.Begin()
	if err != nil {
		return Completion{}, err
	}
	if err := p.call(scope, regions); err != nil {
		scope.Drop()
		return Completion{}, err
	}
	if !ask {
		return Completion{}, scope.Detach()
	}
	return scope.Submit()
}
