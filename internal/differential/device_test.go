package differential

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
	oxrt "github.com/oxideinfer/oxide/runtime"
)

var (
	programs = flag.Int("programs", 500, "programs to run on the device")
	first    = flag.Uint64("first", 0, "seed of the first program")
	ptxas    = flag.String("ptxas", "", "the ptxas that assembles programs for the device")
	keep     = flag.String("keep", "", "folder for the PTX of programs that differ")
)

const perModule = 100

// module is a hundred programs with what the emulated device makes of them.
type module struct {
	seeds []uint64
	text  []byte
	cubin []byte
	want  [][]byte
	err   error
}

// TestDevice compares the emulated device with an sm_90 GPU. Without -ptxas and a GPU it does not run.
func TestDevice(t *testing.T) {
	if *ptxas == "" {
		t.Skip("not run: it needs -ptxas and an sm_90 GPU")
	}
	rt, err := oxrt.Open()
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	t.Cleanup(func() { // after the cleanups of what is opened below
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	dev, err := rt.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	d := newTestDevice(t, dev)
	asm := cubin.NewAssembler(cubin.Program{Path: *ptxas, Version: cubin.PtxasVersion}, 0)
	start := time.Now()
	same, different := 0, 0
	for m := range modules(asm, *first, *programs) {
		if m.err != nil {
			t.Fatalf("seeds from %d: %v", m.seeds[0], m.err)
		}
		for i, got := range d.run(m) {
			if diff := difference(got, m.want[i]); diff != "" {
				different++
				t.Errorf("seed %d: device and emulator: %s", m.seeds[i], diff)
				save(t, m.seeds[i])
				continue
			}
			same++
		}
		if different > 20 {
			break
		}
	}
	t.Logf("%d programs from seed %d on %v: %d equal in every byte, %d differ, %.0f s", same+different, *first, dev, same, different, time.Since(start).Seconds())
}

// save keeps the program for a look at it.
func save(t *testing.T, seed uint64) {
	if *keep == "" {
		return
	}
	text, err := Text(true, seed)
	if err == nil {
		err = os.WriteFile(filepath.Join(*keep, Name(seed)+".ptx"), text, 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}

// modules makes, assembles and emulates programs on all cores, in order of their seeds.
func modules(asm *cubin.Assembler, first uint64, n int) <-chan *module {
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	queue := make(chan chan *module, cap(slots))
	go func() {
		defer close(queue)
		for done := 0; done < n; done += perModule {
			m := &module{}
			for i := range min(perModule, n-done) {
				m.seeds = append(m.seeds, first+uint64(done+i))
			}
			slots <- struct{}{}
			ready := make(chan *module, 1)
			queue <- ready
			go func() {
				m.err = m.prepare(asm)
				<-slots
				ready <- m
			}()
		}
	}()
	out := make(chan *module)
	go func() {
		defer close(out)
		for ready := range queue {
			out <- <-ready
		}
	}()
	return out
}

func (m *module) prepare(asm *cubin.Assembler) (err error) {
	if m.text, err = Text(true, m.seeds...); err != nil {
		return err
	}
	var wg sync.WaitGroup
	var assembled error
	wg.Go(func() {
		r, err := asm.Assemble(context.Background(), m.text, string(ir.SM90a))
		if err == nil {
			m.cubin = r.Cubin
		}
		assembled = err
	})
	err = m.emulate()
	wg.Wait()
	return errors.Join(assembled, err)
}

func (m *module) emulate() error {
	prog, err := load(m.text)
	if err != nil {
		return err
	}
	for _, seed := range m.seeds {
		got, err := launch(prog, seed, emulate.Config{Workers: 1})
		if err != nil {
			return err
		}
		m.want = append(m.want, got)
	}
	return nil
}

// testDevice holds memory for the programs of one module.
type testDevice struct {
	t       *testing.T
	dev     *oxrt.Device
	stream  *oxrt.Stream
	in, out *oxrt.Buffer
}

func newTestDevice(t *testing.T, dev *oxrt.Device) *testDevice {
	d := &testDevice{t: t, dev: dev}
	var err error
	d.stream, err = dev.NewStream()
	d.check(err)
	d.in, err = dev.AllocNamed("in", perModule*inputBytes)
	d.check(err)
	d.out, err = dev.AllocNamed("out", perModule*outputBytes)
	d.check(err)
	t.Cleanup(func() { d.check(errors.Join(d.in.Close(), d.out.Close(), d.stream.Close())) })
	return d
}

func (d *testDevice) check(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// run launches every program of a module and returns what each left.
func (d *testDevice) run(m *module) [][]byte {
	d.t.Helper()
	input := make([]byte, 0, perModule*inputBytes)
	for _, seed := range m.seeds {
		input = append(input, Input(seed)...)
	}
	region, err := d.in.Region(0, oxrt.U8, int64(len(input)))
	d.check(err)
	d.check(d.stream.Upload(region, input))
	scope, err := d.stream.Begin()
	d.check(err)
	d.check(scope.Fill(d.out.All(oxrt.U8), poison))
	for i, a := range m.artifacts() {
		k, err := d.dev.Load(a)
		d.check(err)
		var p oxrt.Params
		p.PutPtr(0, d.in.Ptr()+oxrt.DevicePtr(i*inputBytes))
		p.PutPtr(8, d.out.Ptr()+oxrt.DevicePtr(i*outputBytes))
		d.check(scope.Launch(k, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: gridBlocks}}, &p))
	}
	done, err := scope.Submit()
	d.check(err)
	d.check(done.Wait(context.Background()))
	whole := make([]byte, d.out.Bytes())
	d.check(d.stream.Download(whole, d.out.All(oxrt.U8)))
	var out [][]byte
	for i := range m.seeds {
		out = append(out, whole[i*outputBytes:][:outputBytes])
	}
	return out
}

func (m *module) artifacts() []*oxrt.Artifact {
	var out []*oxrt.Artifact
	for _, seed := range m.seeds {
		out = append(out, &oxrt.Artifact{
			Algorithm: "RandomProgram", Variant: Name(seed), Target: string(ir.SM90a), Entry: Name(seed),
			Cubin: m.cubin, CubinSHA256: digest(m.cubin), PTXSHA256: digest(m.text),
			Launch: oxrt.LaunchContract{
				Block: oxrt.Dim3{X: blockThreads, Y: 1, Z: 1}, StaticSharedBytes: 4 * blockThreads, ParamBytes: 16,
				Params: []oxrt.ParamInfo{{Name: "in", Size: 8, Pointer: true, DType: oxrt.U32}, {Name: "out", Offset: 8, Size: 8, Pointer: true, DType: oxrt.U32}},
			},
		})
	}
	return out
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
