package tile_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/tile"
)

// Kernels that are wrong on purpose. A line with a mistake says which: "// want CODE".

// wrong has the parts of a small product; each bad kernel uses them in its own way.
type wrong struct {
	k       *ir.Kernel
	b       *tile.Block
	gx, gy  *tile.Tensor
	x, y    *tile.Shared
	copies  *tile.Role
	math    *tile.Role
	ring    *tile.Ring
	zero    ir.U32
	factors tile.Layout
}

func newWrong(k *ir.Kernel) *wrong {
	l := tile.Layout{Format: lib.BF16, Rows: 64, Cols: 64, Swizzle: ir.Swizzle128B, Stages: 2}
	b := tile.In(k)
	w := &wrong{k: k, b: b, gx: b.Tensor("x", l, ir.Constant), gy: b.Tensor("y", l, ir.Constant), x: b.Place("tx", l), y: b.Place("ty", l),
		copies: b.Role("copy", 1, 24), math: b.Role("math", 1, 240), zero: k.ConstU32(0), factors: l}
	w.ring = b.Ring("ring", w.copies, w.math, w.x, w.y)
	return w
}

// run completes the kernel with roles that are right where the test gives none.
func (w *wrong) run(copies, math func()) {
	if copies == nil {
		copies = func() { w.copies.One(w.fill) }
	}
	if math == nil {
		math = func() {
			use, acc := w.ring.Use(), w.b.Accumulator("acc", 64, 64)
			s := use.Acquire()
			acc.Mul(s.Tile(w.x), s.Tile(w.y)).Wait()
			s.Release()
			use.Advance()
		}
	}
	w.b.Ready()
	w.copies.Do(copies)
	w.math.Do(math)
	w.b.Run()
}

func (w *wrong) fill() {
	fill := w.ring.Fill()
	s := fill.Acquire()
	s.Load(s.Tile(w.x), w.gx, w.zero, w.zero)
	s.Load(s.Tile(w.y), w.gy, w.zero, w.zero)
	fill.Advance()
	fill.Drain()
}

func slotAfterRelease(w *wrong) {
	w.run(nil, func() {
		use, acc := w.ring.Use(), w.b.Accumulator("acc", 64, 64)
		s := use.Acquire()
		s.Release()
		acc.Mul(s.Tile(w.x), s.Tile(w.y)).Wait() // want SLOT_RELEASED SLOT_RELEASED
		use.Advance()
	})
}

func slotReleasedTwice(w *wrong) {
	w.run(nil, func() {
		s := w.ring.Use().Acquire()
		s.Release()
		s.Release() // want SLOT_RELEASED
	})
}

func slotHeld(w *wrong) {
	w.run(nil, func() {
		use := w.ring.Use()
		use.Acquire()
		use.Advance() // want SLOT_HELD
	})
}

func slotHeldInLoop(w *wrong) {
	w.run(nil, func() {
		use, acc := w.ring.Use(), w.b.Accumulator("acc", 64, 64)
		for range w.k.Loop(w.zero, w.k.ConstU32(4), w.k.ConstU32(1)) {
			s := use.Acquire()
			acc.Mul(s.Tile(w.x), s.Tile(w.y)).Wait()
			use.Advance() // want SLOT_HELD
		}
	})
}

func givenBackInFlight(w *wrong) {
	w.run(nil, func() {
		use, acc := w.ring.Use(), w.b.Accumulator("acc", 64, 64)
		s := use.Acquire()
		g := acc.Mul(s.Tile(w.x), s.Tile(w.y))
		s.Release() // want TILE_IN_FLIGHT
		g.Wait()
		use.Advance()
	})
}

func givenBackBeforeSecond(w *wrong) {
	w.run(nil, func() {
		use := w.ring.Use()
		one, two := w.b.Accumulator("one", 64, 64), w.b.Accumulator("two", 64, 64)
		s := use.Acquire()
		first := one.Mul(s.Tile(w.x), s.Tile(w.y))
		second := two.Mul(s.Tile(w.y), s.Tile(w.x))
		first.Wait()
		s.Release() // want TILE_IN_FLIGHT
		second.Wait()
		use.Advance()
	})
}

