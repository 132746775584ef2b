package ptxcase

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/internal/safetensors"
	"github.com/oxideinfer/oxide/internal/tensormap"
	oxrt "github.com/oxideinfer/oxide/runtime"
)

// Recorder runs cases on a GPU and stores what it leaves in memory.
type Recorder struct {
	Device *oxrt.Device
	Stream *oxrt.Stream
	// Assembler makes cubins from the PTX; nil: NAME.cubin lies beside NAME.json.
	Assembler *cubin.Assembler
}

// recorded is the header that a recording leaves in the JSON file.
type recorded struct {
	GPU    string   `json:"gpu"`
	Driver int      `json:"cuda_driver"`
	Ptxas  string   `json:"ptxas"`
	Flags  []string `json:"ptxas_flags"`
	Runs   int      `json:"runs"`
}

const recordTarget = "sm_90a"

// Record runs a case twice from fresh buffers, demands equal bits and untouched inputs, and writes the outputs into
// the case's .safetensors file and the circumstances into its .json file.
func (r *Recorder) Record(path string) error {
	c, err := loadUnrecorded(path)
	if err != nil {
		return err
	}
	image, flags, err := r.cubin(path, c)
	if err != nil {
		return err
	}
	first, err := r.run(c, image)
	if err != nil {
		return err
	}
	second, err := r.run(c, image)
	if err != nil {
		return err
	}
	for name, b := range first {
		if !bytes.Equal(b, second[name]) && c.buffer(name).Role != "scratch" {
			return fmt.Errorf("%s: two runs gave different bits in %q", c.Name, name)
		}
	}
	if err := c.keep(path, first); err != nil {
		return err
	}
	return writeHeader(path, recorded{r.Device.Name(), r.Device.DriverVersion(), cubin.PtxasVersion, flags, 2})
}

// Compare runs a case once and compares its outputs with those in the file, under the rule of the case.
func (r *Recorder) Compare(path string) (*Report, error) {
	c, err := load(path)
	if err != nil {
		return nil, err
	}
	image, _, err := r.cubin(path, c)
	if err != nil {
		return nil, err
	}
	left, err := r.run(c, image)
	if err != nil {
		return nil, err
	}
	report := &Report{Case: c.Name, Status: StatusEqual}
	for i := range c.Outputs {
		o := &c.Outputs[i]
		out := compare(o, c.buffer(o.Buffer).DType, left[o.Buffer], c.data.Find(o.Tensor).Data)
		if out.Mismatches > 0 {
			report.Status = StatusDiffers
		}
		report.Outputs = append(report.Outputs, out)
	}
	return report, nil
}

// loadUnrecorded reads a case whose outputs need not be there yet.
func loadUnrecorded(path string) (*loaded, error) {
	c, err := loadFiles(path)
	if err != nil {
		return nil, err
	}
	outputs := c.Outputs
	c.Outputs = nil
	if err := c.checkTensors(); err != nil {
		return nil, err
	}
	c.Outputs = outputs
	return c, nil
}

// cubin assembles the PTX, or reads the cubin that lies beside the case.
func (r *Recorder) cubin(path string, c *loaded) (image []byte, flags []string, err error) {
	flags = cubin.Flags(recordTarget)
	if r.Assembler == nil {
		image, err = os.ReadFile(strings.TrimSuffix(path, ".json") + ".cubin")
		return image, flags, err
	}
	res, err := r.Assembler.Assemble(context.Background(), c.text, recordTarget)
	if err != nil {
		return nil, nil, err
	}
	return res.Cubin, res.Flags, nil
}

// run launches the case from fresh buffers and returns the content of all buffers.
func (r *Recorder) run(c *loaded, image []byte) (map[string][]byte, error) {
	runtime.LockOSThread() // the driver encodes tensor maps where a context is current: on the thread of an upload
	defer runtime.UnlockOSThread()
	regions, addr := map[string]oxrt.Region{}, map[string]uint64{}
	for i := range c.Buffers {
		b := &c.Buffers[i]
		buf, err := r.Device.AllocNamed(b.Name, max(b.Bytes, 1))
		if err != nil {
			return nil, err
		}
		defer buf.Close()
		regions[b.Name], addr[b.Name] = buf.All(oxrt.U8), uint64(buf.Ptr())
		if err := r.Stream.Upload(regions[b.Name], c.initial(b)); err != nil {
			return nil, err
		}
	}
	maps := map[string][]byte{}
	for i := range c.Maps {
		m, err := c.Maps[i].tensorMap(addr)
		if err != nil {
			return nil, err
		}
		if maps[c.Maps[i].Name], err = tensormap.Encode(m); err != nil {
			return nil, err
		}
	}
	if err := r.launchAll(c, image, addr, maps); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for i := range c.Buffers {
		b := &c.Buffers[i]
		out[b.Name] = make([]byte, b.Bytes)
		if err := r.Stream.Download(out[b.Name], regions[b.Name]); err != nil {
			return nil, err
		}
		isOutput := slices.ContainsFunc(c.Outputs, func(o outputDesc) bool { return o.Buffer == b.Name })
		if !isOutput && b.Role != "scratch" && !bytes.Equal(out[b.Name], c.initial(b)) {
			return nil, fmt.Errorf("%s: the kernel changed %q, which is no output", c.Name, b.Name)
		}
	}
	return out, nil
}

