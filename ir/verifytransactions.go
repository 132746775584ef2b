package ir

import "fmt"

// transactions compares the bytes that a phase is told to expect with those of the copies that follow in the same region,
// where all are constants.
func (c *checker) transactions(r *Region) {
	expects, copied := map[string][]*Op{}, map[string]int64{}
	for _, o := range r.Ops {
		for _, inner := range o.Regions {
			c.transactions(inner)
		}
		switch o.Info.Name {
		case "mbarrier_arrive_tx", "mbarrier_expect_tx":
			key := c.addressKey(o.Arg("mbar"))
			expects[key] = append(expects[key], o)
		case "bulk_load", "tensor_load":
			c.countCopy(copied, o)
		case "st_async", "red_async", "mbarrier_complete_tx", "cp_async_arrive": // bytes that the op does not tell
			copied[c.addressKey(o.Arg("mbar"))] = unknownBytes
		}
	}
	for _, list := range expects {
		o := list[0]
		n, found := copied[c.addressKey(o.Arg("mbar"))]
		want := o.Arg("bytes")
		if found && len(list) == 1 && want.IsConst() && n >= 0 && n != int64(want.Bits()) {
			c.at(o, CodeTxBytes, "expect the sum of the copies' sizes", "the phase expects %d bytes, and the copies that follow bring %d", want.Bits(), n)
		}
	}
}

const unknownBytes = -1 << 40

func (c *checker) countCopy(copied map[string]int64, o *Op) {
	n := int64(unknownBytes)
	switch b := o.Arg("bytes"); {
	case o.Flag("multicast"): // other blocks' copies count here too
	case b != nil && b.IsConst():
		n = int64(b.Bits())
	case b == nil && c.boxBytes(o) > 0:
		n = c.boxBytes(o)
	}
	copied[c.addressKey(o.Arg("mbar"))] += n
}

// addressKey is equal for addresses that are computed in the same way from the same values.
func (c *checker) addressKey(p *Value) string {
	if p.kind == ResultValue && p.def != nil && len(p.def.Regions) == 0 && p.def.Info.Effects.Pure() {
		key := p.def.Info.Name
		for _, a := range p.def.Args {
			key += " " + c.addressKey(a)
		}
		return "(" + key + fmt.Sprint(p.def.Attrs) + ")"
	}
	return p.String()
}