func groupNeverWaited(w *wrong) {
	w.run(nil, func() {
		s := w.ring.Use().Acquire()
		w.b.Accumulator("acc", 64, 64).Mul(s.Tile(w.x), s.Tile(w.y)) // want GROUP_NOT_WAITED
	})
}

func groupsPileUp(w *wrong) {
	w.run(nil, func() {
		s, acc := w.ring.Use().Acquire(), w.b.Accumulator("acc", 64, 64)
		for range w.k.Loop(w.zero, w.k.ConstU32(40), w.k.ConstU32(1)) {
			acc.MulAdd(s.Tile(w.x), s.Tile(w.y)) // want GROUP_NOT_WAITED
		}
		w.b.Newest(0)
	})
}

func readInFlight(w *wrong) {
	w.run(nil, func() {
		s, acc := w.ring.Use().Acquire(), w.b.Accumulator("acc", 64, 64)
		g := acc.Mul(s.Tile(w.x), s.Tile(w.y))
		acc.Values(0, 0, 8) // want TOUCHED_IN_FLIGHT
		g.Wait()
	})
}

func readNewest(w *wrong) {
	w.run(nil, func() {
		s := w.ring.Use().Acquire()
		one, two := w.b.Accumulator("one", 64, 64), w.b.Accumulator("two", 64, 64)
		first := one.Mul(s.Tile(w.x), s.Tile(w.y))
		second := two.Mul(s.Tile(w.y), s.Tile(w.x))
		first.Wait()
		one.Values(0, 0, 8)
		two.Values(0, 0, 8) // want TOUCHED_IN_FLIGHT
		second.Wait()
	})
}

func mapOfAnotherBox(w *wrong) {
	narrow := w.factors
	narrow.Swizzle = ir.Swizzle64B
	other := w.b.Tensor("other", narrow, ir.Constant)
	w.run(func() {
		w.copies.One(func() {
			fill := w.ring.Fill()
			s := fill.Acquire()                        // want TX_BYTES
			s.Load(s.Tile(w.x), other, w.zero, w.zero) // want TILE_MAP
			s.Load(s.Tile(w.y), w.gy, w.zero, w.zero)
			fill.Advance()
		})
	}, nil)
}

func mapOfWholeForPart(w *wrong) {
	w.run(func() {
		w.copies.One(func() {
			fill := w.ring.Fill()
			s := fill.Acquire()
			s.Load(s.Tile(w.x).Rows(0, 32), w.gx, w.zero, w.zero) // want TILE_MAP
			fill.Advance()
		})
	}, nil)
}

func tooFewBytes(w *wrong) {
	w.run(func() {
		w.copies.One(func() {
			fill := w.ring.Fill()
			s := fill.Acquire() // want TX_BYTES
			s.Load(s.Tile(w.x), w.gx, w.zero, w.zero)
			fill.Advance() // want TX_BYTES
		})
	}, nil)
}

func tooManyBytes(w *wrong) {
	w.run(func() {
		w.copies.One(func() {
			fill := w.ring.Fill()
			s := fill.Acquire() // want TX_BYTES
			s.Load(s.Tile(w.x), w.gx, w.zero, w.zero)
			s.Load(s.Tile(w.y), w.gy, w.zero, w.zero)
			s.Load(s.Tile(w.y), w.gy, w.zero, w.zero)
			fill.Advance() // want TX_BYTES
		})
	}, nil)
}

func leadTooFewBytes(w *wrong) {
	w.run(func() {
		w.copies.One(func() {
			fill := w.ring.Fill()
			fill.Lead(w.k.ConstU32(2), w.x, // want TX_BYTES
				func(_ ir.U32, s *tile.Slot) { s.Load(s.Tile(w.x), w.gx, w.zero, w.zero) },
				func(ir.U32, *tile.Slot) {}) // nothing brings y
			fill.Drain()
		})
	}, nil)
}

func leadOtherTile(w *wrong) {
	w.run(func() {
		w.copies.One(func() {
			fill := w.ring.Fill()
			fill.Lead(w.k.ConstU32(2), w.x, // want TX_BYTES TX_BYTES
				func(_ ir.U32, s *tile.Slot) {
					s.Load(s.Tile(w.x), w.gx, w.zero, w.zero)
					s.Load(s.Tile(w.y), w.gy, w.zero, w.zero)
				},
				func(_ ir.U32, s *tile.Slot) { s.Load(s.Tile(w.y), w.gy, w.zero, w.zero) })
			fill.Drain()
		})
	}, nil)
}