// initial is the content of a buffer before the first launch.
func (c *loaded) initial(b *bufferDesc) []byte {
	if b.Init == "tensor" {
		return c.data.Find(b.Name).Data
	}
	return bytes.Repeat([]byte{b.Fill}, int(b.Bytes))
}

// launchAll submits the launches as one scope and waits.
func (r *Recorder) launchAll(c *loaded, image []byte, addr map[string]uint64, maps map[string][]byte) error {
	scope, err := r.Stream.Begin()
	if err != nil {
		return err
	}
	for i := range c.Launches {
		l := &c.Launches[i]
		a, err := artifact(c, l, image)
		if err != nil {
			scope.Drop()
			return err
		}
		k, err := r.Device.Load(a)
		if err != nil {
			scope.Drop()
			return err
		}
		var params oxrt.Params
		for j, p := range a.Launch.Params {
			b, err := encodeParam(&l.Params[j], addr, maps)
			if err != nil {
				scope.Drop()
				return err
			}
			params.PutBytes(p.Offset, 1, b)
		}
		cfg := oxrt.LaunchConfig{Grid: dim(l.Grid), Block: dim(l.Block), DynamicSharedBytes: l.Dynamic, Programmatic: l.PDL}
		if err := scope.Launch(k, cfg, &params); err != nil {
			scope.Drop()
			return err
		}
	}
	done, err := scope.Submit()
	if err != nil {
		return err
	}
	return done.Wait(context.Background())
}

func dim(v [3]uint32) oxrt.Dim3 { return oxrt.Dim3{X: v[0], Y: v[1], Z: v[2]} }

// artifact describes a launch of the case to the runtime.
func artifact(c *loaded, l *launchDesc, image []byte) (*oxrt.Artifact, error) {
	fn := c.entry(l.Entry)
	if fn == nil {
		return nil, unreadable("the PTX has no entry %q", l.Entry)
	}
	if len(l.Params) != len(fn.Params) {
		return nil, unreadable("entry %q takes %d parameters, the launch gives %d", l.Entry, len(fn.Params), len(l.Params))
	}
	image256, text256 := sha256.Sum256(image), sha256.Sum256(c.text)
	a := &oxrt.Artifact{Algorithm: c.Name, Target: recordTarget, Entry: l.Entry, Cubin: image, CubinSHA256: hex.EncodeToString(image256[:]), PTXSHA256: hex.EncodeToString(text256[:])}
	a.Launch = oxrt.LaunchContract{Block: dim(l.Block), DynamicSharedBytes: l.Dynamic, MaxDynamicSharedBytes: l.Dynamic, ProgrammaticLaunch: l.PDL}
	if l.Cluster != nil {
		a.Launch.Cluster = dim(*l.Cluster)
	}
	for _, v := range fn.Params {
		align := uint32(v.Alignment())
		at := (a.Launch.ParamBytes + align - 1) / align * align
		a.Launch.Params = append(a.Launch.Params, oxrt.ParamInfo{Name: v.Name, Offset: at, Size: uint32(v.Size())})
		a.Launch.ParamBytes = at + uint32(v.Size())
	}
	return a, nil
}

func (c *loaded) entry(name string) *ptx.Func {
	for _, f := range c.module.Funcs() {
		if f.Entry && f.Name == name && f.Body != nil {
			return f
		}
	}
	return nil
}

// keep writes the outputs beside the inputs.
func (c *loaded) keep(path string, buffers map[string][]byte) error {
	f := &safetensors.File{Metadata: c.data.Metadata}
	for _, t := range c.data.Tensors {
		if !slices.ContainsFunc(c.Outputs, func(o outputDesc) bool { return o.Tensor == t.Name }) {
			f.Tensors = append(f.Tensors, t)
		}
	}
	for _, o := range c.Outputs {
		b := c.buffer(o.Buffer)
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: o.Tensor, DType: safetensorsType(b.DType), Shape: b.Shape, Data: buffers[o.Buffer]})
	}
	return safetensors.WriteFile(filepath.Join(filepath.Dir(path), c.Data), f)
}

// writeHeader sets the "recorded" field of a JSON file and leaves the others as they are.
func writeHeader(path string, h recorded) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	if fields["recorded"], err = json.Marshal(h); err != nil {
		return err
	}
	text, err := json.MarshalIndent(fields, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Assemble writes NAME.cubin beside each case, for a machine that has no ptxas.
func Assemble(a *cubin.Assembler, paths []string) error {
	for _, path := range paths {
		c, err := loadFiles(path)
		if err != nil {
			return err
		}
		res, err := a.Assemble(context.Background(), c.text, recordTarget)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if err := os.WriteFile(strings.TrimSuffix(path, ".json")+".cubin", res.Cubin, 0o644); err != nil {
			return err
		}
	}
	return nil
}
