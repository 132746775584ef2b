package bind

import (
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/adapters/c/internal/abi"
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// header is the C header without the introduction, which oxide.h gives.
func header(all []*catalog.Operator, enums []enum) string {
	var w writer
	w.line("// %s\n#ifndef ZOXIDE_H\n#define ZOXIDE_H\n\n#include <stddef.h>\n#include <stdint.h>\n", generated)
	w.line("#ifdef __cplusplus\n#define OXIDE_BYTES(type, n) static_assert(sizeof(type) == n, \"layout\")\n#else\n" +
		"#define OXIDE_BYTES(type, n) _Static_assert(sizeof(type) == n, \"layout\")\n#endif\n")
	w.line("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n#define OXIDE_ABI_VERSION %d\n", abi.Version)
	w.line("typedef int32_t oxide_status;\nenum {")
	for i, s := range abi.Statuses {
		w.line("\tOXIDE_%s = %d, // %s", s.Name, i, s.Doc)
	}
	w.line("};\n\nenum { OXIDE_CUDA = %d, OXIDE_EMULATED = %d }; // oxide_device_kind\n", abi.CUDA, abi.Emulated)
	w.line("enum { // oxide_dtype; 0 in a spec: the field's default")
	for _, d := range oxrt.DTypes() {
		w.line("\tOXIDE_%s = %d,", strings.ToUpper(d.String()), d)
	}
	w.line("};\n")
	w.line("enum { // oxide_graph_policy")
	for i, name := range []string{"ANYWHERE", "SUPPLIED", "OWN", "NOWHERE"} {
		p := oxrt.GraphPolicy(i + 1)
		w.line("\tOXIDE_GRAPH_%s = %d, // %v", name, p, p)
	}
	w.line("};\n")
	for _, e := range enums {
		w.line("enum { // %s", e.name)
		for i, c := range e.choices {
			w.line("\tOXIDE_%s_%s = %d,", strings.ToUpper(e.name), strings.ToUpper(c), i)
		}
		w.line("};\n")
	}
	w.line("// Handles. 0 is never one.")
	for _, h := range []string{"device", "stream", "plan", "scope", "completion"} {
		w.line("typedef uint64_t oxide_%s;", h)
	}
	w.line("\n// One operand of a call. All zero: absent.\ntypedef struct {\n\tuint64_t data; // device address\n\tint64_t elements; // from the first to the last that may be touched, gaps included\n\tint32_t dtype;\n\tuint32_t reserved; // 0\n} oxide_tensor;\n")
	for _, l := range abi.Fixed() {
		w.layout(l, nil)
	}
	for _, op := range all {
		w.line("// ---- %s ----\n", op.Name)
		w.layout(abi.SpecLayout(op), op.Fields)
		w.layout(abi.OperandsLayout(op), nil)
	}
	for _, f := range functions {
		w.line("%s\noxide_status oxide_%s(%s);\n", comment(f.doc), f.name, f.signature())
	}
	w.line("%s\noxide_status oxide_error_get(oxide_error *error);\n", comment("The last error of the calling thread, which stays until the next one. OXIDE_OK if the thread had none: then status is 0."))
	w.line("%s\nconst char *oxide_last_error(void);\n", comment("Its text, \"\" if there was none. Valid until the thread's next call."))
	w.line("%s\nuint32_t oxide_abi_version(void);\n", comment("OXIDE_ABI_VERSION of the library."))
	w.line("%s\nconst char *oxide_version(void);\n", comment("Module version and commit of the library."))
	w.line("#undef OXIDE_BYTES\n#ifdef __cplusplus\n}\n#endif\n#endif")
	return w.String()
}

// layout writes a struct, its version and an initialiser with every default.
func (w *writer) layout(l abi.Layout, fields []catalog.Field) {
	macro := "OXIDE_" + strings.ToUpper(l.Name)
	w.line("%s\ntypedef struct {\n\tuint32_t struct_size, struct_version;", comment(l.Doc))
	init := fmt.Sprintf(".struct_size = sizeof(oxide_%s), .struct_version = %s_VERSION", l.Name, macro)
	for i, m := range l.Members {
		array := ""
		if m.Count > 0 {
			array = fmt.Sprintf("[%d]", m.Count)
		}
		w.line("\t%s %s%s; // %s", cType(m.Type), m.Name, array, m.Doc)
		if fields != nil {
			init += fmt.Sprintf(", .%s = %s", m.Name, defaultNumber(fields[i]))
		}
	}
	w.line("} oxide_%s;\n#define %s_VERSION %#xu\n#define %s_INIT {%s}", l.Name, macro, l.Version, macro, init)
	w.line("OXIDE_BYTES(oxide_%s, %d);\n", l.Name, l.Bytes)
}

func cType(t string) string {
	switch t {
	case "char", "float":
		return t
	case "tensor":
		return "oxide_tensor"
	}
	return t + "_t"
}

func comment(doc string) string { return "// " + strings.ReplaceAll(doc, "\n", "\n// ") }

func (f function) signature() string {
	var all []string
	for _, p := range f.params {
		sep := " "
		if strings.HasSuffix(p.c, "*") {
			sep = ""
		}
		all = append(all, p.c+sep+p.name)
	}
	return strings.Join(all, ", ")
}

// exports is the C side of every function: it answers in a forked child itself, where the Go runtime cannot, and calls Go otherwise.
func exports() string {
	var w writer
	w.line("// %s\n//go:build cgo && linux\n\n#include \"exports.h\"\n#include \"_cgo_export.h\"\n", generated)
	for _, f := range functions {
		var args []string
		for _, p := range f.params {
			if strings.HasPrefix(p.c, "const") { // Go has no const
				args = append(args, fmt.Sprintf("(%s)%s", strings.TrimPrefix(p.c, "const "), p.name))
				continue
			}
			args = append(args, p.name)
		}
		w.line("oxide_status oxide_%s(%s) {\n\tif (oxide_forked) return oxide_refuse_forked();\n\treturn oxideGo%s(%s);\n}\n", f.name, f.signature(), camel(f.name), strings.Join(args, ", "))
	}
	return strings.TrimSuffix(w.String(), "\n")
}

func camel(s string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(s, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