func readersOfAnotherRole(w *wrong) {
	w.run(func() {
		w.ring.Use() // want ROLE
		w.copies.One(w.fill)
	}, nil)
}

func fillersOfAnotherRole(w *wrong) {
	w.run(nil, func() {
		w.math.One(func() { w.ring.Fill() }) // want ROLE
	})
}

func rolesOfAnotherBlock(w *wrong) {
	w.b.Ready()
	w.copies.Do(func() {})
	w.math.Do(func() {})
	w.b.Role("third", 1, 0).Do(func() {})
	w.b.Run() // want ROLE
}

func roleWithoutBody(w *wrong) {
	w.b.Ready()
	w.copies.Do(func() {})
	w.b.Run() // want ROLE
}

func notReadyToUse(w *wrong) {
	w.copies.Do(func() {})
	w.math.Do(func() {
		w.ring.Use() // want RING_NOT_READY
	})
	w.b.Run()
}

func notReadyToFill(w *wrong) {
	w.copies.Do(func() {
		w.ring.Fill() // want RING_NOT_READY
	})
	w.math.Do(func() {})
	w.b.Run()
	w.b.Ready()
}

func turnsTwice(w *wrong) {
	turns := w.b.Turns("turns", w.math)
	w.run(nil, func() {
		turns.Begin()
		turns.Take()
		turns.Take() // want TURN
		turns.Give()
	})
}

func turnsNotTaken(w *wrong) {
	turns := w.b.Turns("turns", w.math)
	w.run(nil, func() {
		turns.Begin()
		turns.Give() // want TURN
	})
}

func shapesDiffer(w *wrong) {
	w.run(nil, func() {
		s := w.ring.Use().Acquire()
		w.b.Accumulator("acc", 64, 32).Mul(s.Tile(w.x), s.Tile(w.y)) // want TILE_SHAPE
	})
}

func rowsInsideOfPattern(w *wrong) {
	w.x.Rows(4, 8) // want TILE_SHAPE
	w.run(nil, nil)
}

func tileTooNarrow(w *wrong) {
	w.b.Place("narrow", tile.Layout{Format: lib.BF16, Rows: 64, Cols: 32, Swizzle: ir.Swizzle128B}) // want TILE_SHAPE
	w.run(nil, nil)
}

func groupOfOtherRole(w *wrong) {
	var g *tile.Group
	w.run(func() {
		acc := w.b.Accumulator("early", 64, 64)
		g = acc.Mul(w.x, w.y)
		g.Wait()
		w.copies.One(w.fill)
	}, func() {
		g.Wait() // want GROUP_OF_ANOTHER
	})
}

func groupOfOtherRoleLater(w *wrong) {
	var g *tile.Group
	w.run(func() {
		w.copies.One(w.fill)
		acc := w.b.Accumulator("early", 64, 64)
		g = acc.Mul(w.x, w.y)
		w.b.Newest(0)
	}, func() {
		s := w.ring.Use().Acquire()
		w.b.Accumulator("acc", 64, 64).Mul(s.Tile(w.x), s.Tile(w.y)).Wait()
		g.Wait() // want GROUP_OF_ANOTHER
	})
}

func stagesUnequal(w *wrong) {
	l := tile.Layout{Format: lib.BF16, Rows: 64, Cols: 64, Swizzle: ir.Swizzle128B, Stages: 2}
	d, t := w.b.Tensor("d", l, ir.Writes), w.b.Place("td", l)
	w.run(nil, func() {
		s, acc := w.ring.Use().Acquire(), w.b.Accumulator("acc", 64, 64)
		acc.Mul(s.Tile(w.x), s.Tile(w.y)).Wait()
		out := w.b.Staging(w.math, t, d)
		out.Write(acc.Values(0, 0, 64), w.zero, w.zero)
		out.Finish() // want STORE_NOT_WAITED
	})
}

