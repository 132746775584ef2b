package emulated

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/codegen/linemap"
	"github.com/oxideinfer/oxide/codegen/ptx"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	"github.com/oxideinfer/oxide/runtime"
)

// program is a decoded PTX text.
type program struct{ *emulate.Program }

// load finds, checks and decodes the PTX of an artifact. The text must have the hash that the artifact names: a stale one is refused.
func (d *Driver) load(a *oxrt.Artifact) (*program, failure) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.programs[a.PTXSHA256]; p != nil {
		return p, failure{}
	}
	text, positions, ok := d.lookup(a.PTXSHA256)
	if !ok {
		return nil, failure{oxrt.CodeFileNotFound, fmt.Errorf("no PTX with SHA-256 %s is linked in", a.PTXSHA256)}
	}
	sum := sha256.Sum256([]byte(text))
	if got := hex.EncodeToString(sum[:]); got != a.PTXSHA256 {
		return nil, failure{oxrt.CodeInvalidSource, &oxrt.TargetError{
			Kernel: a.Name(), Left: "PTX SHA-256", LeftGot: got, Right: "artifact's PTXSHA256", RightGot: a.PTXSHA256}}
	}
	module, err := ptx.Parse([]byte(text))
	if err != nil {
		return nil, failure{oxrt.CodeInvalidSource, err}
	}
	if d.options.Change != nil {
		d.options.Change(a, module)
	}
	decoded, err := emulate.Load(module)
	if err != nil {
		return nil, failure{oxrt.CodeInvalidSource, err}
	}
	decoded.Position = positionOf(positions)
	p := &program{decoded}
	d.programs[a.PTXSHA256] = p
	return p, failure{}
}

func (d *Driver) lookup(sum string) (text, positions string, ok bool) {
	for _, l := range d.options.Lookups {
		if text, positions, ok = l(sum); ok {
			return text, positions, true
		}
	}
	return "", "", false
}

// positionOf reads a .map text: it gives the Go frames of a PTX line, the innermost first. A text that cannot be read names no places.
func positionOf(positions string) func(line int) string {
	lines, err := linemap.Decode([]byte(positions))
	if err != nil || positions == "" {
		return nil
	}
	return func(line int) string {
		var chain []string
		for _, f := range lines.Frames(line) {
			chain = append(chain, f.String())
		}
		return strings.Join(chain, " < ")
	}
}
