package emulated_test

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

//go:embed testdata/gather.ptx
var gatherPTX string

// gathers runs y[i] = x[ids[i]] for the first rows[0] elements: an operator with a table, a length in device memory and checks.
type gathers struct {
	*bench
	kernel       *oxrt.Kernel
	x, y         oxrt.Region
	ids, rows    oxrt.Region
	capacity     uint32
	validation   *oxrt.Validation
	trusted      bool
	programmatic bool
}

const gatherLimit, gatherCapacity = 16, 100

func openGathers(t *testing.T, o emulated.Options) *gathers {
	t.Helper()
	o.Lookups = append(o.Lookups, func(s string) (string, string, bool) { return gatherPTX, "", s == sum(gatherPTX) })
	g := &gathers{bench: open(t, o), capacity: gatherCapacity}
	g.validation = &oxrt.Validation{Operator: "gather", Operands: []string{"ids", "rows"}}
	param := func(name string, offset, size uint32, pointer bool) oxrt.ParamInfo {
		return oxrt.ParamInfo{Name: name, Offset: offset, Size: size, Pointer: pointer}
	}
	var err error
	g.kernel, err = g.dev.Load(&oxrt.Artifact{Algorithm: "Gather", Target: "sm_90a", Entry: "gather", PTXSHA256: sum(gatherPTX),
		Launch: oxrt.LaunchContract{Block: oxrt.Dim3{X: 32}, ParamBytes: 52, ProgrammaticLaunch: true, Params: []oxrt.ParamInfo{
			param("x", 0, 8, true), param("ids", 8, 8, true), param("rows", 16, 8, true), param("y", 24, 8, true), param("status", 32, 8, true),
			param("operator", 40, 4, false), param("limit", 44, 4, false), param("capacity", 48, 4, false)}}})
	must(t, err)
	values := make([]float32, gatherLimit)
	for i := range values {
		values[i] = float32(100 + i)
	}
	g.x, g.y = g.vector("x", values...), g.vector("y", make([]float32, gatherCapacity)...)
	g.ids, g.rows = g.words("ids", gatherCapacity), g.words("rows", 1)
	return g
}

func (g *gathers) words(name string, n int64) oxrt.Region {
	g.t.Helper()
	buf, err := g.dev.AllocNamed(name, 4*n)
	must(g.t, err)
	must(g.t, g.stream.Upload(buf.All(oxrt.U32), make([]byte, 4*n)))
	return buf.All(oxrt.U32)
}

// set changes table and length on the device.
func (g *gathers) set(rows uint32, ids ...uint32) {
	g.t.Helper()
	put := func(r oxrt.Region, values []uint32) {
		var data []byte
		for _, v := range values {
			data = binary.LittleEndian.AppendUint32(data, v)
		}
		must(g.t, g.stream.Upload(r, data))
	}
	put(g.rows, []uint32{rows})
	put(g.ids, ids)
}

func (g *gathers) enqueue(s *oxrt.Scope) error {
	if err := s.Bind("gather", oxrt.Operand{Name: "x", Region: g.x, Access: oxrt.Read}, oxrt.Operand{Name: "ids", Region: g.ids, Access: oxrt.Read},
		oxrt.Operand{Name: "rows", Region: g.rows, Access: oxrt.Read}, oxrt.Operand{Name: "y", Region: g.y, Access: oxrt.Write}); err != nil {
		return err
	}
	var st oxrt.Status
	if !g.trusted {
		var err error
		if st, err = s.Status(g.validation); err != nil {
			return err
		}
	}
	var p oxrt.Params
	p.PutPtr(0, g.x.Ptr())
	p.PutPtr(8, g.ids.Ptr())
	p.PutPtr(16, g.rows.Ptr())
	p.PutPtr(24, g.y.Ptr())
	p.PutPtr(32, st.Record)
	p.PutU32(40, st.Operator)
	p.PutU32(44, gatherLimit)
	p.PutU32(48, g.capacity)
	return s.Launch(g.kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}, Programmatic: g.programmatic}, &p)
}

func (g *gathers) run() error {
	g.t.Helper()
	done := g.submit(func(s *oxrt.Scope) { must(g.t, g.enqueue(s)) })
	return done.Wait(context.Background())
}

// poison makes every element of y recognisable.
func (g *gathers) poison() {
	g.submit(func(s *oxrt.Scope) { must(g.t, s.Fill(g.y, 0xA5)) })
}

func (g *gathers) bytes() []byte {
	g.t.Helper()
	data := make([]byte, g.y.Bytes())
	must(g.t, g.stream.Download(data, g.y))
	return data
}

// TestKernelRejects: the outcome names operator, operand, index, bound and value; no output byte changes; the next call works.
func TestKernelRejects(t *testing.T) {
	g := openGathers(t, emulated.Options{})
	for name, c := range map[string]struct {
		rows uint32
		ids  []uint32
		want oxrt.RejectedError
	}{
		"id":       {3, []uint32{1, 15, 16}, oxrt.RejectedError{Operator: "gather", Operand: "ids", Index: 2, Rule: oxrt.RuleBelow, Wanted: 16, Got: 16}},
		"first id": {70, slices.Repeat([]uint32{99}, 70), oxrt.RejectedError{Operator: "gather", Operand: "ids", Index: 0, Rule: oxrt.RuleBelow, Wanted: 16, Got: 99}},
		"length":   {101, nil, oxrt.RejectedError{Operator: "gather", Operand: "rows", Index: 0, Rule: oxrt.RuleAtMost, Wanted: 100, Got: 101}},
	} {
		g.poison()
		before := g.bytes()
		g.set(c.rows, c.ids...)
		err := g.run()
		var rejected *oxrt.RejectedError
		if !errors.As(err, &rejected) || *rejected != c.want {
			t.Fatalf("%s: got %v, want %v", name, err, &c.want)
		}
		if !slices.Equal(g.bytes(), before) {
			t.Errorf("%s: a rejected operator has written", name)
		}
		g.set(3, 2, 0, 15)
		must(t, g.run())
		if got := g.values(g.y)[:3]; !slices.Equal(got, []float32{102, 100, 115}) {
			t.Errorf("%s: the next call gives %v", name, got)
		}
	}
	g.trusted = true
	g.set(2, 3, 4)
	must(t, g.run())
	if got := g.values(g.y)[:2]; !slices.Equal(got, []float32{103, 104}) {
		t.Errorf("trusted: %v", got)
	}
}