func threeWritesOfTwoStages(w *wrong) {
	l := tile.Layout{Format: lib.BF16, Rows: 64, Cols: 64, Swizzle: ir.Swizzle128B, Stages: 2}
	d, t := w.b.Tensor("d", l, ir.Writes), w.b.Place("td", l)
	w.run(nil, func() {
		s, acc := w.ring.Use().Acquire(), w.b.Accumulator("acc", 64, 64)
		acc.Mul(s.Tile(w.x), s.Tile(w.y)).Wait()
		out := w.b.Staging(w.math, t, d)
		for range w.k.Loop(w.zero, w.k.ConstU32(4), w.k.ConstU32(1)) {
			for i := range 3 {
				out.Write(acc.Values(0, 0, 64), w.zero, w.k.ConstU32(uint32(64*i)))
			}
		}
		out.Finish() // want STORE_NOT_WAITED
	})
}

var mark = regexp.MustCompile(`// want ([A-Z_ ]+)$`)

// TestMisuse: every mistake is found while building, with its code, at its line, with a fix.
func TestMisuse(t *testing.T) {
	perCode := map[string]int{}
	for name, body := range map[string]func(*wrong){
		"slotAfterRelease": slotAfterRelease, "slotReleasedTwice": slotReleasedTwice, "slotHeld": slotHeld, "slotHeldInLoop": slotHeldInLoop,
		"givenBackInFlight": givenBackInFlight, "givenBackBeforeSecond": givenBackBeforeSecond, "groupNeverWaited": groupNeverWaited, "groupsPileUp": groupsPileUp,
		"readInFlight": readInFlight, "readNewest": readNewest, "mapOfAnotherBox": mapOfAnotherBox, "mapOfWholeForPart": mapOfWholeForPart,
		"tooFewBytes": tooFewBytes, "tooManyBytes": tooManyBytes, "leadTooFewBytes": leadTooFewBytes, "leadOtherTile": leadOtherTile, "readersOfAnotherRole": readersOfAnotherRole, "fillersOfAnotherRole": fillersOfAnotherRole,
		"rolesOfAnotherBlock": rolesOfAnotherBlock, "roleWithoutBody": roleWithoutBody, "notReadyToUse": notReadyToUse, "notReadyToFill": notReadyToFill, "turnsTwice": turnsTwice, "turnsNotTaken": turnsNotTaken,
		"shapesDiffer": shapesDiffer, "rowsInsideOfPattern": rowsInsideOfPattern, "tileTooNarrow": tileTooNarrow,
		"groupOfOtherRole": groupOfOtherRole, "groupOfOtherRoleLater": groupOfOtherRoleLater, "stagesUnequal": stagesUnequal, "threeWritesOfTwoStages": threeWritesOfTwoStages,
	} {
		t.Run(name, func(t *testing.T) {
			want := wanted(t, name)
			_, err := ir.BuildFunc(name, ir.Contract{Block: [3]int{256}, DynamicSharedBytes: 64 << 10}, func(k *ir.Kernel) { body(newWrong(k)) })
			var fs ir.Findings
			if err != nil && !errors.As(err, &fs) {
				t.Fatal(err)
			}
			var got []string
			for _, f := range fs {
				line := 0
				for _, frame := range f.Pos { // the innermost line of this file
					if strings.HasSuffix(frame.File, "misuse_test.go") {
						line = frame.Line
						break
					}
				}
				got = append(got, fmt.Sprintf("%s:%d", f.Code, line))
				if f.Fix == "" {
					t.Errorf("no fix: %v", f)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %v\nwant %v\n%v", got, want, err)
			}
			for _, w := range want {
				perCode[strings.Split(w, ":")[0]]++
			}
		})
	}
	for _, code := range tile.Codes() {
		if perCode[code] < 2 {
			t.Errorf("%s has %d bad kernels, want 2", code, perCode[code])
		}
	}
}

func wanted(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("misuse_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	inside := false
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "func ") {
			inside = strings.HasPrefix(line, "func "+name+"(")
		}
		if m := mark.FindStringSubmatch(line); inside && m != nil {
			for _, code := range strings.Fields(m[1]) {
				list = append(list, fmt.Sprintf("%s:%d", code, i+1))
			}
		}
	}
	return list
}
