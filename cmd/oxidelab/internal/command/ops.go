package command

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// ops lists the operators, or shows one.
func (l *lab) ops(args []string) error {
	f := l.flags("ops", "[-json] [OP]")
	asJSON := f.Bool("json", false, "print the descriptions as JSON")
	names, err := parse(f, args)
	if err != nil {
		return err
	}
	selected := bindings()
	if len(names) > 0 {
		selected = nil
		for _, name := range names {
			b, err := find(name)
			if err != nil {
				return err
			}
			selected = append(selected, b)
		}
	}
	if *asJSON {
		var all []*catalog.Operator
		for _, b := range selected {
			all = append(all, b.Operator)
		}
		enc := json.NewEncoder(l.data)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(all)
	}
	for i, b := range selected {
		if i > 0 {
			fmt.Fprintln(l.out)
		}
		l.showOperator(b.Operator)
	}
	return nil
}

func (l *lab) showOperator(op *catalog.Operator) {
	fmt.Fprintf(l.out, "%s\n  %s\n  Source: %s.\n", op.Name, op.Doc, op.Source)
	w := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  spec field\ttype\tdefault\tmeaning")
	for _, f := range op.Fields {
		kind := string(f.Kind)
		if len(f.Choices) > 0 {
			kind = strings.Join(f.Choices, "|")
		}
		if f.Default == "" {
			f.Default = "required"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", f.Name, kind, f.Default, f.Doc)
	}
	fmt.Fprintln(w, "  operand\t\tshape\t")
	for _, o := range op.Operands {
		doc := o.Doc
		if o.When != "" {
			doc += " Present if " + o.When + "."
		}
		if len(o.MayAlias) > 0 {
			doc += " May be " + strings.Join(o.MayAlias, " or ") + " itself."
		}
		fmt.Fprintf(w, "  %s\t%s, %s\t[%s]\t%s\n", o.Name, o.Access, o.DType, strings.Join(o.Shape, ", "), doc)
	}
	fmt.Fprintln(w, "  algorithm\t\ttarget\t")
	for _, a := range op.Algorithms {
		doc := a.Doc
		if len(a.Requires) > 0 {
			doc += " Needs: " + strings.Join(a.Requires, "; ") + "."
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", a.Name, a.Provider, strings.Join(a.Targets, ", "), doc)
	}
	_ = w.Flush()
	for _, r := range op.Results {
		fmt.Fprintf(l.out, "  - %s\n", r)
	}
}
