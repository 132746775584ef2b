package differential

import (
	"reflect"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/ir"
)

// method is a method of a value type that programs may call.
type method struct {
	of reflect.Type
	reflect.Method
}

// types are the value types of the IR. TF32 values only come from a conversion: the chip ignores bits of other ones.
var types = []reflect.Type{
	reflect.TypeFor[ir.U8](), reflect.TypeFor[ir.S8](), reflect.TypeFor[ir.U16](), reflect.TypeFor[ir.S16](),
	reflect.TypeFor[ir.U32](), reflect.TypeFor[ir.S32](), reflect.TypeFor[ir.U64](), reflect.TypeFor[ir.S64](),
	reflect.TypeFor[ir.F16](), reflect.TypeFor[ir.BF16](), reflect.TypeFor[ir.F32](), reflect.TypeFor[ir.F64](), reflect.TypeFor[ir.TF32](),
	reflect.TypeFor[ir.F16x2](), reflect.TypeFor[ir.BF16x2](), reflect.TypeFor[ir.E4M3x2](), reflect.TypeFor[ir.E5M2x2](),
	reflect.TypeFor[ir.S8x4](), reflect.TypeFor[ir.Pred](),
}

// integers are types whose bits a program may look at.
var integers = []reflect.Type{
	reflect.TypeFor[ir.U8](), reflect.TypeFor[ir.S8](), reflect.TypeFor[ir.U16](), reflect.TypeFor[ir.S16](),
	reflect.TypeFor[ir.U32](), reflect.TypeFor[ir.S32](), reflect.TypeFor[ir.U64](), reflect.TypeFor[ir.S64](),
	reflect.TypeFor[ir.S8x4](),
}

var plain, convergent = methods()

func methods() (plain, convergent []method) {
	for _, t := range types {
		for i := range t.NumMethod() {
			m := method{t, t.Method(i)}
			switch {
			case !m.callable():
			case m.warp():
				convergent = append(convergent, m)
			default:
				plain = append(plain, m)
			}
		}
	}
	return plain, convergent
}

// warp reports whether lanes take part together.
func (m method) warp() bool {
	for _, p := range []string{"Shfl", "Match", "Redux", "Vote", "Ballot"} {
		if strings.HasPrefix(m.Name, p) {
			return true
		}
	}
	return false
}

// callable reports whether every argument can be had, every result is a value, and the bits of the results are fixed.
func (m method) callable() bool {
	exact := slices.Contains(integers, m.of)
	switch {
	case strings.HasPrefix(m.Name, "As") && !exact: // shows the bits of a NaN
		return false
	case m.Name == "TransposeMatrix": // of a warp's matrix; run with the matrix products
		return false
	case m.Name == "AsTF32" || m.Name == "CopySign": // the latter copies a NaN's sign
		return false
	}
	for i := 1; i < m.Type.NumIn(); i++ {
		in := m.Type.In(i)
		last := m.Type.IsVariadic() && i == m.Type.NumIn()-1
		if !last && in.Kind() != reflect.Int && in != approximation && !slices.Contains(types, in) {
			return false
		}
	}
	for i := range m.Type.NumOut() {
		if !slices.Contains(types, m.Type.Out(i)) {
			return false
		}
	}
	return m.Type.NumOut() > 0
}

// values counts the arguments that are values of the IR.
func (m method) values() (n int) {
	for i := 1; i < m.Type.NumIn(); i++ {
		if slices.Contains(types, m.Type.In(i)) {
			n++
		}
	}
	return n
}

// approximates reports whether one of the arguments asks for it.
func (m method) approximates(args []reflect.Value) bool {
	return slices.ContainsFunc(args, func(v reflect.Value) bool { return v.Type() == approximation })
}

// atRunTime replaces arguments of an approximation by values that ptxas cannot know: of constants it works out another
// result than the chip does.
func (g *generator) atRunTime(args []reflect.Value) {
	for i := range args {
		args[i] = reflect.ValueOf(g.from(pick(g.r, g.words), args[i].Interface()))
	}
}

var approximation = reflect.TypeFor[ir.Approximation]()

// options are tried in groups; of each at most one is given.
var options = [][]ir.Option{
	{ir.RN, ir.RZ, ir.RM, ir.RP}, {ir.RZI, ir.RNI, ir.RMI, ir.RPI}, {ir.FTZ}, {ir.Sat}, {ir.SatFinite}, {ir.ReLU}, {ir.NaN}, {ir.Approx, ir.Full},
	{ir.Width(2), ir.Width(4), ir.Width(8), ir.Width(16)},
}

// call records a call of a method on values of the pool.
func (g *generator) call(m method) {
	args := []reflect.Value{g.value(m.of)}
	for i := 1; i < m.Type.NumIn(); i++ {
		in := m.Type.In(i)
		switch {
		case m.Type.IsVariadic() && i == m.Type.NumIn()-1:
			args = append(args, g.options(in.Elem())...)
		case in == approximation:
			args = append(args, reflect.ValueOf(ir.Approx))
		case in.Kind() == reflect.Int:
			args = append(args, reflect.ValueOf(g.constant(m)))
		default:
			args = append(args, g.value(in))
		}
	}
	if m.approximates(args) {
		g.atRunTime(args[:1+m.values()])
	}
	switch {
	case m.Name == "ExtractBits", m.Name == "InsertBits":
		for i := len(args) - 2; i < len(args); i++ {
			args[i] = reflect.ValueOf(args[i].Interface().(ir.U32).And(g.k.ConstU32(31)))
		}
	case m.Name == "Abs":
		args[0] = g.negatable(args[0])
	case m.Name == "ConvertToU64" || m.Name == "ConvertToS64":
		args[0] = g.number(args[0])
	}
	if (m.Name == "Div" || m.Name == "Rem") && slices.Contains(integers, m.of) {
		args[1] = g.divisor(args[1])
	}
	for _, v := range m.Func.Call(args) {
		g.add(v.Interface())
	}
}

// constant is a build value: the table of Logic3, or the lane of a shuffle.
func (g *generator) constant(m method) int {
	if m.Name == "Logic3" {
		return g.r.IntN(256)
	}
	return 1 + g.r.IntN(15)
}

func (g *generator) options(kind reflect.Type) []reflect.Value {
	var out []reflect.Value
	for _, group := range options {
		o := reflect.ValueOf(pick(g.r, group))
		if o.Type().Implements(kind) && g.r.IntN(3) == 0 {
			out = append(out, o)
		}
	}
	return out
}
