package main

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/oxideinfer/oxide/ir/op"
)

// A pointer method is one line over a helper of package ir; which spaces have it is the reason for generating them.
type pointerMethod struct {
	name, doc string
	params    []jen.Code
	result    *jen.Statement
	body      func(space string) *jen.Statement
	only      op.SpaceSet // 0 for all
}

func pointerFile(f *jen.File) {
	for _, s := range []op.Space{op.Global, op.Shared, op.Local, op.Generic, op.SharedCluster} {
		name := map[op.Space]string{op.Global: "Global", op.Shared: "Shared", op.Local: "Local", op.Generic: "Generic", op.SharedCluster: "SharedCluster"}[s]
		pointerType(f, s, name)
		for _, m := range pointerMethods(name) {
			if m.only != 0 && !m.only.Has(s) {
				continue
			}
			f.Comment(m.name + " " + m.doc)
			fn := f.Func().Params(jen.Id("p").Id(name).Index(jen.Id("T"))).Id(m.name).Params(m.params...)
			if m.result != nil {
				fn.Add(m.result).Block(jen.Return(m.body(name)))
			} else {
				fn.Block(m.body(name))
			}
		}
	}
}

func pointerType(f *jen.File, s op.Space, name string) {
	self := func() *jen.Statement { return jen.Id("p").Id(name).Index(jen.Id("T")) }
	f.Commentf("%s is a pointer into %s memory; addresses have %d bits.", name, strings.ReplaceAll(s.String(), "_", " "), s.AddressBits())
	f.Type().Id(name).Index(jen.Id("T").Id("Elem")).Struct(jen.Id("v").Op("*").Id("Value"))
	f.Func().Params(self()).Id("value").Params().Op("*").Id("Value").Block(jen.Return(jen.Id("p").Dot("v")))
	f.Func().Params(self()).Id("static").Params().Id("Type").Block(
		jen.Return(jen.Id("elemType").Index(jen.Id("T")).Call(jen.Qual(irPath+"/op", name))))
	f.Func().Params(self()).Id("size").Params().Int().Block(
		jen.Return(jen.Id("p").Dot("static").Call().Dot("Elem").Dot("Bytes").Call()))
	f.Func().Params(self()).Id("elemType").Params().Id("Type").Block(
		jen.Return(jen.Id("scalar").Call(jen.Id("p").Dot("static").Call().Dot("Elem"))))
}

