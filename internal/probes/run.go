package probes

import (
	"encoding/binary"
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// Load makes a program for the emulator.
func Load(text []byte) (*emulate.Program, error) {
	m, err := ptx.Parse(text)
	if err != nil {
		return nil, err
	}
	return emulate.Load(m)
}

// Emulate runs a probe and returns its outputs, one after another. A finding of a checker is an error.
func (p *Probe) Emulate(prog *emulate.Program, cfg emulate.Config) ([]byte, error) {
	grid, args := p.Inputs()
	dev := emulate.NewDevice(cfg)
	addr := make([]uint64, len(args))
	for i, a := range args {
		if a.Data == nil {
			continue
		}
		var err error
		if addr[i], err = dev.Alloc(fmt.Sprintf("arg%d", i), uint64(len(a.Data))); err != nil {
			return nil, err
		}
		if err := dev.Write(addr[i], a.Data); err != nil {
			return nil, err
		}
	}
	k := prog.Kernel(p.Kernel.Name)
	params := make([]byte, k.ParamBytes())
	for i, q := range k.Params {
		if err := args[i].put(params[q.Offset:], addr[i]); err != nil {
			return nil, err
		}
	}
	res, err := dev.Launch(k, p.launch(grid), params)
	if err != nil {
		return nil, err
	}
	for _, f := range res.Findings {
		return nil, fmt.Errorf("%v", f)
	}
	var got []byte
	for i, a := range args {
		if a.Out {
			b := make([]byte, len(a.Data))
			if err := dev.Read(addr[i], b); err != nil {
				return nil, err
			}
			got = append(got, b...)
		}
	}
	return got, nil
}

// put writes an argument into the parameter block, with the emulator's own encoding of tensor maps.
func (a *Arg) put(b []byte, addr uint64) error {
	switch {
	case a.Map != nil:
		m := *a.Map
		m.Address = addr
		encoded, err := m.Encode()
		copy(b, encoded[:])
		return err
	case a.Data != nil:
		binary.LittleEndian.PutUint64(b, addr)
	default:
		binary.LittleEndian.PutUint32(b, a.Word)
	}
	return nil
}

func (p *Probe) launch(grid int) emulate.LaunchConfig {
	c := p.Kernel.Contract
	l := emulate.LaunchConfig{Grid: [3]uint32{uint32(grid), 1, 1}, Block: [3]uint32{uint32(c.Block[0]), 1, 1}, HasCluster: c.Cluster[0] > 0}
	if l.HasCluster {
		l.Cluster = [3]uint32{uint32(c.Cluster[0]), 1, 1}
	}
	return l
}
