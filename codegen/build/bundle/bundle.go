package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/oxideinfer/oxide/codegen/linemap"
)

// Format is the version of the JSON. Driver and oxidegen come from one module version, so a difference means that
// an old driver program was run by mistake.
const Format = 1

// Bundle is the output of one driver program.
type Bundle struct {
	Format   int       `json:"format"`
	Kernels  []Kernel  `json:"kernels,omitempty"`
	Failures []Failure `json:"failures,omitempty"`
}

// Kernel is one instance: an algorithm in one variant for one target.
type Kernel struct {
	Package   string   `json:"package"`  // import path of the declaration
	Symbol    string   `json:"symbol"`   // Go variable
	Declared  Frame    `json:"declared"` // where it stands
	Algorithm string   `json:"algorithm"`
	Doc       string   `json:"doc,omitempty"`
	Variant   string   `json:"variant,omitempty"`
	Target    string   `json:"target"`
	Entry     string   `json:"entry"`
	Contract  Contract `json:"contract"`
	Declares  Declares `json:"declares"`
	PTX       string   `json:"ptx"`
	Map       string   `json:"map,omitempty"`    // text of the position map, see package linemap
	IR        string   `json:"ir,omitempty"`     // only when asked for
	Passes    []Pass   `json:"passes,omitempty"` // only when asked for
}

// PTXSHA256 is the identity of the text.
func (k *Kernel) PTXSHA256() string { return Hash([]byte(k.PTX)) }

// Hash is a SHA-256 in lower-case hexadecimal.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Name is how messages name an instance.
func (k *Kernel) Name() string {
	s := k.Algorithm
	if k.Variant != "" {
		s += "/" + k.Variant
	}
	return s + " for " + k.Target
}

// Contract is what a launch must keep.
type Contract struct {
	Block                 [3]int  `json:"block"` // zero: any block of at most MaxThreads
	MaxThreads            int     `json:"max_threads"`
	Cluster               [3]int  `json:"cluster"`
	DynamicSharedBytes    int     `json:"dynamic_shared_bytes"`
	MaxDynamicSharedBytes int     `json:"max_dynamic_shared_bytes"`
	ProgrammaticLaunch    bool    `json:"programmatic_launch"`
	Params                []Param `json:"params"`
	ParamBytes            int     `json:"param_bytes"`
}

// Param is one kernel parameter in the flat buffer. Type is the scalar type, or for a pointer the element's type.
type Param struct {
	Name    string `json:"name"`
	Doc     string `json:"doc,omitempty"`
	Type    string `json:"type"`
	Pointer bool   `json:"pointer,omitempty"`
	Access  string `json:"access,omitempty"` // of a pointer: read, or write if the kernel also writes
	Offset  int    `json:"offset"`
	Size    int    `json:"size"`
	Align   int    `json:"align"`
	Box     *Box   `json:"box,omitempty"` // of a tensor map
}

// Box is what the host must encode into a tensor map: the box that one copy moves, and how it lies in shared memory.
type Box struct {
	Elem      string `json:"elem"`
	Dims      []int  `json:"dims"`                // innermost first
	Swizzle   string `json:"swizzle,omitempty"`   // 32B, 64B or 128B
	Promotion int    `json:"promotion,omitempty"` // bytes of L2 fetches
	FillNaN   bool   `json:"fill_nan,omitempty"`
}

// Declares is what the kernel says about its own assembly; each needs a reason.
type Declares struct {
	Warnings        map[string]string `json:"warnings,omitempty"` // ptxas code -> why it is harmless
	SpillStoreBytes int               `json:"spill_store_bytes,omitempty"`
	SpillLoadBytes  int               `json:"spill_load_bytes,omitempty"`
	StackBytes      int               `json:"stack_bytes,omitempty"`
	LocalReason     string            `json:"local_reason,omitempty"`
	MaxRegisters    int               `json:"max_registers,omitempty"`
}

// Frame is one place in Go source, as position maps name it.
type Frame = linemap.Frame

// Lines is the position map. One that cannot be read names no places.
func (k *Kernel) Lines() *linemap.Map {
	m, err := linemap.Decode([]byte(k.Map))
	if err != nil {
		return linemap.New(nil)
	}
	return m
}

// Pass is the IR after one step of the lowering.
type Pass struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Failure is a mistake in a kernel, at the Go line that made it.
type Failure struct {
	Package   string  `json:"package,omitempty"`
	Algorithm string  `json:"algorithm,omitempty"`
	Variant   string  `json:"variant,omitempty"`
	Target    string  `json:"target,omitempty"`
	Code      string  `json:"code"`
	Frames    []Frame `json:"frames,omitempty"`
	Message   string  `json:"message"`
	Fix       string  `json:"fix,omitempty"`
	Manual    string  `json:"manual,omitempty"`
}

// Write stores the bundle.
func (b *Bundle) Write(path string) error {
	b.Format = Format
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// Read loads a bundle.
func Read(path string) (*Bundle, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var b Bundle
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("bundle %s: %w", path, err)
	}
	if b.Format != Format {
		return nil, fmt.Errorf("bundle %s: format %d, wanted %d", path, b.Format, Format)
	}
	return &b, nil
}
