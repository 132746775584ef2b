package opprofile

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/linemap"
	"github.com/oxideinfer/oxide/codegen/profilepage"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// Job is one call of an operator.
type Job struct {
	Binding   catalog.Binding
	Spec      any // pointer to the operator's Spec
	Dims      []int
	Algorithm string // "": the one that the plan prefers
	InPlace   bool   // outputs lie over the inputs that they may alias
	Blocks    int    // that run of each launch, where blocks are independent; 0: all
	// Conditions are those of the measurement that is estimated.
	Conditions profile.Conditions
}

// Run profiles a job: a page for each launch of the call, in order.
func Run(j Job) (pages []*profilepage.Page, err error) {
	rec := profile.New()
	rt, err := oxrt.OpenDriver(emulated.New(emulated.Options{Lookups: []emulated.Lookup{ptx.Lookup}, Emulator: emulate.Config{
		SMs: profile.H200.SMs, Off: emulate.AllChecks, Workers: 1, Blocks: j.Blocks, Observe: rec.Observe}}))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	dev, err := rt.Device(0)
	if err != nil {
		return nil, err
	}
	stream, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	plan, err := j.Binding.Plan(dev, j.Spec, j.Algorithm)
	if err != nil {
		return nil, err
	}
	o := operands{stream: stream}
	defer func() { err = errors.Join(err, o.close()) }()
	call, err := o.call(j)
	if err != nil {
		return nil, err
	}
	if err := enqueue(stream, plan, call); err != nil {
		return nil, err
	}
	return j.pages(rec.Profiles(), plan)
}

func enqueue(stream *oxrt.Stream, plan catalog.Plan, call catalog.Call) error {
	scope, err := stream.Begin()
	if err != nil {
		return err
	}
	if err := plan.EnqueueCall(scope, call); err != nil {
		scope.Drop()
		return err
	}
	done, err := scope.Submit()
	if err != nil {
		return err
	}
	return done.Wait(context.Background())
}

// pages joins profiles with the artifacts of the plan, by entry.
func (j *Job) pages(profiles []*profile.Profile, plan catalog.Plan) ([]*profilepage.Page, error) {
	var all []*profilepage.Page
	for _, p := range profiles {
		i := slices.IndexFunc(plan.Artifacts(), func(a *oxrt.Artifact) bool { return a.Entry == p.Kernel })
		if i < 0 {
			return nil, fmt.Errorf("the plan launches %s, which is none of its artifacts", p.Kernel)
		}
		k, err := kernel(plan.Artifacts()[i], j.Binding.Operator.Name)
		if err != nil {
			return nil, err
		}
		page, err := profilepage.New(k, p, profile.H200, j.Conditions)
		if err != nil {
			return nil, err
		}
		all = append(all, page)
	}
	return all, nil
}

// kernel is what a page needs of an artifact. The kernels of an operator's family lie in its package kernels.
func kernel(a *oxrt.Artifact, operator string) (profilepage.Kernel, error) {
	_, text, _ := ptx.Lookup(a.PTXSHA256)
	lines, err := linemap.Decode([]byte(text))
	if err != nil {
		return profilepage.Kernel{}, fmt.Errorf("%s: %w", a.Name(), err)
	}
	family, _, _ := strings.Cut(operator, ".")
	r := a.Resources
	return profilepage.Kernel{Name: a.Name(), Package: "github.com/oxideinfer/oxide/algorithms/" + family + "/kernels", Target: a.Target, Lines: lines,
		Resources: cubin.Resources{Registers: int(r.Registers), SpillStoreBytes: int(r.SpillStoreBytes), SpillLoadBytes: int(r.SpillLoadBytes),
			StackBytes: int(r.StackBytes), Barriers: int(r.Barriers), StaticSharedBytes: int(a.Launch.StaticSharedBytes)}}, nil
}

// operands are the buffers of one call.
type operands struct {
	stream *oxrt.Stream
	bufs   []*oxrt.Buffer
}

func (o *operands) close() error {
	var all []error
	for _, b := range o.bufs {
		all = append(all, b.Close())
	}
	return errors.Join(all...)
}

// call makes operands of normally distributed values.
func (o *operands) call(j Job) (catalog.Call, error) {
	op := j.Binding.Operator
	tensors, err := op.Tensors(j.Spec, j.Dims...)
	if err != nil {
		return catalog.Call{}, err
	}
	call := catalog.Call{Dims: j.Dims, Regions: make([]oxrt.Region, len(tensors))}
	for i, t := range tensors {
		if !t.Present {
			continue
		}
		if at := aliased(tensors, i); j.InPlace && at >= 0 {
			call.Regions[i] = call.Regions[at]
			continue
		}
		if call.Regions[i], err = o.tensor(t); err != nil {
			return call, err
		}
	}
	return call, nil
}

func aliased(tensors []catalog.Tensor, i int) int {
	for _, name := range tensors[i].Operand.MayAlias {
		for j, t := range tensors {
			if t.Present && t.Operand.Name == name {
				return j
			}
		}
	}
	return -1
}

// seedBytes of random values are made; what is longer repeats them.
const seedBytes = 1 << 20

func (o *operands) tensor(t catalog.Tensor) (oxrt.Region, error) {
	n := int64(t.Span() * t.DType.Size())
	buf, err := o.stream.Device().AllocNamed(t.Operand.Name, max(n, 256))
	if err != nil {
		return oxrt.Region{}, err
	}
	o.bufs = append(o.bufs, buf)
	values := normal(t.DType, int(min(n, seedBytes)))
	all, err := buf.Region(0, oxrt.U8, n)
	for at := int64(0); at < n && err == nil; at += int64(len(values)) {
		var part oxrt.Region
		if part, err = all.Slice(at, min(int64(len(values)), n-at)); err == nil {
			err = o.stream.Upload(part, values[:part.Len()])
		}
	}
	if err == nil {
		err = o.stream.Synchronize(context.Background())
	}
	if err != nil {
		return oxrt.Region{}, err
	}
	return buf.Region(0, t.DType, int64(t.Span()))
}

func normal(dtype oxrt.DType, n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, n)
	format, ok := catalog.FormatOf(dtype)
	if !ok {
		return out
	}
	for i := range n / dtype.Size() {
		catalog.WriteBits(dtype, out, i, format.Pattern(r.NormFloat64()))
	}
	return out
}
