package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/adapters/c/internal/abi"
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// pythonABI declares the ABI to ctypes and describes every operator.
func pythonABI(all []*catalog.Operator) string {
	var w writer
	w.line("# %s\n\"\"\"The C ABI as ctypes sees it, and the catalog of operators.\"\"\"\n\nimport ctypes as c\n", generated)
	w.line("from .describe import Field, Operand, Operator\n\nABI_VERSION = %d\nCUDA, EMULATED = %d, %d\n", abi.Version, abi.CUDA, abi.Emulated)
	w.line("STATUSES = (")
	for _, s := range abi.Statuses {
		w.line("    %q,", s.Name)
	}
	w.line(")\n\nDTYPES = {")
	for _, d := range oxrt.DTypes() {
		w.line("    %q: (%d, %d),  # number, bytes", d.String(), d, d.Size())
	}
	w.line("}\n\n\nclass Tensor(c.Structure):")
	w.line("    _fields_ = [(\"data\", c.c_uint64), (\"elements\", c.c_int64), (\"dtype\", c.c_int32), (\"reserved\", c.c_uint32)]\n")
	for _, l := range abi.Fixed() {
		w.pythonStruct(l)
	}
	for _, op := range all {
		w.pythonStruct(abi.SpecLayout(op))
		w.pythonStruct(abi.OperandsLayout(op))
	}
	w.line("\nFUNCTIONS = {")
	for _, f := range functions {
		var types []string
		for _, p := range f.params {
			types = append(types, pythonParam(p.c))
		}
		w.line("    %q: (%s,),", f.name, strings.Join(types, ", "))
	}
	w.line("}\n\nOPERATORS = {")
	for _, op := range all {
		w.pythonOperator(op)
	}
	w.line("}")
	return w.String()
}

func pythonName(struct_ string) string { return camel(struct_) }

func (w *writer) pythonStruct(l abi.Layout) {
	w.line("\nclass %s(c.Structure):\n    VERSION = %#x\n    _fields_ = [\n        (\"struct_size\", c.c_uint32),\n        (\"struct_version\", c.c_uint32),", pythonName(l.Name), l.Version)
	for _, m := range l.Members {
		t := "c.c_" + m.Type
		if m.Type == "tensor" {
			t = "Tensor"
		}
		if m.Count > 0 {
			t += fmt.Sprintf(" * %d", m.Count)
		}
		w.line("        (%q, %s),", m.Name, t)
	}
	w.line("    ]\n")
}

func pythonParam(t string) string {
	switch {
	case t == "const char *":
		return "c.c_char_p"
	case strings.HasSuffix(t, "*"):
		return "c.c_void_p"
	case t == "int32_t":
		return "c.c_int32"
	case t == "int64_t":
		return "c.c_int64"
	}
	return "c.c_uint64"
}

func (w *writer) pythonOperator(op *catalog.Operator) {
	short := abi.ShortName(op)
	w.line("    %q: Operator(\n        %q,\n        %s,\n        %s,\n        fields=(", short, op.Name, pythonName(short+"_spec"), pythonName(short+"_operands"))
	for _, f := range op.Fields {
		w.line("            Field(%q, %q, %q, %s),", f.Name, f.Kind, f.Default, tuple(f.Choices))
	}
	var dims []string
	for _, d := range op.Dims {
		dims = append(dims, fmt.Sprintf("(%q, %q, %d)", d.Name, d.Max, leastRoom(d)))
	}
	w.line("        ),\n        dims=(%s,),\n        operands=(", strings.Join(dims, ", "))
	for _, o := range op.Operands {
		w.line("            Operand(%q, %q, %q, %s, %s, %q, %s),", o.Name, o.Access, o.DType, tuple(o.Shape), tuple(o.Strides), o.When, tuple(o.MayAlias))
	}
	w.line("        ),\n    ),")
}

func tuple(all []string) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "%q, ", s)
	}
	return "(" + strings.TrimSuffix(b.String(), " ") + ")"
}

// pythonOps are the operators as functions with their arguments spelled out.
func pythonOps(all []*catalog.Operator) string {
	var w writer
	w.line("# %s\n\"\"\"Every operator as a function of arrays: torch, numpy, or anything with DLPack or an array interface.\n", generated)
	w.line("Sizes, strides and element types are read off the arrays. Outputs that are not given are made. The work goes to the arrays' device\nand, for torch, to its current stream; arrays of the host run on the emulated device, which is slow and meant for tests.\n\"\"\"\n")
	w.line("from .call import run\n")
	for _, op := range all {
		w.pythonFunction(op)
	}
	return w.String()
}

func (w *writer) pythonFunction(op *catalog.Operator) {
	var inputs, optional, outputs, pass []string
	var docs []string
	for _, o := range op.Operands {
		docs = append(docs, fmt.Sprintf("%s: [%s], %s", o.Name, strings.Join(o.Shape, ", "), o.Doc))
		pass = append(pass, fmt.Sprintf("%q: %s", o.Name, o.Name))
		switch {
		case o.Access == catalog.Out:
			outputs = append(outputs, o.Name+"=None")
		case o.When != "":
			optional = append(optional, o.Name+"=None")
		default:
			inputs = append(inputs, o.Name)
		}
	}
	var fields, values []string
	for _, f := range chosenFields(op) {
		fields = append(fields, f.Name+"="+pythonDefault(f))
		values = append(values, fmt.Sprintf("%q: %s", f.Name, f.Name))
		docs = append(docs, f.Name+": "+f.Doc)
	}
	w.line("\ndef %s(%s, *, %s, algorithm=None):", abi.ShortName(op), strings.Join(append(inputs, optional...), ", "), strings.Join(append(outputs, fields...), ", "))
	w.line("    \"\"\"%s\n", op.Doc)
	for _, d := range docs {
		w.line("    %s", d)
	}
	w.line("    algorithm: None takes the recommended one.\n    \"\"\"\n    return run(%q, {%s}, {%s}, algorithm)\n", abi.ShortName(op), strings.Join(pass, ", "), strings.Join(values, ", "))
}

// chosenFields are the Spec fields that arrays do not tell: a caller chooses them. The type of an output that is to be made is one.
func chosenFields(op *catalog.Operator) []catalog.Field {
	told := []string{"align"}
	for _, d := range op.Dims {
		told = append(told, d.Max)
	}
	for _, o := range op.Operands {
		if o.Access == catalog.In { // an output that is to be made has to be asked for
			told = append(told, o.DType, strings.TrimPrefix(o.When, "!"))
		}
		for _, expr := range slices.Concat(o.Shape, o.Strides) {
			told = append(told, strings.Split(expr, "*")...)
		}
	}
	var chosen []catalog.Field
	for _, f := range op.Fields {
		if !slices.Contains(told, f.Name) {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

func pythonDefault(f catalog.Field) string {
	switch {
	case f.Kind == catalog.Type || f.Default == "":
		return "None"
	case f.Kind == catalog.Enum:
		return fmt.Sprintf("%q", f.Default)
	case f.Kind == catalog.Bool:
		return strings.ToUpper(f.Default[:1]) + f.Default[1:]
	case f.Kind == catalog.Float && !strings.ContainsAny(f.Default, ".e"):
		return f.Default + ".0"
	}
	return f.Default
}

// leastRoom is what the adapter's plans have room for at least: one plan then serves every step of decoding, unless plans choose by
// the size.
func leastRoom(d catalog.Dim) int {
	if d.Tuned {
		return 1
	}
	return 256
}
