package probes

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/internal/tensormap"
	"github.com/oxideinfer/oxide/ir"
	oxrt "github.com/oxideinfer/oxide/runtime"
)

var (
	cubins = flag.String("cubins", "", "`folder` of assembled probes: TestProbesAssemble with -long writes it, TestDevice runs what lies there")
	record = flag.String("record", "", "write what the device makes of the probes to this file")
	only   = flag.String("only", ".", "run probes whose names match this `expression`")
	keep   = flag.String("keep", "", "folder for the outputs of probes that differ")
)

const (
	jobKernels = 48
	jobProbes  = 96
	arenaBytes = 256 << 20
)

// job is a module of kernels with probes that run together.
type job struct {
	probes []*Probe
	prog   *emulate.Program
	text   []byte
	cubin  []byte
	want   [][]byte // what the emulator leaves
	grids  []int
	args   [][]Arg
	err    error
}

// jobs cuts a list of probes.
func jobs(list []*Probe) (out []*job) {
	j, kernels := &job{}, map[string]bool{}
	for _, p := range list {
		if !kernels[p.Kernel.Name] && len(kernels) == jobKernels || len(j.probes) == jobProbes {
			out = append(out, j)
			j, kernels = &job{}, map[string]bool{}
		}
		kernels[p.Kernel.Name] = true
		j.probes = append(j.probes, p)
	}
	return append(out, j)
}

