package oxrt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/internal/fakedriver"
)

// TestGateRefusesBeforeTheDriverIsAsked breaks an artifact in every way that the gate knows; the driver must not see any of them.
func TestGateRefusesBeforeTheDriverIsAsked(t *testing.T) {
	// rehash makes the artifact consistent again after its cubin was edited: the check behind the hash has to find it.
	rehash := func(a *oxrt.Artifact) { a.CubinSHA256 = digest(a.Cubin) }
	edit := func(a *oxrt.Artifact, at int, v byte) {
		a.Cubin = bytes.Clone(a.Cubin)
		a.Cubin[at] = v
		rehash(a)
	}
	replace := func(a *oxrt.Artifact, old, with string) {
		a.Cubin = bytes.Replace(a.Cubin, []byte(old), []byte(with), -1)
		rehash(a)
	}
	for name, c := range map[string]struct {
		edit func(*oxrt.Artifact)
		say  []string // both sides
	}{
		"bit flip in the code":   {func(a *oxrt.Artifact) { a.Cubin = bytes.Clone(a.Cubin); a.Cubin[0x640] ^= 4 }, []string{"cubin SHA-256", "CubinSHA256"}},
		"bit flip in the header": {func(a *oxrt.Artifact) { a.Cubin = bytes.Clone(a.Cubin); a.Cubin[49] ^= 1 }, []string{"cubin SHA-256"}},
		"bit flip in the hash":   {func(a *oxrt.Artifact) { a.CubinSHA256 = "0" + a.CubinSHA256[1:] }, []string{"cubin SHA-256"}},
		"hash in upper case":     {func(a *oxrt.Artifact) { a.CubinSHA256 = strings.ToUpper(a.CubinSHA256) }, []string{"cubin SHA-256"}},
		"no hash":                {func(a *oxrt.Artifact) { a.CubinSHA256 = "" }, []string{"cubin SHA-256"}},
		"no cubin":               {func(a *oxrt.Artifact) { a.Cubin = nil }, []string{"cubin SHA-256"}},
		"empty cubin":            {func(a *oxrt.Artifact) { a.Cubin = []byte{}; rehash(a) }, []string{"not a cubin"}},
		"truncated cubin":        {func(a *oxrt.Artifact) { a.Cubin = a.Cubin[:1500]; rehash(a) }, []string{"not a cubin", "outside the file"}},
		"appended byte":          {func(a *oxrt.Artifact) { a.Cubin = append(bytes.Clone(a.Cubin), 0) }, []string{"cubin SHA-256"}},
		"PTX instead of a cubin": {func(a *oxrt.Artifact) {
			a.Cubin = []byte(".version 9.0\n.target sm_90a\n" + strings.Repeat(" ", 64))
			rehash(a)
		}, []string{"not a cubin"}},
		"host object":              {func(a *oxrt.Artifact) { edit(a, 18, 62) }, []string{"ELF machine 62"}},
		"relocatable object":       {func(a *oxrt.Artifact) { edit(a, 16, 1) }, []string{"ELF type 1"}},
		"32-bit object":            {func(a *oxrt.Artifact) { edit(a, 4, 1) }, []string{"not a cubin"}},
		"e_flags of another SM":    {func(a *oxrt.Artifact) { edit(a, 49, 100) }, []string{"-arch sm_90a", "e_flags SM 100"}},
		"swapped for sm_90":        {func(a *oxrt.Artifact) { a.Cubin = readCubin(t, "sm_90"); rehash(a) }, []string{"-arch sm_90 ", `"sm_90a"`}},
		"target of the sibling":    {func(a *oxrt.Artifact) { a.Target = "sm_90" }, []string{"-arch sm_90a", `"sm_90"`}},
		"target of another device": {func(a *oxrt.Artifact) { a.Target = "sm_100a" }, []string{"sm_100a", "9.0 of fake H200"}},
		"no target":                {func(a *oxrt.Artifact) { a.Target = "" }, []string{"artifact target", "9.0"}},
		"target with blanks":       {func(a *oxrt.Artifact) { a.Target = "sm_90a " }, []string{"artifact target"}},
		"target not a number":      {func(a *oxrt.Artifact) { a.Target = "sm_9x" }, []string{"artifact target"}},
		"note without -arch":       {func(a *oxrt.Artifact) { replace(a, "-arch sm_90a", "-ar_h sm_90a") }, []string{`-arch ""`, "sm_90a"}},
		"note with another arch":   {func(a *oxrt.Artifact) { replace(a, "-arch sm_90a", "-arch sm_80a") }, []string{"-arch sm_80a", "SM 90"}},
		"note removed":             {func(a *oxrt.Artifact) { replace(a, ".note.nv.tkinfo", ".note.nv.tkxxxx") }, []string{`-arch ""`}},
		"entry missing":            {func(a *oxrt.Artifact) { a.Entry = "tinier" }, []string{`"tinier"`, "cubin's kernels"}},
		"entry of a prefix":        {func(a *oxrt.Artifact) { a.Entry = "tin" }, []string{"cubin's kernels"}},
		"PTX hash missing":         {func(a *oxrt.Artifact) { a.PTXSHA256 = "" }, []string{"PTXSHA256"}},
		"PTX hash cut":             {func(a *oxrt.Artifact) { a.PTXSHA256 = a.PTXSHA256[:62] }, []string{"PTXSHA256"}},
		"parameter left out":       {func(a *oxrt.Artifact) { a.Launch.Params = a.Launch.Params[:1]; a.Launch.ParamBytes = 8 }, []string{"2 in 12 bytes", "1 in 8 bytes"}},
		"parameter too many": {func(a *oxrt.Artifact) {
			a.Launch.Params = append(a.Launch.Params, oxrt.ParamInfo{Name: "p2", Offset: 12, Size: 4})
			a.Launch.ParamBytes = 16
		}, []string{"2 in 12 bytes", "3 in 16 bytes"}},
		"parameters swapped": {func(a *oxrt.Artifact) { a.Launch.Params[0].Size, a.Launch.Params[1].Offset = 4, 4 }, []string{"8 bytes at 0", "4 bytes at 0"}},
		"other block":        {func(a *oxrt.Artifact) { a.Launch.Block.X = 64 }, []string{"{32 1 1}", "{64 1 1}"}},
	} {
		t.Run(name, func(t *testing.T) {
			drv := fakedriver.New(false)
			rt, err := oxrt.OpenDriver(drv)
			must(t, err)
			dev, err := rt.Device(0)
			must(t, err)
			a := tiny(t)
			c.edit(a)
			_, err = dev.Load(a)
			var target *oxrt.TargetError
			if !errors.Is(err, oxrt.ErrTarget) || !errors.As(err, &target) || target.Left == "" || target.Right == "" {
				t.Fatalf("got %v", err)
			}
			for _, part := range c.say {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if n := drv.Calls("ModuleLoad"); n != 0 {
				t.Errorf("the driver was asked to load it %d times", n)
			}
		})
	}
}

// TestGateTargets: arch-specific targets match exactly, family targets and plain ones run on later devices of the same generation.
func TestGateTargets(t *testing.T) {
	rt, err := oxrt.OpenDriver(fakedriver.New(false))
	must(t, err)
	dev, err := rt.Device(0) // compute capability 9.0
	must(t, err)
	for target, fits := range map[string]bool{"sm_90": true, "sm_90a": true, "sm_80": false, "sm_89a": false, "sm_91": false, "sm_100": false, "sm_90b": false} {
		a := tiny(t)
		a.Target = target
		// The cubin is rewritten to the same target, so that only the device can disagree.
		number := strings.TrimRight(strings.TrimPrefix(target, "sm_"), "ab")
		arch := "-arch " + target
		a.Cubin = bytes.Replace(a.Cubin, []byte("-arch sm_90a "), []byte((arch + strings.Repeat(" ", 8))[:13]), 1)
		flags := binary.LittleEndian.Uint32(a.Cubin[48:]) &^ 0xff00
		var sm uint32
		for _, c := range number {
			sm = sm*10 + uint32(c-'0')
		}
		binary.LittleEndian.PutUint32(a.Cubin[48:], flags|sm<<8)
		a.CubinSHA256 = digest(a.Cubin)
		if _, err := dev.Load(a); (err == nil) != fits || (err != nil && !errors.Is(err, oxrt.ErrTarget)) {
			t.Errorf("%s on 9.0: %v", target, err)
		}
	}
}

func TestGateContracts(t *testing.T) {
	for name, edit := range map[string]func(*oxrt.LaunchContract){
		"too much shared memory":  func(c *oxrt.LaunchContract) { c.StaticSharedBytes, c.MaxDynamicSharedBytes = 4<<10, 224<<10 },
		"default above maximum":   func(c *oxrt.LaunchContract) { c.DynamicSharedBytes = 2048 },
		"more threads than exist": func(c *oxrt.LaunchContract) { c.MaxThreads = 2048 },
	} {
		drv := fakedriver.New(false)
		rt, err := oxrt.OpenDriver(drv)
		must(t, err)
		dev, err := rt.Device(0)
		must(t, err)
		a := tiny(t)
		edit(&a.Launch)
		if _, err := dev.Load(a); !errors.Is(err, oxrt.ErrContract) || drv.Calls("ModuleLoad") != 0 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestLoadIsShared(t *testing.T) {
	r := newRig(t, false)
	a := tiny(t)
	k, err := r.dev.Load(a)
	must(t, err)
	again, err := r.dev.Load(a)
	must(t, err)
	if k != again || r.drv.Calls("ModuleLoad") != 1 { // the rig loaded an equal artifact before
		t.Errorf("loaded %d times", r.drv.Calls("ModuleLoad"))
	}
	r.drv.Fail("ModuleLoad", oxrt.CodeOutOfMemory)
	b := tiny(t)
	b.PTXSHA256 = digest([]byte("another"))
	if _, err := r.dev.Load(b); !errors.Is(err, oxrt.CodeOutOfMemory) || !strings.Contains(err.Error(), "Tiny/v") {
		t.Errorf("got %v", err)
	}
	if _, err := r.dev.Load(nil); !errors.Is(err, oxrt.ErrContract) {
		t.Errorf("nil artifact: %v", err)
	}
}

func TestLoadAsksForWhatTheContractNeeds(t *testing.T) {
	r := newRig(t, false)
	if n := r.drv.Calls("SetFuncAttribute"); n != 0 {
		t.Errorf("%d attributes set for a small kernel", n)
	}
	a := tiny(t)
	a.Variant, a.Launch.MaxDynamicSharedBytes, a.Launch.Cluster = "big", 100<<10, oxrt.Dim3{X: 16}
	_, err := r.dev.Load(a)
	must(t, err)
	if n := r.drv.Calls("SetFuncAttribute"); n != 2 {
		t.Errorf("%d attributes set for a large one", n)
	}
}

// TestGateTakesMovedParameters: a tensor map moves all parameters of a cubin by the same distance, which the contract does not know.
func TestGateTakesMovedParameters(t *testing.T) {
	image, err := os.ReadFile("internal/cubinelf/testdata/mapped_sm_90a.cubin")
	must(t, err)
	mapped := func(params ...oxrt.ParamInfo) *oxrt.Artifact {
		a := tiny(t)
		a.Entry, a.Cubin, a.CubinSHA256 = "mapped", image, digest(image)
		a.Launch.Params, a.Launch.ParamBytes = params, 132
		return a
	}
	m, n := oxrt.ParamInfo{Name: "m", Size: 128}, oxrt.ParamInfo{Name: "n", Offset: 128, Size: 4}
	if _, err := newRig(t, false).dev.Load(mapped(m, n)); err != nil {
		t.Error(err)
	}
	far := n
	far.Offset = 132
	var refused *oxrt.TargetError
	for name, a := range map[string]*oxrt.Artifact{"one missing": mapped(m), "one elsewhere": mapped(m, far)} {
		if _, err := newRig(t, false).dev.Load(a); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
