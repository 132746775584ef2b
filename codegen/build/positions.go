package build

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/oxideinfer/oxide/codegen/build/bundle"
)

// encodePositions writes a .map file: one line for each PTX line whose origin is known, the innermost frame first.
//
//	41	algorithms/x/kernels/norm.go:27 warpSum	algorithms/x/kernels/norm.go:41 rmsNorm
//
// The fields are separated by tabs. A file's lines do not enter any hash: a moved Go line changes no cubin.
func encodePositions(positions []bundle.Position) []byte {
	var b bytes.Buffer
	for _, p := range positions {
		if len(p.Frames) == 0 {
			continue
		}
		b.WriteString(strconv.Itoa(p.Line))
		for _, f := range p.Frames {
			fmt.Fprintf(&b, "\t%s:%d", f.File, f.Line)
			if f.Func != "" {
				b.WriteString(" " + f.Func)
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// framesOf returns the frames of a PTX line, or those of the nearest line before it: a label or a brace belongs to
// what stands around it.
func framesOf(positions []bundle.Position, line int) []bundle.Frame {
	var best []bundle.Frame
	for _, p := range positions {
		if p.Line > line {
			break
		}
		best = p.Frames
	}
	return best
}
