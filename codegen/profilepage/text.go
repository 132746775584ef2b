package profilepage

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
)

// column is one count of a line. A column that is zero everywhere is left out.
type column struct {
	Name string
	Help string
	of   func(c *profile.Counts) float64
}

func count(f func(c *profile.Counts) uint64) func(*profile.Counts) float64 {
	return func(c *profile.Counts) float64 { return float64(f(c)) }
}

var columns = []column{
	{"warps", "warp instructions", count(func(c *profile.Counts) uint64 { return c.Warp })},
	{"threads", "thread instructions: lanes whose guard held", count(func(c *profile.Counts) uint64 { return c.Thread })},
	{"sectors", "32-byte sectors of global memory in all requests", count(func(c *profile.Counts) uint64 { return sectors(c) })},
	{"L2toSM", "bytes from L2 to the SM", count(func(c *profile.Counts) uint64 { return c.L2ToSM })},
	{"SMtoL2", "bytes from the SM to L2", count(func(c *profile.Counts) uint64 { return c.SMToL2 })},
	{"phases", "phases of the banks of shared memory", count(func(c *profile.Counts) uint64 { return c.SharedLoad.Phases + c.SharedStore.Phases })},
	{"confl", "phases that bank conflicts cost", count(func(c *profile.Counts) uint64 { return c.SharedLoad.Conflicts() + c.SharedStore.Conflicts() })},
	{"mma", "matrix instructions: mma of a warp, wgmma of a warpgroup", count(func(c *profile.Counts) uint64 { return c.Matrix })},
	{"copies", "asynchronous copies", count(func(c *profile.Counts) uint64 { return c.Copies })},
	{"bars", "CTA and cluster barriers that a warp came to", count(func(c *profile.Counts) uint64 { return c.Barriers })},
	{"waits", "waits for mbarriers and for groups of asynchronous operations", count(func(c *profile.Counts) uint64 { return c.Waits })},
	{"local", "requests to local memory", count(func(c *profile.Counts) uint64 { return c.Local })},
}

func sectors(c *profile.Counts) uint64 { return c.Load.Sectors + c.Store.Sectors + c.Atomic.Sectors }

// used picks the columns that have something to say.
func (p *Page) used() []column {
	var some []column
	for _, c := range columns {
		if c.of(&p.Profile.Total) != 0 {
			some = append(some, c)
		}
	}
	return some
}

// perBlock is the mean of a block.
func (p *Page) perBlock(n float64) string { return figure(n / float64(p.Profile.Blocks)) }

// figure writes a number in at most six characters where it can.
func figure(x float64) string {
	switch {
	case x == 0:
		return ""
	case x >= 999.5e6:
		return fmt.Sprintf("%.2fG", x/1e9)
	case x >= 999.5e3:
		return fmt.Sprintf("%.2fM", x/1e6)
	case x >= 99999.5:
		return fmt.Sprintf("%.1fk", x/1e3)
	case x >= 99.5 || x == float64(int64(x)):
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// efficiency is the share of the bytes of global sectors that a line asked for, in percent.
func efficiency(c *profile.Counts) string {
	all := profile.Memory{Sectors: sectors(c), Bytes: c.Load.Bytes + c.Store.Bytes + c.Atomic.Bytes}
	if all.Sectors == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", 100*all.Efficiency())
}

// Write prints the page as text.
func (p *Page) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, p.Kernel)
	for _, f := range p.facts() {
		fmt.Fprintf(out, "  %-10s %s\n", f.Name, f.Text)
	}
	fmt.Fprintf(out, "\nA block, in the mean of those that ran:\n")
	used := p.used()
	for _, c := range used {
		fmt.Fprintf(out, "%8s", c.Name)
		if c.Name == "sectors" {
			fmt.Fprintf(out, "%5s", "eff%")
		}
	}
	fmt.Fprintln(out)
	file := ""
	for i := range p.Lines {
		l := &p.Lines[i]
		if i == 0 || l.File != file {
			file = l.File
			fmt.Fprintf(out, "%s\n", named(file))
		}
		p.writeRow(out, used, &l.Counts, numbered(l))
	}
	p.writeRow(out, used, &p.Profile.Total, "        all lines")
	return out.Flush()
}

func named(file string) string {
	if file == "" {
		return "(parameters, and what no Go line is known for)"
	}
	return file
}