func pointerMethods(name string) []pointerMethod {
	v := func() *jen.Statement { return jen.Id("use").Call(jen.Id("p")) }
	self := func() *jen.Statement { return jen.Id(name).Index(jen.Id("T")) }
	vec := func() *jen.Statement { return jen.Id("Vec").Index(jen.Id("T")) }
	elem := func() *jen.Statement { return jen.Id("p").Dot("elemType").Call() }
	size := func() *jen.Statement { return jen.Id("p").Dot("size").Call() }
	mk := func(t *jen.Statement, x *jen.Statement) *jen.Statement { return t.Values(x) }
	opts := func(t string) *jen.Statement { return jen.Id("opts").Op("...").Id(t) }
	vals := func(x ...jen.Code) *jen.Statement { return jen.Index().Op("*").Id("Value").Values(x...) }
	atomics := op.In(op.Global, op.Shared, op.Generic, op.SharedCluster)
	list := []pointerMethod{
		{"At", "is the address of element i. 32-bit indexes are extended to the address width, so they do not wrap.", []jen.Code{jen.Id("i").Id("Index")}, self(),
			func(string) *jen.Statement { return mk(self(), jen.Id("at").Call(v(), jen.Id("i"), size())) }, 0},
		{"AtByte", "is the address i bytes further.", []jen.Code{jen.Id("i").Id("Index")}, self(),
			func(string) *jen.Statement { return mk(self(), jen.Id("at").Call(v(), jen.Id("i"), jen.Lit(1))) }, 0},
		{"AtConst", "is the address of element n, a build value; the offset becomes part of the access instruction.", []jen.Code{jen.Id("n").Int()}, self(),
			func(string) *jen.Statement {
				return mk(self(), jen.Id("atConst").Call(v(), jen.Int64().Call(jen.Id("n")).Op("*").Int64().Call(size())))
			}, 0},
		{"AtByteConst", "is the address n bytes further, n a build value.", []jen.Code{jen.Id("n").Int()}, self(),
			func(string) *jen.Statement {
				return mk(self(), jen.Id("atConst").Call(v(), jen.Int64().Call(jen.Id("n"))))
			}, 0},
		{"Load", "loads the element. PTX: ld (ISA 9.7.9.8).", []jen.Code{opts("LoadOption")}, jen.Id("T"),
			func(string) *jen.Statement {
				return mk(jen.Id("T"), jen.Id("load").Call(v(), elem(), jen.Lit(1), jen.Id("opts")).Index(jen.Lit(0)))
			}, 0},
		{"LoadVec", "loads n consecutive elements with one instruction: 1, 2, 4 or 8 and at most 16 bytes, aligned to their size.", []jen.Code{jen.Id("n").Int(), opts("LoadOption")}, vec(),
			func(string) *jen.Statement {
				return jen.Id("handles").Index(jen.Id("T")).Call(jen.Id("load").Call(v(), elem(), jen.Id("n"), jen.Id("opts")))
			}, 0},
		{"LoadIf", "loads the element where mask holds and gives other elsewhere, without touching memory there.", []jen.Code{jen.Id("mask").Id("Pred"), jen.Id("other").Id("T"), opts("LoadOption")}, jen.Id("T"),
			func(string) *jen.Statement {
				return mk(jen.Id("T"), jen.Id("loadIf").Call(v(), elem(), jen.Id("use").Call(jen.Id("mask")), vals(jen.Id("use").Call(jen.Id("other"))), jen.Id("opts")).Index(jen.Lit(0)))
			}, 0},
		{"LoadVecIf", "is LoadVec where mask holds and gives other elsewhere, without touching memory there.", []jen.Code{jen.Id("mask").Id("Pred"), jen.Id("other").Add(vec()), opts("LoadOption")}, vec(),
			func(string) *jen.Statement {
				return jen.Id("handles").Index(jen.Id("T")).Call(jen.Id("loadIf").Call(v(), elem(), jen.Id("use").Call(jen.Id("mask")), jen.Id("useAll").Call(jen.Id("other")), jen.Id("opts")))
			}, 0},
		{"Store", "stores the element. PTX: st (ISA 9.7.9.11).", []jen.Code{jen.Id("x").Id("T"), opts("StoreOption")}, nil,
			func(string) *jen.Statement {
				return jen.Id("store").Call(jen.Lit("store"), v(), jen.Nil(), vals(jen.Id("use").Call(jen.Id("x"))), jen.Id("opts"))
			}, 0},
		{"StoreVec", "stores consecutive elements with one instruction: 1, 2, 4 or 8 and at most 16 bytes, aligned to their size.", []jen.Code{jen.Id("x").Add(vec()), opts("StoreOption")}, nil,
			func(string) *jen.Statement {
				return jen.Id("store").Call(jen.Lit("store"), v(), jen.Nil(), jen.Id("useAll").Call(jen.Id("x")), jen.Id("opts"))
			}, 0},
		{"StoreIf", "stores the element where mask holds.", []jen.Code{jen.Id("mask").Id("Pred"), jen.Id("x").Id("T"), opts("StoreOption")}, nil,
			func(string) *jen.Statement {
				return jen.Id("store").Call(jen.Lit("store_if"), v(), vals(jen.Id("use").Call(jen.Id("mask"))), vals(jen.Id("use").Call(jen.Id("x"))), jen.Id("opts"))
			}, 0},
		{"StoreVecIf", "is StoreVec where mask holds.", []jen.Code{jen.Id("mask").Id("Pred"), jen.Id("x").Add(vec()), opts("StoreOption")}, nil,
			func(string) *jen.Statement {
				return jen.Id("store").Call(jen.Lit("store_if"), v(), vals(jen.Id("use").Call(jen.Id("mask"))), jen.Id("useAll").Call(jen.Id("x")), jen.Id("opts"))
			}, 0},
		{"Prefetch", "asks for the line to be brought into a cache.", []jen.Code{jen.Id("level").Id("PrefetchLevel")}, nil,
			func(string) *jen.Statement { return jen.Id("prefetch").Call(v(), jen.Id("level")) }, op.In(op.Global, op.Generic)},
		{"Generic", "is the generic address. PTX: cvta (ISA 9.7.9.20).", nil, jen.Id("Generic").Index(jen.Id("T")),
			func(string) *jen.Statement {
				return mk(jen.Id("Generic").Index(jen.Id("T")), jen.Id("emitOne").Call(jen.Lit("to_generic"), jen.Nil(), jen.Id("elemType").Index(jen.Id("T")).Call(jen.Qual(irPath+"/op", "Generic")), v()))
			}, op.In(op.Global, op.Shared, op.Local)},
		{"AtomicCAS", "stores x where memory equals old and returns what was there. PTX: atom.cas (ISA 9.7.13.5).", []jen.Code{jen.List(jen.Id("old"), jen.Id("x")).Id("T"), opts("AtomicOption")}, jen.Id("T"),
			func(string) *jen.Statement {
				return mk(jen.Id("T"), jen.Id("atomic").Call(jen.Lit("cas"), jen.Lit(""), v(), jen.Index().Id("Type").Values(elem()),
					vals(jen.Id("use").Call(jen.Id("old")), jen.Id("use").Call(jen.Id("x"))), jen.Id("opts")).Index(jen.Lit(0)))
			}, atomics},
	}
	bits := "U64"
	if name == "Shared" || name == "Local" || name == "SharedCluster" {
		bits = "U32"
	}
	list = append(list, pointerMethod{"Address", "is the address as an integer.", nil, jen.Id(bits), func(string) *jen.Statement {
		return mk(jen.Id(bits), jen.Id("emitOne").Call(jen.Lit("ptr_bits"), jen.Nil(), jen.Id("scalar").Call(jen.Qual(irPath+"/op", bits)), v()))
	}, 0})
	for _, a := range [][2]string{{"Add", "add"}, {"Min", "min"}, {"Max", "max"}, {"And", "and"}, {"Or", "or"}, {"Xor", "xor"}, {"Exchange", "exch"}, {"Inc", "inc"}, {"Dec", "dec"}} {
		list = append(list, atomicMethods(a[0], a[1], atomics, v, elem)...)
	}
	return list
}

