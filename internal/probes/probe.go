package probes

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/oxideinfer/oxide/codegen/lower"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/ir"
	"github.com/oxideinfer/oxide/ir/pass"
)

// Probe is one launch of a kernel.
type Probe struct {
	Name   string
	Kernel *Kernel
	// Inputs makes the grid and the arguments; the same ones every time.
	Inputs func() (grid int, args []Arg)
}

// Kernel is a kernel of one or several probes. Its name is its entry's.
type Kernel struct {
	Name     string
	Contract ir.Contract
	Body     func(*ir.Kernel)
}

// Arg is a parameter: memory, a tensor map over memory, or a word.
type Arg struct {
	Data []byte // content before the launch; nil for a word
	Out  bool   // compared after the launch
	Map  *emulate.TensorMap
	Word uint32
}

// poison fills outputs before a launch: bytes that must not change stay visible.
const poison = 0xcd

func out(n int) Arg {
	b := make([]byte, n)
	for i := range b {
		b[i] = poison
	}
	return Arg{Data: b, Out: true}
}

func word(n int) Arg { return Arg{Word: uint32(n)} }

func words(list []uint32) Arg {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return Arg{Data: b}
}

// random is a source that depends on a name alone, so that a new probe changes no other.
func random(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 20261201))
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, (n+7)&^7)
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], r.Uint64())
	}
	return b[:n]
}

// collector gathers probes in order.
type collector struct{ list []*Probe }

func (c *collector) add(k *Kernel, name string, inputs func() (int, []Arg)) {
	c.list = append(c.list, &Probe{Name: name, Kernel: k, Inputs: inputs})
}

// All lists every probe. Those of one kernel follow one another.
func All() []*Probe {
	c := &collector{}
	for _, family := range []func(*collector){warpProducts, matrices, barriers, copies, bulkCopies, bulkReductions, remoteStores, remoteAtomics,
		sends, tensorLoads, tensorStores, tensorReductions, multicasts, warpgroupProducts, elementStrides, signedBits} {
		family(c)
	}
	return c.list
}

// Text is the PTX of kernels, as one module.
func Text(kernels ...*Kernel) ([]byte, error) {
	var whole *ptx.Module
	for _, k := range kernels {
		built, err := ir.BuildFunc(k.Name, k.Contract, k.Body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		pass.Optimise(built, nil)
		if found := ir.Verify(built); len(found) > 0 {
			return nil, fmt.Errorf("%s after its passes: %w", k.Name, ir.Findings(found))
		}
		res, err := lower.Kernel(built)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
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

// Kernels are the kernels of probes, each once.
func Kernels(list []*Probe) []*Kernel {
	var all []*Kernel
	seen := map[string]bool{}
	for _, p := range list {
		if !seen[p.Kernel.Name] {
			seen[p.Kernel.Name] = true
			all = append(all, p.Kernel)
		}
	}
	return all
}
