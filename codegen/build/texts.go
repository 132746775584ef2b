package build

import (
	"github.com/dave/jennifer/jen"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// textEntry is one PTX text of gen/ptx.
type textEntry struct{ sha256, file string }

// textsFile embeds every text with its position map, found by the text's hash. It is a package of its own so that
// only programs that open the emulated device carry the texts.
func textsFile(l Layout, texts []textEntry) ([]byte, error) {
	var all []byte
	for _, t := range texts {
		all = append(all, t.sha256+" "+t.file+"\n"...)
	}
	f := newFile(l.ImportPath(ptxFamily), ptxFamily, bundle.Hash(all)[:16])
	f.PackageComment("// Package ptx holds the PTX text of every artifact, with the Go line of every PTX line. Only programs that open the\n" +
		"// emulated device import it.")
	lineComments(f, "Lookup returns the text whose SHA-256 is sum, in lower-case hexadecimal, and the map from its lines to Go lines.\n"+
		"Package codegen/linemap describes and reads the map.")
	f.Func().Id("Lookup").Params(jen.Id("sum").String()).Params(jen.List(jen.Id("text"), jen.Id("positions")).String(), jen.Id("ok").Bool()).Block(
		jen.List(jen.Id("name"), jen.Id("ok")).Op(":=").Id("names").Call().Index(jen.Id("sum")),
		jen.If(jen.Op("!").Id("ok")).Block(jen.Return(jen.Lit(""), jen.Lit(""), jen.False())),
		jen.List(jen.Id("ptx"), jen.Id("errText")).Op(":=").Id("files").Dot("ReadFile").Call(jen.Id("name").Op("+").Lit(".ptx")),
		jen.List(jen.Id("lines"), jen.Id("errMap")).Op(":=").Id("files").Dot("ReadFile").Call(jen.Id("name").Op("+").Lit(".map")),
		jen.Return(jen.String().Call(jen.Id("ptx")), jen.String().Call(jen.Id("lines")), jen.Id("errText").Op("==").Nil().Op("&&").Id("errMap").Op("==").Nil()))
	for _, t := range texts {
		f.Comment("//go:embed " + t.file + " " + mapName(t.file))
	}
	f.Var().Id("files").Qual("embed", "FS")
	rows := jen.Dict{}
	for _, t := range texts {
		rows[jen.Lit(t.sha256)] = jen.Lit(mapName(t.file)[:len(mapName(t.file))-len(".map")])
	}
	f.Comment("names gives the file, without extension, of every text.")
	f.Func().Id("names").Params().Map(jen.String()).String().Block(jen.Return(jen.Map(jen.String()).String().Values(rows)))
	return source(f)
}