func atomicMethods(goName, what string, spaces op.SpaceSet, v, elem func() *jen.Statement) []pointerMethod {
	list := []pointerMethod{{"Atomic" + goName, fmt.Sprintf("updates the element atomically and returns the old value. PTX: atom.%s (ISA 9.7.13.5).", what),
		[]jen.Code{jen.Id("x").Id("T"), jen.Id("opts").Op("...").Id("AtomicOption")}, jen.Id("T"), func(string) *jen.Statement {
			return jen.Id("T").Values(jen.Id("atomic").Call(jen.Lit("atom"), jen.Lit(what), v(), jen.Index().Id("Type").Values(elem()),
				jen.Index().Op("*").Id("Value").Values(jen.Id("use").Call(jen.Id("x"))), jen.Id("opts")).Index(jen.Lit(0)))
		}, spaces}}
	if what == "exch" {
		return list
	}
	list = append(list, pointerMethod{"Reduce" + goName, fmt.Sprintf("updates the element atomically. PTX: red.%s (ISA 9.7.13.6).", what),
		[]jen.Code{jen.Id("x").Id("T"), jen.Id("opts").Op("...").Id("AtomicOption")}, nil, func(string) *jen.Statement {
			return jen.Id("atomic").Call(jen.Lit("red"), jen.Lit(what), v(), jen.Nil(),
				jen.Index().Op("*").Id("Value").Values(jen.Id("use").Call(jen.Id("x"))), jen.Id("opts"))
		}, spaces})
	if what == "add" {
		list = append(list, pointerMethod{"ReduceAddVec", "updates 2 or 4 consecutive elements, each atomically. PTX: red.add.v4 (ISA 9.7.13.6).",
			[]jen.Code{jen.Id("x").Id("Vec").Index(jen.Id("T")), jen.Id("opts").Op("...").Id("AtomicOption")}, nil, func(string) *jen.Statement {
				return jen.Id("atomic").Call(jen.Lit("red"), jen.Lit(what), v(), jen.Nil(), jen.Id("useAll").Call(jen.Id("x")), jen.Id("opts"))
			}, op.In(op.Global)})
	}
	return list
}
