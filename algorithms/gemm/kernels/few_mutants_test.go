package kernels

import (
	"encoding/binary"
	"flag"
	"testing"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/mutate"
	"github.com/oxideinfer/oxide/codegen/subjects"
	"github.com/oxideinfer/oxide/internal/numfmt"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/lib"
	"github.com/oxideinfer/oxide/ir/op"
	"github.com/oxideinfer/oxide/ir/pass"
)

// -long-few plants every mistake, not a fixed sample, and runs every subject under 24 seeds.
var longFew = flag.Bool("long-few", false, "plant every mistake into the kernels for few rows, run them under many seeds")

// subject makes a case of a kernel in bf16, whose ring goes round several times.
func (p product) subject(t *testing.T, in ir.Instance, grid int, head []subjects.Arg, maps []subjects.Map) *subjects.Subject {
	t.Helper()
	k, err := ir.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	pass.Optimise(k, nil)
	a, _ := p.matrix(lib.BF16, p.m, p.a)
	b, _ := p.matrix(lib.BF16, p.n, p.b)
	want := make([]byte, 0, 2*p.m*p.n)
	for i := range p.m {
		for j := range p.n {
			sum := 0
			for l := range p.k {
				sum += p.a(i, l) * p.b(j, l)
			}
			want = binary.LittleEndian.AppendUint16(want, uint16(numfmt.BF16.Encode(float64(sum), numfmt.RN)))
		}
	}
	args := head
	for _, x := range p.tail(lib.BF16, "d", extras{}) {
		switch v := x.(type) {
		case nil:
			args = append(args, subjects.Arg{Raw: make([]byte, 8)})
		case string:
			args = append(args, subjects.Arg{Buffer: v})
		default:
			raw, err := binary.Append(nil, binary.LittleEndian, v)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, subjects.Arg{Raw: raw})
		}
	}
	out := make([]byte, len(want))
	for i := range out {
		out[i] = 0xcd
	}
	return &subjects.Subject{Name: in.Entry, Maps: maps,
		Buffers:  []subjects.Buffer{{Name: "a", Kind: op.BF16, Data: a}, {Name: "b", Kind: op.BF16, Data: b}, {Name: "d", Kind: op.BF16, Data: out, Out: true, Want: want}},
		Launches: []subjects.Launch{{Kernel: k, Grid: [3]int{grid, 1, 1}, Args: args}}}
}

func word(n int) subjects.Arg { return subjects.Arg{Word: uint32(n)} }
func wide(n int) subjects.Arg {
	return subjects.Arg{Raw: binary.LittleEndian.AppendUint64(nil, uint64(n))}
}

func gemvSubject(t *testing.T) *subjects.Subject {
	p := product{3, 44, 336, plain}
	stride, chunk := 2*p.k, 192
	pairs := (p.n + 1) / 2
	a := MatmulGemv
	a.Variants = []GemvVariant{{lib.BF16, 6, 2, 8 * 256 * 2, 1}}
	return p.subject(t, a.Instances()[0], 3, []subjects.Arg{{Buffer: "a"}, {Buffer: "b"}, wide(stride), wide(stride), word(stride), word(pairs / 3), word(pairs % 3),
		word(8), word(chunk), word(chunk + GemvPad), word(8 * (chunk + GemvPad)), word(2)}, nil)
}

// skinnySubject is a case of the variant of that name; so few stages that the ring goes round.
func skinnySubject(t *testing.T, v Skinny, n, k, grid int) *subjects.Subject {
	p := product{v.Columns - 3, n, k, plain}
	stride := 2 * p.k
	box := func(name string, rows, high int) subjects.Map {
		return subjects.Map{Name: name, Buffer: name, TensorMap: emulate.TensorMap{Type: emulate.MapBF16, Rank: 2, Dims: [5]uint64{uint64(p.k), uint64(rows)},
			Strides: [4]uint64{uint64(stride)}, Box: [5]uint32{64, uint32(high)}, ElementStrides: [5]uint32{1, 1}, Swizzle: emulate.Swizzle128B}}
	}
	a := MatmulSkinny
	a.Variants = []Skinny{v}
	tiles := (n + SkinnyRows - 1) / SkinnyRows
	return p.subject(t, a.Instances()[0], grid, []subjects.Arg{{Map: "a"}, {Map: "b"}, word(tiles), word(stride), word(SkinnyRows)},
		[]subjects.Map{box("a", p.m, v.Columns), box("b", p.n, SkinnyRows)})
}

func fewSubjects(t *testing.T) []*subjects.Subject {
	return []*subjects.Subject{gemvSubject(t), skinnySubject(t, Skinny{lib.BF16, 8, 1, 1, 2, 2}, 200, 376, 2), skinnySubject(t, Skinny{lib.BF16, 16, 2, 1, 2, 1}, 70, 1016, 4)}
}

// TestFewSeeds runs the subjects under the three asynchronous modes and several schedules.
func TestFewSeeds(t *testing.T) {
	seeds := uint64(2)
	if *longFew {
		seeds = 24
	}
	for _, s := range fewSubjects(t) {
		text, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []emulate.AsyncMode{emulate.AsyncLate, emulate.AsyncEarly, emulate.AsyncRandom} {
			for seed := range seeds {
				if r, err := s.Run(text, emulate.Config{Async: mode, Seed: seed}); err != nil || !r.Clean() {
					t.Fatalf("%s, mode %v, seed %d: %v %+v", s.Name, mode, seed, err, r)
				}
			}
		}
	}
}

// TestFewMutants plants mistakes into the kernels for few rows. What nobody can see: the warp barrier behind an expectation, whose
// order against the copies does not matter within a phase; those behind which a warp that runs in step has nothing to wait for; and
// the cluster's barrier in warps that end there.
func TestFewMutants(t *testing.T) {
	var results []mutate.Result
	n := 0
	for _, s := range fewSubjects(t) {
		text, err := s.Text()
		if err != nil {
			t.Fatal(err)
		}
		run := func(m *ptx.Module, c emulate.Config) ([]emulate.Finding, bool, error) {
			changed, _ := ptx.Print(m)
			r, err := s.Run(changed, c)
			if err != nil {
				return nil, false, err
			}
			return r.Findings, len(r.Wrong) == 0, nil
		}
		r, err := mutate.Judge(mutate.Subject{Name: s.Name, Text: text, Run: run}, 1<<22, func(int, mutate.Site) bool {
			n++
			return *longFew || n%6 == 0
		})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r...)
	}
	t.Logf("\n%s", mutate.Table(results))
	for _, r := range results {
		if r.Verdict != mutate.Named && r.Verdict != mutate.Unreached && r.Verdict != mutate.Found {
			t.Log(r)
		}
	}
	if sync, shape := mutate.Rate(results, false), mutate.Rate(results, true); sync < 0.95 || shape < 0.98 {
		t.Errorf("synchronisation: %.3f found by a checker; data shape: %.3f by a checker or wrong numbers", sync, shape)
	}
	if len(results) < 20 {
		t.Errorf("only %d mutants", len(results))
	}
}
