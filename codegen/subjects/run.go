package subjects

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
)

// Report is what a run left: the findings of all launches, and the buffers whose bytes are not the wanted ones.
type Report struct {
	Findings []emulate.Finding
	Wrong    []string
}

// Clean tells whether nothing was found and every byte is as wanted.
func (r *Report) Clean() bool { return len(r.Findings) == 0 && len(r.Wrong) == 0 }

// Run runs PTX text, the subject's own or a mutant of it, on the emulator. The error is one of the text, not of the kernel.
func (s *Subject) Run(text []byte, cfg emulate.Config) (*Report, error) {
	mod, err := ptx.Parse(text)
	if err != nil {
		return nil, err
	}
	prog, err := emulate.Load(mod)
	if err != nil {
		return nil, err
	}
	dev := emulate.NewDevice(cfg)
	addrs := map[string]uint64{}
	for _, b := range s.Buffers {
		if addrs[b.Name], err = dev.Alloc(b.Name, uint64(len(b.Data))); err != nil {
			return nil, err
		}
		if err = dev.Write(addrs[b.Name], b.Data); err != nil {
			return nil, err
		}
	}
	report := &Report{}
	for _, l := range s.Launches {
		params, err := s.params(l, addrs)
		if err != nil {
			return nil, err
		}
		k := prog.Kernel(l.Kernel.Name)
		if k == nil {
			return nil, fmt.Errorf("subject %s: the text has no entry %s", s.Name, l.Kernel.Name)
		}
		res, err := dev.Launch(k, launchConfig(l), params)
		if err != nil {
			return nil, err
		}
		report.Findings = append(report.Findings, res.Findings...)
	}
	return report, s.compare(dev, addrs, report)
}

func (s *Subject) compare(dev *emulate.Device, addrs map[string]uint64, report *Report) error {
	for _, b := range s.Buffers {
		got := make([]byte, len(b.Data))
		if err := dev.Read(addrs[b.Name], got); err != nil {
			return err
		}
		want := b.Data
		if b.Out {
			want = b.Want
		}
		if at := firstDifference(got, want); at >= 0 {
			size := b.Kind.Bytes()
			report.Wrong = append(report.Wrong, fmt.Sprintf("%s[%d]: got % x, want % x", b.Name, at/size, got[at/size*size:][:size], want[at/size*size:][:size]))
		}
	}
	return nil
}

func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

func launchConfig(l Launch) emulate.LaunchConfig {
	c := l.Kernel.Contract
	cfg := emulate.LaunchConfig{Dynamic: uint32(c.DynamicSharedBytes), Dependent: c.ProgrammaticLaunch, HasCluster: c.Cluster != [3]int{}}
	for i := range 3 {
		cfg.Grid[i], cfg.Block[i] = uint32(l.Grid[i]), uint32(max(1, c.Block[i]))
		if cfg.HasCluster {
			cfg.Cluster[i] = uint32(max(1, c.Cluster[i]))
		}
	}
	return cfg
}

// params lays the arguments out as a C struct.
func (s *Subject) params(l Launch, addrs map[string]uint64) ([]byte, error) {
	if len(l.Args) != len(l.Kernel.Params) {
		return nil, fmt.Errorf("subject %s: %d arguments for %d parameters", s.Name, len(l.Args), len(l.Kernel.Params))
	}
	var block []byte
	for i, a := range l.Args {
		value, err := s.bytesOf(a, addrs)
		if err != nil {
			return nil, err
		}
		size, align := l.Kernel.Params[i].Layout()
		if len(value) != size {
			return nil, fmt.Errorf("subject %s: argument %d has %d bytes, its parameter %d", s.Name, i, len(value), size)
		}
		for len(block)%align != 0 {
			block = append(block, 0)
		}
		block = append(block, value...)
	}
	return block, nil
}

func (s *Subject) bytesOf(a Arg, addrs map[string]uint64) ([]byte, error) {
	switch {
	case a.Buffer != "":
		return binary.LittleEndian.AppendUint64(nil, addrs[a.Buffer]), nil
	case a.Map != "":
		for _, m := range s.Maps {
			if m.Name == a.Map {
				m.Address = addrs[m.Buffer]
				b, err := m.Encode()
				return b[:], err
			}
		}
		return nil, fmt.Errorf("subject %s: no map %s", s.Name, a.Map)
	}
	if a.Raw != nil {
		return a.Raw, nil
	}
	return binary.LittleEndian.AppendUint32(nil, a.Word), nil
}
