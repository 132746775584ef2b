package abi

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
	"unsafe"

	"github.com/oxideinfer/oxide/algorithms/catalog"
)

// Layout is one struct of the ABI as C sees it.
type Layout struct {
	Name    string // "rms_norm_spec"
	Doc     string
	Members []Member
	Bytes   uint32
	Version uint32
}

// Member is one field behind the header.
type Member struct {
	Name   string
	Type   string // int32, int64, uint32, uint64, float, uint8, char or tensor
	Count  int    // of an array, 0 for none
	Offset uint32
	Doc    string
}

const headerBytes = uint32(unsafe.Sizeof(Header{}))

var typeBytes = map[string]uint32{"int32": 4, "uint32": 4, "float": 4, "int64": 8, "uint64": 8, "char": 1, "uint8": 1,
	"tensor": uint32(unsafe.Sizeof(Tensor{}))}

// finish places the members as a C compiler does and makes the version from everything that matters to a caller.
func (l *Layout) finish() Layout {
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%s\n", l.Name)
	at, widest := headerBytes, uint32(4)
	for i := range l.Members {
		m := &l.Members[i]
		align := min(typeBytes[m.Type], 8)
		at = (at + align - 1) / align * align
		m.Offset = at
		at += typeBytes[m.Type] * uint32(max(m.Count, 1))
		widest = max(widest, align)
		fmt.Fprintf(sum, "%s %s %d\n", m.Name, m.Type, m.Count)
	}
	l.Bytes = (at + widest - 1) / widest * widest
	l.Version = sum.Sum32()
	return *l
}

// Snake turns a Go name into a C name: "DriverVersion" into "driver_version", "L2Bytes" into "l2_bytes".
func Snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		upper := r >= 'A' && r <= 'Z'
		if upper && i > 0 && (s[i-1] >= 'a' || i+1 < len(s) && s[i+1] >= 'a') && s[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return strings.ReplaceAll(b.String(), "d_type", "dtype")
}

// layoutOf describes a Go struct of this package.
func layoutOf(v any, doc string) Layout {
	t := reflect.TypeOf(v)
	l := Layout{Name: Snake(t.Name()), Doc: doc}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			continue
		}
		m := Member{Name: Snake(f.Name), Type: f.Type.Name(), Doc: f.Tag.Get("doc")}
		if f.Type.Kind() == reflect.Array {
			m.Count, m.Type = f.Type.Len(), "char" // a text with a final zero, unless the tag says otherwise
			if c := f.Tag.Get("c"); c != "" {
				m.Type = c
			}
		}
		l.Members = append(l.Members, m)
	}
	return l.finish()
}

// fixed are the layouts of the Go structs.
var fixed = []struct {
	goType reflect.Type
	Layout
}{
	{reflect.TypeFor[DeviceInfo](), layoutOf(DeviceInfo{}, "Properties of a device.")},
	{reflect.TypeFor[PlanInfo](), layoutOf(PlanInfo{}, "What a plan decided.")},
	{reflect.TypeFor[Capability](), layoutOf(Capability{}, "One algorithm's answer to a spec.")},
	{reflect.TypeFor[Error](), layoutOf(Error{}, "The last error of the calling thread.")},
}

// Fixed are the layouts that do not depend on the catalog.
func Fixed() []Layout {
	var all []Layout
	for _, f := range fixed {
		all = append(all, f.Layout)
	}
	return all
}

func layoutFor[T any]() *Layout {
	for i := range fixed {
		if fixed[i].goType == reflect.TypeFor[T]() {
			return &fixed[i].Layout
		}
	}
	return &Layout{Name: "unknown"}
}

// header is what a struct of type T begins with.
func header[T any]() Header {
	l := layoutFor[T]()
	return Header{l.Bytes, l.Version}
}

// ShortName is the part of an operator's name that C and Python use.
func ShortName(op *catalog.Operator) string {
	return op.Name[strings.LastIndexByte(op.Name, '.')+1:]
}

var fieldTypes = map[catalog.Kind]string{catalog.Int: "int64", catalog.Float: "float", catalog.Bool: "int32", catalog.Type: "int32", catalog.Enum: "int32"}

// SpecLayout is the struct of an operator's Spec.
func SpecLayout(op *catalog.Operator) Layout {
	l := Layout{Name: ShortName(op) + "_spec", Doc: op.Doc}
	for _, f := range op.Fields {
		l.Members = append(l.Members, Member{Name: f.Name, Type: fieldTypes[f.Kind], Doc: f.Doc})
	}
	return l.finish()
}

// OperandsLayout is the struct of one call: its sizes, then its tensors.
func OperandsLayout(op *catalog.Operator) Layout {
	l := Layout{Name: ShortName(op) + "_operands", Doc: "One call of " + op.Name + "."}
	for _, d := range op.Dims {
		l.Members = append(l.Members, Member{Name: d.Name, Type: "int64", Doc: d.Doc})
	}
	for _, o := range op.Operands {
		l.Members = append(l.Members, Member{Name: o.Name, Type: "tensor", Doc: o.Doc})
	}
	return l.finish()
}

// check refuses a struct that is missing, misaligned, or not the one with that layout.
func (l *Layout) check(p unsafe.Pointer) error {
	if err := aligned(p, l.Name, 8); err != nil {
		return err
	}
	h := (*Header)(p)
	switch {
	case h.Size != l.Bytes:
		return refuse(Struct, "oxide_%s: size is %d, want %d", l.Name, h.Size, l.Bytes)
	case h.Version != l.Version:
		return refuse(Struct, "oxide_%s: version is %#x, want %#x", l.Name, h.Version, l.Version)
	}
	return nil
}

// aligned refuses a pointer that is null or no multiple of n.
func aligned(p unsafe.Pointer, name string, n uintptr) error {
	switch {
	case p == nil:
		return refuse(Argument, "%s: null pointer", name)
	case uintptr(p)%n != 0:
		return refuse(Argument, "%s: %#x is no multiple of %d", name, uintptr(p), n)
	}
	return nil
}

// out checks where a struct is to be written.
func out[T any](p *T) error {
	return layoutFor[T]().check(unsafe.Pointer(p))
}

// outValue checks where a number is to be written.
func outValue[T any](p *T, name string) error {
	return aligned(unsafe.Pointer(p), name, unsafe.Alignof(*p))
}
