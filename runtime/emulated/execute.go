package emulated

import (
	"errors"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
)

type kind uint8

const (
	launch kind = iota + 1
	fill
	copyDevice
	record
	wait
)

// command is one queued step, with everything that it needs copied out of the batch.
type command struct {
	kind     kind
	kernel   *emulate.Kernel
	config   emulate.LaunchConfig
	params   []byte
	dst, src uint64
	bytes    uint64
	value    byte
	event    *event
	mark     *mark // that a record completes or a wait waits for
	settles  bool  // the record of a completion
}

// execute runs a command that touches memory.
func (v *device) execute(c command) failure {
	v.run.Lock()
	defer v.run.Unlock()
	switch c.kind {
	case launch:
		return v.launch(c)
	case fill:
		return memoryFailure(v.emu.Memset(c.dst, c.value, c.bytes))
	case copyDevice:
		return memoryFailure(v.emu.Copy(c.dst, c.src, c.bytes))
	}
	return failure{oxrt.CodeInvalidValue, nil}
}

func (v *device) launch(c command) failure {
	r, err := v.emu.Launch(c.kernel, c.config, c.params)
	if err != nil {
		return failure{oxrt.CodeInvalidValue, err}
	}
	if v.options.OnResult != nil {
		v.options.OnResult(c.kernel.Name, r)
	}
	var found *emulate.FindingError
	if err := r.Err(); errors.As(err, &found) {
		return failure{codeOf(found.Finding.Class), &Fault{Kernel: found.Finding.Kernel, Finding: found.Finding}}
	}
	return failure{}
}

func memoryFailure(err error) failure {
	if err == nil {
		return failure{}
	}
	return failure{oxrt.CodeIllegalAddress, err}
}

// translate turns a batch's command into a queued one. mu must be held.
func (v *device) translate(b *oxrt.Batch, c *oxrt.Command) (command, failure) {
	switch c.Kind {
	case oxrt.CommandLaunch:
		return v.translateLaunch(b, c)
	case oxrt.CommandFill:
		return command{kind: fill, dst: uint64(c.Dst), bytes: c.Bytes, value: byte(c.Value)}, failure{}
	case oxrt.CommandCopy:
		return command{kind: copyDevice, dst: uint64(c.Dst), src: uint64(c.Src), bytes: c.Bytes}, failure{}
	case oxrt.CommandWait, oxrt.CommandRecord:
		e := v.events[c.Event]
		if e == nil {
			return command{}, failure{code: oxrt.CodeInvalidHandle}
		}
		if c.Kind == oxrt.CommandWait {
			return command{kind: wait, event: e}, failure{}
		}
		return command{kind: record, event: e}, failure{}
	}
	return command{}, failure{code: oxrt.CodeInvalidValue}
}

func (v *device) translateLaunch(b *oxrt.Batch, c *oxrt.Command) (command, failure) {
	k := v.funcs[c.Func]
	if k == nil {
		return command{}, failure{code: oxrt.CodeInvalidHandle}
	}
	array := func(d oxrt.Dim3) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }
	params := make([]byte, k.ParamBytes())
	copy(params, b.Params[c.ParamStart:c.ParamStart+c.ParamBytes])
	return command{kind: launch, kernel: k, params: params, config: emulate.LaunchConfig{
		Grid: array(c.Grid), Block: array(c.Block), Cluster: array(c.Cluster), HasCluster: !c.Cluster.IsZero(),
		Dynamic: c.SharedBytes, Dependent: c.Flags&oxrt.LaunchProgrammatic != 0,
	}}, failure{}
}
