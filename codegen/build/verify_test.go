package build

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/cubin/cubintest"
)

const (
	doubleCubin = "scale/ExampleScale_double.sm_90a.cubin"
	halfCubin   = "scale/ExampleScale_half.sm_90a.cubin"
	doublePTX   = "ptx/scale/ExampleScale_double.sm_90a.ptx"
)

func (f *fixture) read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(f.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (f *fixture) write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) flip(t *testing.T, name string, at int) {
	t.Helper()
	b := f.read(t, name)
	b[(at+len(b))%len(b)] ^= 0x10
	f.write(t, name, b)
}

// edit changes one row of the manifest and writes it back in the canonical form.
func (f *fixture) edit(t *testing.T, change func(m *Manifest)) {
	t.Helper()
	m, err := decodeManifest(f.read(t, "scale/manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	text, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "scale/manifest.json", text)
}

// forge replaces a cubin and the hash of it: only what the ELF says can give it away.
func (f *fixture) forge(t *testing.T, row int, image []byte) {
	t.Helper()
	f.edit(t, func(m *Manifest) {
		m.Artifacts[row].CubinSHA256 = bundle.Hash(image)
		f.write(t, "scale/"+m.Artifacts[row].Cubin, image)
	})
}

func assembleText(t *testing.T, text, target string) []byte {
	t.Helper()
	r, err := cubintest.Assembler(t).Assemble(context.Background(), []byte(text), target)
	if err != nil {
		t.Fatal(err)
	}
	return r.Cubin
}

// breakages are ways to damage gen/, each with the kind of fault that verify must report without a ptxas.
var breakages = []struct {
	name string
	kind error
	do   func(t *testing.T, f *fixture)
}{
	{"bit flip in the ELF header", ErrCubinHash, func(t *testing.T, f *fixture) { f.flip(t, doubleCubin, 48) }},
	{"bit flip in the code", ErrCubinHash, func(t *testing.T, f *fixture) { f.flip(t, doubleCubin, 2000) }},
	{"bit flip in the last byte", ErrCubinHash, func(t *testing.T, f *fixture) { f.flip(t, doubleCubin, -1) }},
	{"cubin cut short", ErrCubinHash, func(t *testing.T, f *fixture) {
		b := f.read(t, doubleCubin)
		f.write(t, doubleCubin, b[:len(b)-100])
	}},
	{"cubin empty", ErrCubinHash, func(t *testing.T, f *fixture) { f.write(t, doubleCubin, []byte{}) }},
	{"cubin missing", ErrMissingFile, func(t *testing.T, f *fixture) { os.Remove(f.path(doubleCubin)) }},
	{"cubins swapped", ErrCubinHash, func(t *testing.T, f *fixture) {
		a, b := f.read(t, doubleCubin), f.read(t, halfCubin)
		f.write(t, doubleCubin, b)
		f.write(t, halfCubin, a)
	}},
	{"cubins and their hashes swapped", ErrEntry, func(t *testing.T, f *fixture) {
		a, b := f.read(t, doubleCubin), f.read(t, halfCubin)
		f.forge(t, 0, b)
		f.forge(t, 1, a)
	}},
	{"rows name each other's files", ErrCubinHash, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) {
			a, b := &m.Artifacts[0], &m.Artifacts[1]
			a.Cubin, b.Cubin = b.Cubin, a.Cubin
			a.CubinSHA256, b.CubinSHA256 = b.CubinSHA256, a.CubinSHA256
		})
	}},
	{"cubin for sm_90", ErrTarget, func(t *testing.T, f *fixture) {
		text := strings.Replace(f.kernels[0].PTX, ".target sm_90a", ".target sm_90", 1)
		f.forge(t, 0, assembleText(t, text, "sm_90"))
	}},
	{"cubin for another SM", ErrTarget, func(t *testing.T, f *fixture) {
		text := strings.Replace(f.kernels[0].PTX, ".target sm_90a", ".target sm_80", 1)
		f.forge(t, 0, assembleText(t, text, "sm_80"))
	}},
	{"cubin of another kernel", ErrResources, func(t *testing.T, f *fixture) {
		text := strings.Replace(f.kernels[0].PTX, "\tmul.rn.f32 %f0, %f0, %f1;\n", "\tbar.sync 0;\n", 1)
		f.forge(t, 0, assembleText(t, text, "sm_90a"))
	}},
	{"cubin without tool note", ErrTarget, func(t *testing.T, f *fixture) {
		f.forge(t, 0, []byte(strings.Replace(string(f.read(t, doubleCubin)), ".note.nv.tkinfo", ".note.nv.tkinfO", 1)))
	}},
	{"no ELF at all", ErrNotCubin, func(t *testing.T, f *fixture) { f.forge(t, 0, []byte("\x7fELF but not really")) }},
	{"manifest's cubin hash", ErrCubinHash, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].CubinSHA256 = strings.Repeat("0", 64) })
	}},
	{"manifest's PTX hash", ErrStalePTX, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].PTXSHA256 = strings.Repeat("0", 64) })
	}},
	{"manifest's target", ErrNoArtifact, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Target = "sm_90" })
	}},
	{"manifest's entry", ErrEntry, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Entry = m.Artifacts[1].Entry })
	}},
	{"manifest's ptxas version", ErrToolchain, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Ptxas = "12.9.86" })
	}},
	{"manifest's flags", ErrToolchain, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Flags = append(m.Artifacts[0].Flags, "-v") })
	}},
	{"manifest's key", ErrKey, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Key = m.Artifacts[1].Key })
	}},
	{"manifest's registers", ErrResources, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Resources.Registers++ })
	}},
	{"manifest's spills", ErrResources, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Resources.SpillStoreBytes = 16 })
	}},
	{"manifest's block", ErrContract, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Launch.Block[0] = 256 })
	}},
	{"manifest's parameters", ErrContract, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Launch.Params[1].Offset = 12 })
	}},
	{"manifest's declaration", ErrContract, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts[0].Declares.LocalReason = "smuggled in" })
	}},
	{"a warning that nobody declared", ErrGate, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) {
			m.Artifacts[0].Log = []cubin.Diagnostic{{Severity: cubin.Info, Code: "C7510", Text: "serialized"}}
		})
	}},
	{"row missing", ErrNoArtifact, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts = m.Artifacts[1:] })
	}},
	{"row of no kernel", ErrExtra, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) {
			extra := m.Artifacts[0]
			extra.Variant = "triple"
			m.Artifacts = append(m.Artifacts, extra)
		})
	}},
	{"row twice", ErrExtra, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Artifacts = append(m.Artifacts, m.Artifacts[0]) })
	}},
	{"manifest of another package", ErrManifest, func(t *testing.T, f *fixture) {
		f.edit(t, func(m *Manifest) { m.Package = "elsewhere" })
	}},
	{"manifest of a later format", ErrManifest, func(t *testing.T, f *fixture) { f.edit(t, func(m *Manifest) { m.Format = 2 }) }},
	{"manifest cut short", ErrManifest, func(t *testing.T, f *fixture) {
		b := f.read(t, "scale/manifest.json")
		f.write(t, "scale/manifest.json", b[:len(b)/2])
	}},
	{"manifest with an unknown field", ErrManifest, func(t *testing.T, f *fixture) {
		b := f.read(t, "scale/manifest.json")
		f.write(t, "scale/manifest.json", []byte(strings.Replace(string(b), `"format"`, `"Formats"`, 1)))
	}},
	{"manifest missing", ErrMissingFile, func(t *testing.T, f *fixture) { os.Remove(f.path("scale/manifest.json")) }},
	{"stale PTX", ErrStalePTX, func(t *testing.T, f *fixture) {
		f.kernels[0] = kernel(f.pkgs[0].Path, "ExampleScale", "double", "sm_90a", 0x40400000)
	}},
	{"PTX file edited", ErrPTXFile, func(t *testing.T, f *fixture) { f.flip(t, doublePTX, 300) }},
	{"PTX file missing", ErrMissingFile, func(t *testing.T, f *fixture) { os.Remove(f.path(doublePTX)) }},
	{"position map edited", ErrGenerated, func(t *testing.T, f *fixture) { f.write(t, scaleFiles[0], []byte("1\tx.go:1\n")) }},
	{"binding edited", ErrGenerated, func(t *testing.T, f *fixture) { f.flip(t, "scale/zexample_scale.go", 900) }},
	{"binding missing", ErrMissingFile, func(t *testing.T, f *fixture) { os.Remove(f.path("scale/zexample_scale.go")) }},
	{"table of texts edited", ErrGenerated, func(t *testing.T, f *fixture) { f.flip(t, "ptx/zptx.go", 900) }},
	{"cubin of no kernel", ErrExtra, func(t *testing.T, f *fixture) { f.write(t, "scale/left.cubin", []byte("x")) }},
	{"text of no kernel", ErrExtra, func(t *testing.T, f *fixture) { f.write(t, "ptx/scale/left.ptx", []byte("x")) }},
	{"binding of no kernel", ErrExtra, func(t *testing.T, f *fixture) { f.write(t, "scale/zleft.go", []byte("package scale")) }},
}

