package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
)

// manifestFormat is the version of manifest.json.
const manifestFormat = 1

// manifestName is its file name in a family's folder.
const manifestName = "manifest.json"

// Manifest lists the artifacts of one family.
type Manifest struct {
	Format    int    `json:"format"`
	Package   string `json:"package"` // import path of the kernels, below the module path
	Artifacts []Row  `json:"artifacts"`
}

// Row describes one artifact: what it is, what it was made from, and what the result uses.
type Row struct {
	Algorithm   string             `json:"algorithm"`
	Variant     string             `json:"variant"`
	Target      string             `json:"target"`
	Entry       string             `json:"entry"`
	Launch      bundle.Contract    `json:"launch"`
	Declares    bundle.Declares    `json:"declares"`
	PTX         string             `json:"ptx"` // file below gen/ptx
	PTXSHA256   string             `json:"ptx_sha256"`
	Ptxas       string             `json:"ptxas"`
	PtxasBound  bool               `json:"ptxas_bound,omitempty"` // not the pinned version: chosen on purpose
	Flags       []string           `json:"flags"`
	Key         string             `json:"key"`   // SHA-256 of text, ptxas version and flags
	Cubin       string             `json:"cubin"` // file beside the manifest
	CubinSHA256 string             `json:"cubin_sha256"`
	Resources   cubin.Resources    `json:"resources"`
	Log         []cubin.Diagnostic `json:"ptxas_log,omitempty"`
}

// Name is how messages name an artifact.
func (r *Row) Name() string {
	s := r.Algorithm
	if r.Variant != "" {
		s += "/" + r.Variant
	}
	return s + " for " + r.Target
}

// DynamicSharedBytes of the default launch, for occupancy.
func (r *Row) sharedBytes() int { return r.Resources.StaticSharedBytes + r.Launch.DynamicSharedBytes }

// Threads of a block: the exact block, or the most.
func (r *Row) Threads() int {
	b := r.Launch.Block
	if n := max(b[0], 1) * max(b[1], 1) * max(b[2], 1); b != [3]int{} {
		return n
	}
	return r.Launch.MaxThreads
}

// Occupancy is how many blocks fit on an SM in the default launch.
func (r *Row) Occupancy() (cubin.Occupancy, error) {
	return cubin.Occupy(r.Target, r.Resources.Registers, r.Threads(), r.sharedBytes())
}

func (r *Row) allowance() cubin.Allowance { return allowance(r.Declares) }

func allowance(d bundle.Declares) cubin.Allowance {
	return cubin.Allowance{Warnings: d.Warnings, SpillStoreBytes: d.SpillStoreBytes, SpillLoadBytes: d.SpillLoadBytes,
		StackBytes: d.StackBytes, LocalReason: d.LocalReason, MaxRegisters: d.MaxRegisters}
}

// encode writes one line for each field of a row and none within: a review sees which fact changed, and the contract,
// the parameters and the resources of a kernel each at a glance.
func (m *Manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\t\"format\": %d,\n\t\"package\": %q,\n\t\"artifacts\": [", m.Format, m.Package)
	for i := range m.Artifacts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n\t\t{\n")
		if err := encodeFields(&b, "\t\t\t", &m.Artifacts[i]); err != nil {
			return nil, err
		}
		b.WriteString("\t\t}")
	}
	b.WriteString("\n\t]\n}\n")
	return b.Bytes(), nil
}

// encodeFields writes the fields of a JSON object in their order, one a line.
func encodeFields(b *bytes.Buffer, indent string, v any) error {
	var object bytes.Buffer
	enc := json.NewEncoder(&object)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	dec := json.NewDecoder(&object)
	if _, err := dec.Token(); err != nil { // the opening brace
		return err
	}
	for first := true; dec.More(); first = false {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if !first {
			b.WriteString(",\n")
		}
		fmt.Fprintf(b, "%s%q: %s", indent, name, value)
	}
	b.WriteByte('\n')
	return nil
}

// decodeManifest accepts exactly what encode writes: an unknown or misspelt field is damage.
func decodeManifest(text []byte) (*Manifest, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var m Manifest
	if err := dec.Decode(&m); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the manifest")
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("format %d, this program reads %d", m.Format, manifestFormat)
	}
	return &m, nil
}

func (m *Manifest) row(k *bundle.Kernel) *Row {
	for i := range m.Artifacts {
		r := &m.Artifacts[i]
		if r.Algorithm == k.Algorithm && r.Variant == k.Variant && r.Target == k.Target {
			return r
		}
	}
	return nil
}
