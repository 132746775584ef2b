package op

import (
	"cmp"
	"slices"
)

// families is the whole table, one slice per file.
var families = [][]Info{
	control, arithmetic, bitwise, comparison, conversion, packing, approximation,
	address, memory, atomics, warp, barrier, special, dependent,
	fences, mbarrier, copies, bulk, tensor, cluster, registers, wgmma, matrix,
}

var (
	all    = flatten()
	byName = index()
	parsed = signatures()
)

func flatten() []*Info {
	var list []*Info
	for _, f := range families {
		for i := range f {
			list = append(list, &f[i])
		}
	}
	return list
}

func index() []*Info {
	list := slices.Clone(all)
	slices.SortFunc(list, func(a, b *Info) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func signatures() map[*Info]Signature {
	m := make(map[*Info]Signature, len(all))
	for _, i := range all {
		m[i], _ = ParseSignature(i.Sig) // the table's test proves that every row parses
	}
	return m
}

// All lists every op in table order.
func All() []*Info { return slices.Clone(all) }

// ByName finds an op.
func ByName(name string) (*Info, bool) {
	i, ok := slices.BinarySearchFunc(byName, name, func(a *Info, n string) int { return cmp.Compare(a.Name, n) })
	if !ok {
		return nil, false
	}
	return byName[i], true
}
