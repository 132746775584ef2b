package trial

import (
	"fmt"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
)

// Call is a launch.
type Call struct {
	Grid, Block, Cluster [3]uint32 // Block and Cluster: zero where the kernel says
	Dynamic              int       // bytes of shared memory; -1: what the kernel says
	Args                 []string  // NAME=VALUE for every parameter
	Blocks               int       // that run of the grid, where blocks are independent
}

// Profile launches a kernel once. What makes the launch stop, such as an access outside of its memory, is an error that names the
// Go line.
func Profile(k *bundle.Kernel, c Call) (*profile.Profile, error) {
	given, err := arguments(c.Args, k.Contract.Params)
	if err != nil {
		return nil, err
	}
	launch, err := c.launch(&k.Contract)
	if err != nil {
		return nil, err
	}
	m, err := ptx.Parse([]byte(k.PTX))
	if err != nil {
		return nil, err
	}
	prog, err := emulate.Load(m)
	if err != nil {
		return nil, err
	}
	lines := k.Lines()
	prog.Position = func(line int) string {
		if frames := lines.Frames(line); len(frames) > 0 {
			return frames[0].String()
		}
		return ""
	}
	rec := profile.New()
	dev := emulate.NewDevice(emulate.Config{SMs: profile.H200.SMs, Off: emulate.AllChecks, Workers: 1, Blocks: c.Blocks, Observe: rec.Observe})
	params, err := block(dev, &k.Contract, given)
	if err != nil {
		return nil, err
	}
	res, err := dev.Launch(prog.Kernel(k.Entry), launch, params)
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name(), err)
	}
	return rec.Profiles()[0], nil
}

// launch joins what the command line and the kernel say.
func (c Call) launch(k *bundle.Contract) (emulate.LaunchConfig, error) {
	l := emulate.LaunchConfig{Grid: c.Grid, Block: c.Block, Cluster: c.Cluster, Dynamic: uint32(k.DynamicSharedBytes), Dependent: k.ProgrammaticLaunch}
	if c.Dynamic >= 0 {
		l.Dynamic = uint32(c.Dynamic)
	}
	var err error
	if l.Block, err = agree("block", c.Block, k.Block); err != nil {
		return l, err
	}
	if l.Block[0] == 0 {
		return l, fmt.Errorf("the kernel takes any block of up to %d threads: say which with -block", k.MaxThreads)
	}
	if l.Cluster, err = agree("cluster", c.Cluster, k.Cluster); err != nil {
		return l, err
	}
	l.HasCluster = l.Cluster[0] > 0
	return l, nil
}

func agree(what string, asked [3]uint32, declared [3]int) (out [3]uint32, err error) {
	for i, n := range declared {
		out[i] = uint32(n)
	}
	if out == [3]uint32{} {
		return asked, nil
	}
	if asked != out && asked != [3]uint32{} {
		return out, fmt.Errorf("%s %v: the kernel is for %v", what, asked, out)
	}
	return out, nil
}
