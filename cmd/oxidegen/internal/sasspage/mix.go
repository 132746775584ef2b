package sasspage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/codegen/cubin"
)

// counts is what the top of the page says about the code.
type counts struct {
	spills, local         int
	wgmma, arrives, waits int
	opcodes               map[string]int
}

func count(list []cubin.Instruction) counts {
	c := counts{opcodes: map[string]int{}}
	for _, in := range list {
		opcode := in.Opcode()
		c.opcodes[opcode]++
		switch {
		case in.Spill():
			c.spills++
		case in.Local():
			c.local++
		case strings.HasSuffix(opcode, "GMMA"): // HGMMA, IGMMA, QGMMA, BGMMA
			c.wgmma++
		case strings.Contains(in.Text, "WARPGROUP.ARRIVE"):
			c.arrives++
		case strings.Contains(in.Text, "WARPGROUP.DEPBAR"):
			c.waits++
		}
	}
	return c
}

// mix names the most frequent opcodes; the padding after the last branch is no code.
func (c counts) mix() string {
	var names []string
	for name := range c.opcodes {
		if name != "NOP" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := c.opcodes[b] - c.opcodes[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names[:min(8, len(names))] {
		parts = append(parts, fmt.Sprintf("%d %s", c.opcodes[name], name))
	}
	return strings.Join(parts, ", ")
}