// TestOperatorsAroundARejection run: a scope is not undone by one of its operators, and the first finding is the outcome.
func TestOperatorsAroundARejection(t *testing.T) {
	g := openGathers(t, emulated.Options{})
	before, after := g.vector("before", 1), g.vector("after", 1)
	g.set(2, 1, 77)
	done := g.submit(func(s *oxrt.Scope) {
		must(t, g.add(s, before, before, 2, 1))
		must(t, g.enqueue(s))
		g.capacity = 1 // the second would say something else
		must(t, g.enqueue(s))
		must(t, g.add(s, after, after, 3, 1))
	})
	var rejected *oxrt.RejectedError
	if err := done.Wait(context.Background()); !errors.As(err, &rejected) || rejected.Operand != "ids" || rejected.Got != 77 {
		t.Errorf("got %v", err)
	}
	if b, a := g.values(before), g.values(after); b[0] != 2 || a[0] != 3 {
		t.Errorf("before %v, after %v", b, a)
	}
}

// TestGraphReadsLengthsFromTheDevice: one graph, replayed with 100 lengths and tables, gives what eager calls give, wrong ones included.
func TestGraphReadsLengthsFromTheDevice(t *testing.T) {
	g := openGathers(t, emulated.Options{})
	must(t, g.stream.BeginCapture())
	g.submit(func(s *oxrt.Scope) { must(t, g.enqueue(s)) })
	graph, err := g.stream.EndCapture()
	must(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	rejections := 0
	for range 100 {
		rows := random.Uint32N(gatherCapacity + 5)
		ids := make([]uint32, gatherCapacity)
		for i := range ids {
			ids[i] = random.Uint32N(gatherLimit)
		}
		if random.IntN(10) == 0 {
			ids[random.IntN(len(ids))] = gatherLimit + random.Uint32N(1000)
		}
		g.set(rows, ids...)
		g.poison()
		eagerErr := g.run()
		eager := g.bytes()
		g.poison()
		done, err := graph.Launch(g.stream)
		must(t, err)
		replayErr := done.Wait(context.Background())
		if (eagerErr == nil) != (replayErr == nil) || (eagerErr != nil && eagerErr.Error() != replayErr.Error()) {
			t.Fatalf("rows %d: eager %v, replay %v", rows, eagerErr, replayErr)
		}
		if !slices.Equal(g.bytes(), eager) {
			t.Fatalf("rows %d: eager call and replay differ", rows)
		}
		if eagerErr != nil {
			rejections++
		}
	}
	if rejections == 0 || rejections > 50 {
		t.Errorf("%d rejections: the vectors test one side only", rejections)
	}
	must(t, graph.Close())
}

// TestForeignCaptureReportsToTheCallersRecord: somebody else captures with driver calls of their own and replays; the caller's record
// says what the device rejected.
func TestForeignCaptureReportsToTheCallersRecord(t *testing.T) {
	g := openGathers(t, emulated.Options{})
	record := g.words("record", 16)
	drv, ctx := g.driver, g.dev.Context()
	if _, code := drv.CaptureBegin(ctx, g.stream.Handle()); code != oxrt.CodeSuccess {
		t.Fatal(code)
	}
	s, err := g.stream.Begin()
	must(t, err)
	must(t, g.enqueue(s))
	if _, err := s.Submit(); !errors.Is(err, oxrt.ErrCapture) {
		t.Errorf("without a record: %v", err)
	}
	done := g.submit(func(s *oxrt.Scope) {
		must(t, s.ReportTo(record))
		must(t, g.enqueue(s))
	})
	if !done.Captured() {
		t.Fatal("not captured")
	}
	graph, code := drv.CaptureEnd(ctx, g.stream.Handle())
	if code != oxrt.CodeSuccess {
		t.Fatal(code)
	}
	exec, code := drv.GraphInstantiate(ctx, graph)
	if code != oxrt.CodeSuccess {
		t.Fatal(code)
	}
	for _, bad := range []bool{false, true, false} {
		g.set(2, 5, 6)
		if bad {
			g.set(2, 5, 60)
		}
		must(t, g.stream.Upload(record, make([]byte, record.Bytes())))
		if code := drv.ExecLaunch(ctx, exec, g.stream.Handle(), 0); code != oxrt.CodeSuccess {
			t.Fatal(code)
		}
		data := make([]byte, oxrt.StatusBytes)
		must(t, g.stream.Download(data, record))
		err := oxrt.ReadStatus(data, g.validation)
		var rejected *oxrt.RejectedError
		if bad != errors.As(err, &rejected) || (bad && (rejected.Got != 60 || rejected.Index != 1)) {
			t.Errorf("bad %v: got %v", bad, err)
		}
	}
}
