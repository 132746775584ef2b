package differential

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/oxideinfer/oxide/ir"
)

// The launch of every program.
const (
	blockThreads = 64
	gridBlocks   = 2
	inputWords   = 256 // shared by all threads
	outputWords  = 8   // of each thread
	threads      = blockThreads * gridBlocks
)

const (
	statements = 14 // of a program's body
	maxDepth   = 3
	variables  = 4
)

// attempts bounds how often a seed is tried anew.
const attempts = 20

// Build makes the program of a seed. One with modifiers that do not go together is refused by the verifier, and
// made again from the next stream of random numbers.
func Build(seed uint64) (*ir.Kernel, error) {
	var err error
	for stream := range uint64(attempts) {
		var k *ir.Kernel
		k, err = ir.BuildFunc(Name(seed), ir.Contract{Block: [3]int{blockThreads}}, func(k *ir.Kernel) {
			newGenerator(k, seed, stream).program()
		})
		if !refusedModifier(err) {
			return k, err
		}
	}
	return nil, err
}

func refusedModifier(err error) bool {
	var found ir.Findings
	return errors.As(err, &found) && !slices.ContainsFunc(found, func(f ir.Finding) bool { return f.Code != ir.CodeBadAttribute })
}

// Name is the kernel's name.
func Name(seed uint64) string { return fmt.Sprintf("random_%d", seed) }

// generator records one program.
type generator struct {
	k      *ir.Kernel
	r      *rand.Rand
	pool   map[reflect.Type][]reflect.Value // values that are visible here, by type
	vars   []ir.Var[ir.U32]
	words  []ir.U32 // of the input
	shared ir.Shared[ir.U32]
	depth  int
}

func newGenerator(k *ir.Kernel, seed, stream uint64) *generator {
	return &generator{k: k, r: rand.New(rand.NewPCG(seed, stream)), pool: map[reflect.Type][]reflect.Value{}}
}

// program reads four input words, computes, and stores eight values of random types.
func (g *generator) program() {
	in := ir.GlobalParam[ir.U32](g.k, "in", ir.Constant)
	out := ir.GlobalParam[ir.U32](g.k, "out", ir.Writes)
	g.shared = ir.SharedArray[ir.U32](g.k, "exchange", blockThreads, 4)
	tid := g.k.TIDX()
	thread := g.k.CTAIDX().MulAdd(g.k.ConstU32(blockThreads), tid)
	g.add(tid)
	for range variables {
		at := thread.MulAdd(g.k.ConstU32(g.r.Uint32()|1), g.k.ConstU32(g.r.Uint32())).And(g.k.ConstU32(inputWords - 1))
		word := in.At(at).Load()
		g.add(word)
		g.words = append(g.words, word)
		g.vars = append(g.vars, ir.NewVar(word))
	}
	g.block(statements)
	row := out.At(thread.Mul(g.k.ConstU32(outputWords)))
	for i := range outputWords {
		row.AtConst(i).Store(g.word(g.anyValue()))
	}
}

// block records n statements. Values that they define are visible until it ends.
func (g *generator) block(n int) {
	seen := map[reflect.Type]int{}
	for t, list := range g.pool {
		seen[t] = len(list)
	}
	g.depth++
	for range n {
		g.statement()
	}
	g.depth--
	if g.depth == 0 {
		return // the body's values are stored
	}
	for t := range g.pool {
		g.pool[t] = g.pool[t][:seen[t]]
	}
}

func (g *generator) statement() {
	together := g.depth == 1 // all lanes are here
	switch c := g.r.IntN(20); {
	case c < 11:
		for range 3 {
			g.call(pick(g.r, plain))
		}
	case c < 13:
		g.variable().Set(g.word(g.anyValue()))
	case c < 15 && g.depth < maxDepth:
		branch := g.k.If(g.condition(), func() { g.block(3) })
		if g.r.IntN(2) == 0 {
			branch.Else(func() { g.block(2) })
		}
	case c == 15 && g.depth < maxDepth:
		trips := g.u32().And(g.k.ConstU32(3))
		for i := range g.k.Loop(g.k.ConstU32(0), trips, g.k.ConstU32(1)) {
			g.variable().Set(g.variable().Get().Add(i))
			g.block(2)
		}
	case c == 16 && g.depth < maxDepth:
		left := ir.NewVar(g.u32().And(g.k.ConstU32(3)))
		for range g.k.While(func() ir.Pred { return left.Get().NotEqual(g.k.ConstU32(0)) }) {
			left.Set(left.Get().Sub(g.k.ConstU32(1)))
			g.block(2)
		}
	case c < 19 && together:
		g.call(pick(g.r, convergent))
	case c == 19 && together:
		g.exchange()
	default:
		g.add(g.variable().Get())
	}
}

// exchange hands a word to another thread of the block.
func (g *generator) exchange() {
	tid := g.k.TIDX()
	g.shared.At(tid).Store(g.word(g.anyValue()))
	g.k.Barrier()
	other := tid.Xor(g.k.ConstU32(uint32(1 + g.r.IntN(blockThreads-1))))
	word := g.shared.At(other).Load()
	g.k.Barrier()
	g.add(word)
}

func (g *generator) condition() ir.Pred {
	return g.value(reflect.TypeFor[ir.Pred]()).Interface().(ir.Pred)
}

func (g *generator) u32() ir.U32 { return g.value(reflect.TypeFor[ir.U32]()).Interface().(ir.U32) }

func (g *generator) variable() ir.Var[ir.U32] { return pick(g.r, g.vars) }

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
