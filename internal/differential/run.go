package differential

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir/pass"
)

const (
	inputBytes  = 4 * inputWords
	outputBytes = 4 * threads * outputWords
	poison      = 0xcd // of outputs before a launch
)

// Input is the memory that the program of a seed reads.
func Input(seed uint64) []byte {
	g := &generator{r: rand.New(rand.NewPCG(seed, 1))}
	var out []byte
	for range inputWords {
		out = binary.LittleEndian.AppendUint32(out, g.bits())
	}
	return out
}

// Text is the PTX of the programs of some seeds, as one module. Without passes it is the code as it was recorded.
func Text(passes bool, seeds ...uint64) ([]byte, error) {
	var whole *ptx.Module
	for _, seed := range seeds {
		k, err := Build(seed)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		if passes {
			pass.Optimise(k, nil)
		}
		res, err := lower.Kernel(k)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		if whole == nil {
			whole = res.Module
		} else {
			whole.Decls = append(whole.Decls, res.Module.Decls...)
		}
	}
	text, _ := ptx.Print(whole)
	return text, nil
}

// Emulate runs the program of a seed on the emulated device and returns its output.
func Emulate(text []byte, seed uint64, cfg emulate.Config) ([]byte, error) {
	prog, err := load(text)
	if err != nil {
		return nil, err
	}
	return launch(prog, seed, cfg)
}

func load(text []byte) (*emulate.Program, error) {
	m, err := ptx.Parse(text)
	if err != nil {
		return nil, err
	}
	return emulate.Load(m)
}

func launch(prog *emulate.Program, seed uint64, cfg emulate.Config) ([]byte, error) {
	dev := emulate.NewDevice(cfg)
	in, err := dev.Alloc("in", inputBytes)
	if err != nil {
		return nil, err
	}
	out, err := dev.Alloc("out", outputBytes)
	if err != nil {
		return nil, err
	}
	if err := dev.Write(in, Input(seed)); err != nil {
		return nil, err
	}
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
	k := prog.Kernel(Name(seed))
	res, err := dev.Launch(k, emulate.LaunchConfig{Grid: [3]uint32{gridBlocks}, Block: [3]uint32{blockThreads}}, params)
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return nil, err
	}
	got := make([]byte, outputBytes)
	return got, dev.Read(out, got)
}

// difference describes the first word in which two outputs of a program differ, "" if there is none.
func difference(a, b []byte) string {
	for i := 0; i < len(a); i += 4 {
		x, y := binary.LittleEndian.Uint32(a[i:]), binary.LittleEndian.Uint32(b[i:])
		if x != y {
			return fmt.Sprintf("thread %d, value %d: %#08x and %#08x", i/4/outputWords, i/4%outputWords, x, y)
		}
	}
	return ""
}
