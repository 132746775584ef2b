package main

import (
	"sort"

	"github.com/dave/jennifer/jen"
	"github.com/oxideinfer/oxide/ir/op"
)

// optionFile declares one interface per set of options and makes the option types implement it.
func optionFile(f *jen.File) {
	sets := map[string][]op.AttrSpec{}
	for _, k := range append(op.Kinds(), op.Invalid) {
		for _, m := range methodsOf(k) {
			if opts, _ := m.options(); len(opts) > 0 {
				sets[optionName(opts)] = opts
			}
		}
	}
	var names []string
	for n := range sets {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		marker := "is" + n
		f.Commentf("%s is implemented by %s.", n, list(sets[n]))
		f.Type().Id(n).Interface(jen.Id("Option"), jen.Id(marker).Params())
		for _, a := range sets[n] {
			f.Func().Params(jen.Id(a.Go)).Id(marker).Params().Block()
		}
	}
}

func list(attrs []op.AttrSpec) string {
	text := ""
	for i, a := range attrs {
		switch {
		case i == 0:
		case i == len(attrs)-1:
			text += " and "
		default:
			text += ", "
		}
		text += a.Go
	}
	return text
}
