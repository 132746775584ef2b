package oxrt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/runtime/internal/cubinelf"
)

// PTXLoader is implemented by driver tables that run an artifact's PTX instead of its cubin. They check the PTX hash themselves. For
// them alone an artifact may come without a cubin; one that is there passes the gate like everywhere else.
type PTXLoader interface{ LoadsPTX() bool }

// CheckArtifact is the part of the device gate that needs no device: the cubin's bytes, its ELF target and recorded -arch, its entry,
// parameters and block must all be what the artifact says. The error is a *TargetError naming both sides.
func CheckArtifact(a *Artifact) error {
	g := gate{a}
	if err := g.bytes(); err != nil {
		return err
	}
	f, err := cubinelf.Parse(a.Cubin)
	if err != nil {
		return g.refuse("cubin", err.Error(), "artifact target", a.Target)
	}
	if err := g.target(f); err != nil {
		return err
	}
	return g.entry(f)
}

// checkDevice is the other part: the artifact's target against the device.
func checkDevice(a *Artifact, info DeviceInfo) error {
	g := gate{a}
	t, ok := parseTarget(a.Target)
	have := info.Major*10 + info.Minor
	capability := fmt.Sprintf("%d.%d of %s", info.Major, info.Minor, info.Name)
	switch {
	case !ok:
		return g.refuse("artifact target", strconv.Quote(a.Target), "device compute capability", capability)
	case t.suffix == "a" && t.sm != have,
		t.suffix != "a" && (t.sm/10 != info.Major || t.sm > have):
		return g.refuse("artifact target", a.Target, "device compute capability", capability)
	}
	return nil
}

type gate struct{ a *Artifact }

func (g gate) refuse(left, leftGot, right, rightGot string) error {
	return &TargetError{Kernel: g.a.Name(), Left: left, LeftGot: leftGot, Right: right, RightGot: rightGot}
}

func (g gate) bytes() error {
	sum := sha256.Sum256(g.a.Cubin)
	if got := hex.EncodeToString(sum[:]); got != g.a.CubinSHA256 {
		return g.refuse("cubin SHA-256", got, "artifact's CubinSHA256", strconv.Quote(g.a.CubinSHA256))
	}
	if b, err := hex.DecodeString(g.a.PTXSHA256); err != nil || len(b) != sha256.Size {
		return g.refuse("artifact's PTXSHA256", strconv.Quote(g.a.PTXSHA256), "the form of a SHA-256", "64 hexadecimal digits")
	}
	return nil
}

// target compares the three places that name a target: e_flags, the note, the artifact. e_flags cannot tell sm_90 from sm_90a.
func (g gate) target(f *cubinelf.File) error {
	note, ok := parseTarget(f.Arch)
	if !ok {
		return g.refuse("cubin note .note.nv.tkinfo -arch", strconv.Quote(f.Arch), "artifact target", g.a.Target)
	}
	if note.sm != f.SM {
		return g.refuse("cubin note -arch", f.Arch, "cubin e_flags", "SM "+strconv.Itoa(f.SM))
	}
	if f.Arch != g.a.Target {
		return g.refuse("cubin note -arch", f.Arch, "artifact target", strconv.Quote(g.a.Target))
	}
	return nil
}

// entry compares the launch contract with what ptxas recorded about the entry.
func (g gate) entry(f *cubinelf.File) error {
	e, ok := f.Entry(g.a.Entry)
	if !ok {
		return g.refuse("artifact entry", strconv.Quote(g.a.Entry), "cubin's kernels", "without it")
	}
	c := &g.a.Launch
	moved := mapPadding(e)
	if e.ParamBytes != c.ParamBytes+moved || len(e.Params) != len(c.Params) {
		return g.refuse("cubin parameters", fmt.Sprintf("%d in %d bytes", len(e.Params), e.ParamBytes),
			"launch contract", fmt.Sprintf("%d in %d bytes", len(c.Params), c.ParamBytes))
	}
	for i, p := range e.Params {
		if w := c.Params[i]; p.Offset != w.Offset+moved || p.Size != w.Size {
			return g.refuse("cubin parameter "+strconv.Itoa(i), fmt.Sprintf("%d bytes at %d", p.Size, p.Offset),
				"launch contract", fmt.Sprintf("%s, %d bytes at %d", w.Name, w.Size, w.Offset))
		}
	}
	if block := (Dim3{e.Block[0], e.Block[1], e.Block[2]}); !block.IsZero() && block != c.Block.Fill() {
		return g.refuse("cubin block", fmt.Sprint(block), "launch contract", fmt.Sprint(c.Block))
	}
	return nil
}

// mapPadding is how far ptxas moves all parameters where one is a tensor map: they begin at a multiple of 64 in the constant bank,
// whose place for parameters does not. The driver moves them on its own.
func mapPadding(e cubinelf.Entry) uint32 {
	for _, p := range e.Params {
		if p.Size == uint32(len(TensorMap{})) {
			return e.Params[0].Offset
		}
	}
	return 0
}

// smTarget is a parsed ptxas target: "sm_90a" is {90, "a"}.
type smTarget struct {
	sm     int
	suffix string // "", "a" (exactly this device) or "f" (its family)
}

func parseTarget(s string) (smTarget, bool) {
	digits, ok := strings.CutPrefix(s, "sm_")
	if !ok {
		return smTarget{}, false
	}
	t := smTarget{}
	if n := len(digits); n > 0 && (digits[n-1] == 'a' || digits[n-1] == 'f') {
		digits, t.suffix = digits[:n-1], digits[n-1:]
	}
	sm, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || sm < 10 || strconv.FormatUint(sm, 10) != digits {
		return smTarget{}, false
	}
	t.sm = int(sm)
	return t, true
}
