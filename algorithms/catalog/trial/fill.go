package trial

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

// Seed is the second word of the generator (PCG) behind all inputs; the first is the FNV-1a hash of operand, fill and shape.
const Seed = 1

// Inputs makes the inputs of a case: the same ones on every machine.
func Inputs(op *catalog.Operator, c catalog.Case) (map[string][]byte, error) {
	tensors, err := op.Tensors(c.Spec, c.Dims...)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for i, t := range tensors {
		if !t.Present || t.Operand.Access != catalog.In {
			continue
		}
		f, ok := catalog.FormatOf(t.DType)
		if !ok {
			return nil, fmt.Errorf("%s.%s: no inputs of type %v", op.Name, t.Operand.Name, t.DType)
		}
		h := fnv.New64a()
		fmt.Fprintf(h, "%s %s %v", t.Operand.Name, c.Fill, t.Shape)
		g := &generator{rand: rand.New(rand.NewPCG(h.Sum64(), Seed)), format: f, fill: c.Fill, shift: i,
			constant: t.Operand.Shape[0] != op.Dims[0].Name}
		out[t.Operand.Name] = g.bytes(t.Dense(), t.DType)
	}
	return out, nil
}

// generator fills one tensor. A constant one (a weight) gets ordinary values whatever the fill, except Integers and
// Positive.
type generator struct {
	rand     *rand.Rand
	format   catalog.Format
	fill     catalog.Fill
	shift    int
	constant bool
}

func (g *generator) bytes(t catalog.Tensor, dtype oxrt.DType) []byte {
	out := make([]byte, t.Elements()*dtype.Size())
	columns := 1
	if n := len(t.Shape); n > 0 {
		columns = max(t.Shape[n-1], 1)
	}
	for i := range t.Elements() {
		catalog.WriteBits(dtype, out, i, g.format.Pattern(g.value(i/columns, i%columns, columns)))
	}
	return out
}

func (g *generator) value(row, column, columns int) float64 {
	r := g.rand
	if g.constant {
		return g.weight()
	}
	switch g.fill {
	case catalog.Positive:
		return 0.5 + 1.5*r.Float64()
	case catalog.Cancelling:
		return math.Copysign(1000+r.Float64(), float64(column%2)-0.5)
	case catalog.Integers:
		return float64(r.IntN(9) - 4)
	case catalog.Zeros:
		return math.Copysign(0, float64(column%2)-0.5)
	case catalog.Tiny:
		return math.Ldexp(r.NormFloat64(), g.format.MinExponent()-2)
	case catalog.Huge:
		return math.Copysign(g.format.Max()*(0.25+0.75*r.Float64()), r.Float64()-0.5)
	case catalog.Constant:
		return 1.5 + 0.25*float64(row%7)
	case catalog.Special:
		return special(r.NormFloat64(), row+g.shift, column, columns)
	}
	return r.NormFloat64()
}

func (g *generator) weight() float64 {
	switch g.fill {
	case catalog.Integers:
		return float64(g.rand.IntN(9) - 4)
	case catalog.Positive:
		return 0.5 + g.rand.Float64()
	}
	return 1 + 0.25*g.rand.NormFloat64()
}

// special puts the values that are no ordinary numbers into the first four of every eight rows.
func special(ordinary float64, row, column, columns int) float64 {
	at, other := (row*5)%columns, (row*5+columns/2)%columns
	switch {
	case row%8 == 0 && column == at:
		return math.NaN()
	case row%8 == 1 && column == at, row%8 == 3 && column == other:
		return math.Inf(1)
	case row%8 == 2 && column == at, row%8 == 3 && column == at:
		return math.Inf(-1)
	}
	return ordinary
}