// TestDevice compares every probe on the emulator and on an H200, and what the driver and the emulator say of tensor maps.
// Without -cubins and a GPU it does not run.
func TestDevice(t *testing.T) {
	if *cubins == "" {
		t.Skip("not run: it needs -cubins and an sm_90 GPU")
	}
	rt, err := oxrt.Open()
	if err != nil {
		t.Skipf("not run: %v", err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	runtime.LockOSThread() // the driver encodes tensor maps where a context is current
	defer runtime.UnlockOSThread()
	d := newTestDevice(t, rt)
	saved := &Recording{Header: map[string]string{"gpu": d.dev.Name(), "driver": strconv.Itoa(d.dev.DriverVersion()), "ptxas": cubin.PtxasVersion, "date": time.Now().UTC().Format(time.DateOnly)}, Hashes: map[string]string{}}
	t.Cleanup(func() { write(t, saved) })
	compareMaps(t, saved)
	start, same, different := time.Now(), 0, 0
	match, err := regexp.Compile(*only)
	d.check(err)
	for j := range prepared(jobs(All()), match) {
		if j.err != nil {
			t.Fatalf("%s …: %v", j.probes[0].Name, j.err)
		}
		for i, got := range d.run(j) {
			p := j.probes[i]
			saved.Hashes[p.Name] = Hash(got)
			if text := difference(got, j.want[i]); text != "" {
				different++
				t.Errorf("%s: device and emulator: %s", p.Name, text)
				keepOutputs(t, p, got, j.want[i])
				continue
			}
			same++
		}
	}
	t.Logf("%d probes on %v: %d equal in every byte, %d differ, %.0f s", same+different, d.dev, same, different, time.Since(start).Seconds())
}

func write(t *testing.T, r *Recording) {
	if *record == "" {
		return
	}
	f, err := os.Create(*record)
	if err == nil {
		err = errors.Join(r.Write(f), f.Close())
	}
	if err != nil {
		t.Error(err)
	}
}

func keepOutputs(t *testing.T, p *Probe, got, want []byte) {
	if *keep == "" {
		return
	}
	for suffix, b := range map[string][]byte{".device": got, ".emulator": want} {
		if err := os.WriteFile(filepath.Join(*keep, p.Name+suffix), b, 0o666); err != nil {
			t.Error(err)
		}
	}
}

// compareMaps asks the driver about every map.
func compareMaps(t *testing.T, saved *Recording) {
	var answers []byte
	for i, m := range Maps() {
		_, err := tensormap.Encode(m)
		answers = append(answers, answer(err == nil))
		mine := m.Check()
		if own := accepts(mine); own != (err == nil) {
			t.Errorf("tensor map %d: driver %v, emulator %v: %+v", i, err, mine, *m)
		}
	}
	saved.Header["maps"] = string(answers)
}

// difference describes the first word in which outputs differ.
func difference(a, b []byte) string {
	n, first := 0, ""
	for i := 0; i+4 <= len(a); i += 4 {
		x, y := binary.LittleEndian.Uint32(a[i:]), binary.LittleEndian.Uint32(b[i:])
		if x == y {
			continue
		}
		if n++; n <= 3 {
			first += fmt.Sprintf("word %d: %#08x and %#08x; ", i/4, x, y)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%sin all %d of %d words", first, n, len(a)/4)
}

// prepared makes jobs and emulates their probes of matching names on all cores, in order.
func prepared(list []*job, match *regexp.Regexp) <-chan *job {
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	queue := make(chan chan *job, cap(slots))
	go func() {
		defer close(queue)
		for _, j := range list {
			slots <- struct{}{}
			ready := make(chan *job, 1)
			queue <- ready
			go func() {
				j.err = j.prepare(match)
				<-slots
				ready <- j
			}()
		}
	}()
	out := make(chan *job)
	go func() {
		defer close(out)
		for ready := range queue {
			out <- <-ready
		}
	}()
	return out
}

func (j *job) prepare(match *regexp.Regexp) error {
	if err := j.load(); err != nil {
		return err
	}
	j.probes = slices.DeleteFunc(j.probes, func(p *Probe) bool { return !match.MatchString(p.Name) })
	for _, p := range j.probes {
		got, err := p.Emulate(j.prog, emulate.Config{Workers: 1})
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		j.want = append(j.want, got)
		j.inputs(p)
	}
	return nil
}

// load makes the text of a job's kernels and reads their cubin.
func (j *job) load() (err error) {
	if j.text, err = Text(Kernels(j.probes)...); err != nil {
		return err
	}
	if j.prog, err = Load(j.text); err != nil {
		return err
	}
	j.cubin, err = os.ReadFile(cubinPath(j.text))
	return err
}

func (j *job) inputs(p *Probe) {
	grid, args := p.Inputs()
	j.grids, j.args = append(j.grids, grid), append(j.args, args)
}

// cubinPath is where the cubin of a text lies.
func cubinPath(text []byte) string { return filepath.Join(*cubins, digest(text)[:16]+".cubin") }

// testDevice holds memory for the probes of one job.
type testDevice struct {
	t      *testing.T
	dev    *oxrt.Device
	stream *oxrt.Stream
	arena  *oxrt.Buffer
}

func newTestDevice(t *testing.T, rt *oxrt.Runtime) *testDevice {
	d := &testDevice{t: t}
	var err error
	d.dev, err = rt.Device(0)
	d.check(err)
	d.stream, err = d.dev.NewStream()
	d.check(err)
	d.arena, err = d.dev.AllocNamed("arena", arenaBytes)
	d.check(err)
	region, err := d.arena.Region(0, oxrt.U8, 16)
	d.check(err)
	d.check(d.stream.Upload(region, make([]byte, 16))) // makes the context current
	t.Cleanup(func() { d.check(errors.Join(d.arena.Close(), d.stream.Close())) })
	return d
}

func (d *testDevice) check(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// run launches every probe of a job and returns the outputs of each.
func (d *testDevice) run(j *job) (outputs [][]byte) {
	d.t.Helper()
	if len(j.probes) == 0 {
		return nil
	}
	var image []byte
	offsets := make([][]int, len(j.args))
	for i, args := range j.args {
		for _, a := range args {
			image = append(image, make([]byte, -len(image)&255)...)
			offsets[i] = append(offsets[i], len(image))
			image = append(image, a.Data...)
		}
	}
	if len(image) > arenaBytes {
		d.t.Fatalf("%s …: %d bytes", j.probes[0].Name, len(image))
	}
	region, err := d.arena.Region(0, oxrt.U8, int64(len(image)))
	d.check(err)
	d.check(d.stream.Upload(region, image))
	scope, err := d.stream.Begin()
	d.check(err)
	for i, p := range j.probes {
		k := j.prog.Kernel(p.Kernel.Name)
		loaded, err := d.dev.Load(j.artifact(k))
		d.check(err)
		var params oxrt.Params
		for n, q := range k.Params {
			b, err := j.args[i][n].onDevice(uint64(d.arena.Ptr()) + uint64(offsets[i][n]))
			d.check(err)
			params.PutBytes(uint32(q.Offset), 1, b)
		}
		d.check(scope.Launch(loaded, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: uint32(j.grids[i])}}, &params))
	}
	done, err := scope.Submit()
	d.check(err)
	if err := done.Wait(context.Background()); err != nil {
		d.t.Fatalf("%s … %s: %v", j.probes[0].Name, j.probes[len(j.probes)-1].Name, err)
	}
	d.check(d.stream.Download(image, region))
	for i, args := range j.args {
		var got []byte
		for n, a := range args {
			if a.Out {
				got = append(got, image[offsets[i][n]:][:len(a.Data)]...)
			}
		}
		outputs = append(outputs, got)
	}
	return outputs
}

// onDevice is the argument's bytes, with the driver's encoding of tensor maps.
func (a *Arg) onDevice(addr uint64) ([]byte, error) {
	if a.Map != nil {
		m := *a.Map
		m.Address = addr
		return tensormap.Encode(&m)
	}
	b := make([]byte, 8)
	if err := a.put(b, addr); err != nil || a.Data != nil {
		return b, err
	}
	return b[:4], nil
}

func (j *job) artifact(k *emulate.Kernel) *oxrt.Artifact {
	var contract ir.Contract
	for _, p := range j.probes {
		if p.Kernel.Name == k.Name {
			contract = p.Kernel.Contract
		}
	}
	dim := func(v [3]int) oxrt.Dim3 {
		return oxrt.Dim3{X: uint32(v[0]), Y: uint32(max(1, v[1])), Z: uint32(max(1, v[2]))}
	}
	a := &oxrt.Artifact{Algorithm: "Probe", Variant: k.Name, Target: string(ir.SM90a), Entry: k.Name, Cubin: j.cubin, CubinSHA256: digest(j.cubin), PTXSHA256: digest(j.text)}
	a.Launch = oxrt.LaunchContract{Block: dim(contract.Block), ParamBytes: uint32(k.ParamBytes())}
	if contract.Cluster[0] > 0 {
		a.Launch.Cluster = dim(contract.Cluster)
	}
	for _, q := range k.Params {
		a.Launch.Params = append(a.Launch.Params, oxrt.ParamInfo{Name: q.Name, Offset: uint32(q.Offset), Size: uint32(q.Size)})
	}
	return a
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
