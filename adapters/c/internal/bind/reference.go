package bind

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// reference is the page that describes every operator.
func reference(all []*catalog.Operator) string {
	var w writer
	w.line("<!-- %s -->\n# Operators\n", generated)
	w.line("Every operator, as package `algorithms/catalog` describes it. `oxidelab ops` prints the same; the C header and the Python functions are made")
	w.line("from it. Sizes are elements unless a line says bytes.\n")
	for _, op := range all {
		w.line("- [%s](#%s): %s", op.Name, strings.NewReplacer(".", "").Replace(op.Name), op.Doc)
	}
	for _, op := range all {
		w.operator(op)
	}
	return w.String()
}

func (w *writer) operator(op *catalog.Operator) {
	w.line("\n## %s\n\n%s\n\nSource: %s.\n", op.Name, op.Doc, op.Source)
	w.line("| spec field | type | default | range | meaning |\n|---|---|---|---|---|")
	for _, f := range op.Fields {
		kind, limits := string(f.Kind), ""
		if len(f.Choices) > 0 {
			kind = strings.Join(f.Choices, ", ")
		}
		if f.Kind == catalog.Int || f.Kind == catalog.Float {
			limits = fmt.Sprintf("%.12g to %.12g", f.Min, f.Max)
		}
		if f.NonZero {
			limits += ", not 0"
		}
		missing := f.Default
		if name, copied := strings.CutPrefix(f.Default, "="); copied {
			missing = "as " + name
		}
		if f.Default == "" {
			missing = "required"
		}
		w.line("| `%s` | %s | %s | %s | %s |", f.Name, kind, missing, limits, f.Doc)
	}
	w.line("\n| operand | access | type | shape | strides | meaning |\n|---|---|---|---|---|---|")
	for _, o := range op.Operands {
		doc := o.Doc
		if o.Constant {
			doc += " A constant: read before the launches ahead have ended."
		}
		if o.When != "" {
			doc += " Present if " + strings.Replace(o.When, "!", "not ", 1) + "."
		}
		if len(o.MayAlias) > 0 {
			doc += " May be `" + strings.Join(o.MayAlias, "` or `") + "` itself."
		}
		w.line("| `%s` | %s | %s | [%s] | [%s] | %s |", o.Name, o.Access, o.DType, strings.Join(o.Shape, ", "), strings.Join(o.Strides, ", "), doc)
	}
	w.line("\n| algorithm | provider | targets | meaning |\n|---|---|---|---|")
	for _, a := range op.Algorithms {
		doc := a.Doc
		if len(a.Requires) > 0 {
			doc += " Needs: " + strings.Join(a.Requires, "; ") + "."
		}
		w.line("| `%s` | %s | %s | %s |", a.Name, a.Provider, strings.Join(a.Targets, ", "), doc)
	}
	w.line("\nResults:\n")
	for _, r := range op.Results {
		w.line("- %s", r)
	}
}