func TestVerifyFindsEveryBreakage(t *testing.T) {
	asm := cubintest.Assembler(t)
	for _, b := range breakages {
		t.Run(b.name, func(t *testing.T) {
			f := newFixtureWith(t, asm)
			f.build(t)
			if err := f.verify(); err != nil {
				t.Fatalf("before the damage: %v", err)
			}
			b.do(t, f)
			err := f.verify()
			var fault *Fault
			if !errors.Is(err, b.kind) || !errors.As(err, &fault) {
				t.Fatalf("got %v, want a *Fault of kind %q", err, b.kind)
			}
			if fault.File == "" {
				t.Errorf("the fault names no file: %v", fault)
			}
		})
	}
}

// TestBuildRepairs: whatever was broken, one build brings everything back.
func TestBuildRepairs(t *testing.T) {
	asm := cubintest.Assembler(t)
	for _, b := range breakages {
		f := newFixtureWith(t, asm)
		f.build(t)
		b.do(t, f)
		f.build(t)
		if err := f.verify(); err != nil {
			t.Errorf("after %q and a build: %v", b.name, err)
		}
	}
}

// TestBytesNeedPtxas: a cubin of the right entry, target and resources, with its hash: only ptxas can tell.
func TestBytesNeedPtxas(t *testing.T) {
	f := newFixture(t)
	f.build(t)
	other := kernel(f.pkgs[0].Path, "ExampleScale", "double", "sm_90a", 0x40800000)
	f.forge(t, 0, assembleText(t, other.PTX, "sm_90a"))
	v := &verifier{layout: f.layout, families: f.families, pkgs: f.pkgs, version: cubin.PtxasVersion}
	v.check(f.kernels)
	if err := v.reassemble(context.Background(), cubintest.Assembler(t)); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(v.err(), ErrCubinBytes) {
		t.Errorf("%v, want ErrCubinBytes", v.err())
	}
}

func TestManifestRoundTrip(t *testing.T) {
	f := newFixture(t)
	f.build(t)
	text := f.read(t, "scale/manifest.json")
	m, err := decodeManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.encode()
	if err != nil || string(again) != string(text) {
		t.Errorf("decoding and encoding changes the manifest: %v\n%s", err, again)
	}
	if !json.Valid(text) {
		t.Error("no JSON")
	}
}