func numbered(l *Line) string {
	if l.Number == 0 {
		return ""
	}
	return fmt.Sprintf("%6d  %s", l.Number, l.Text)
}

func (p *Page) writeRow(out io.Writer, used []column, c *profile.Counts, text string) {
	for _, col := range used {
		fmt.Fprintf(out, "%8s", p.perBlock(col.of(c)))
		if col.Name == "sectors" {
			fmt.Fprintf(out, "%5s", efficiency(c))
		}
	}
	fmt.Fprintln(out, strings.TrimRight(text, " "))
}

// fact is a line at the top.
type fact struct{ Name, Text string }

func (p *Page) facts() []fact {
	f, e, t := p.Profile, p.Estimate, &p.Profile.Total
	list := []fact{
		{"launch", fmt.Sprintf("grid %s, block %s%s; %d of %d blocks ran", dims(f.Grid), dims(f.Block), cluster(f.Cluster), f.Blocks, f.GridBlocks())},
		{"estimate", fmt.Sprintf("%s on an %s: launch %s, chain of one block %s, %s %s", us(e.Seconds), p.Machine, us(e.Launch), us(e.Ramp), cmp.Or(e.By, "no limit"), us(e.Steady))},
		{"limits", limits(e.Limits)},
		{"registers", fmt.Sprintf("%d a thread; spills %d B stored, %d B loaded; stack %d B", p.Resources.Registers, p.Resources.SpillStoreBytes, p.Resources.SpillLoadBytes, p.Resources.StackBytes)},
		{"shared", fmt.Sprintf("%d B a block", p.Resources.StaticSharedBytes+f.Dynamic)},
		{"occupancy", fmt.Sprintf("%s; %.2f waves", p.Occupancy, e.Waves)},
		{"memory", fmt.Sprintf("%s read and %s written by the grid; a block reads %s, of them %s shared by all", size(f.Footprint.Read.Grid), size(f.Footprint.Write.Grid), size(f.Footprint.Read.Block), size(f.Footprint.Read.Shared))},
		{"coalescing", fmt.Sprintf("loads %.0f %%, stores %.0f %% of the bytes of their sectors; L2 to SMs %s in all", 100*t.Load.Efficiency(), 100*t.Store.Efficiency(), size(float64(t.L2ToSM)*f.Scale()))},
		{"code", fmt.Sprintf("%s warp instructions a block, %.1f of 32 lanes at work", p.perBlock(float64(t.Warp)), float64(t.Thread)/float64(max(1, t.Warp)))},
	}
	if n := t.SharedLoad.Phases + t.SharedStore.Phases; n > 0 {
		lost := t.SharedLoad.Conflicts() + t.SharedStore.Conflicts()
		list = append(list, fact{"banks", fmt.Sprintf("%s phases a block, %.0f %% of them for conflicts", p.perBlock(float64(n)), 100*float64(lost)/float64(n))})
	}
	if t.Matrix > 0 {
		list = append(list, fact{"matrix", fmt.Sprintf("%s instructions a block, %s operations of the grid", p.perBlock(float64(t.Matrix)), figure(float64(t.MatrixFlop)*f.Scale()))})
	}
	return list
}

func dims(v [3]uint32) string { return fmt.Sprintf("%d×%d×%d", v[0], v[1], v[2]) }

func cluster(v [3]uint32) string {
	if v[0]*v[1]*v[2] <= 1 {
		return ""
	}
	return ", cluster " + dims(v)
}

func us(s float64) string { return fmt.Sprintf("%.2f µs", s*1e6) }

// limits names those that come to at least a tenth of the largest.
func limits(all []profile.Term) string {
	most := 0.0
	for _, l := range all {
		most = max(most, l.Seconds)
	}
	var parts []string
	for _, l := range all {
		if l.Seconds > 0 && l.Seconds >= most/10 {
			parts = append(parts, l.Name+" "+us(l.Seconds))
		}
	}
	return strings.Join(parts, ", ")
}

func size(b float64) string {
	switch {
	case b >= 1e9:
		return fmt.Sprintf("%.2f GB", b/1e9)
	case b >= 1e6:
		return fmt.Sprintf("%.2f MB", b/1e6)
	case b >= 1e3:
		return fmt.Sprintf("%.1f KB", b/1e3)
	}
	return fmt.Sprintf("%.0f B", b)
}
