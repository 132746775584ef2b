package profilepage

import (
	"cmp"
	"slices"

	"github.com/oxideinfer/oxide/codegen/cubin"
	"github.com/oxideinfer/oxide/codegen/linemap"
	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
)

// Kernel is what the page has to know besides the profile.
type Kernel struct {
	Name      string // of the kernel, as messages name it
	Package   string // import path of its declaration
	Target    string
	Resources cubin.Resources
	Lines     *linemap.Map // from lines of the PTX to Go lines
}

// Page is one launch, ready to be shown.
type Page struct {
	Kernel    string           `json:"kernel"`
	Machine   string           `json:"machine"` // of the estimate
	Resources cubin.Resources  `json:"resources"`
	Occupancy cubin.Occupancy  `json:"occupancy"`
	Estimate  profile.Estimate `json:"estimate"`
	Profile   *profile.Profile `json:"profile"`
	Lines     []Line           `json:"lines"` // by file and line
}

// Line is one line of Go source and what it did in all blocks that ran.
type Line struct {
	File   string         `json:"file"` // import path and file name; "" where the map names none
	Number int            `json:"line"`
	Func   string         `json:"func,omitempty"`
	Text   string         `json:"text,omitempty"` // where the source is at hand
	Counts profile.Counts `json:"counts"`
	PTX    []profile.Line `json:"ptx"` // what it became, in the order of the text
}

// New makes a page. Occupancy follows from the resources and the launch.
func New(k Kernel, p *profile.Profile, m profile.Machine, c profile.Conditions) (*Page, error) {
	shared := k.Resources.StaticSharedBytes + p.Dynamic
	o, err := cubin.Occupy(k.Target, k.Resources.Registers, p.Threads(), shared)
	if err != nil {
		return nil, err
	}
	page := &Page{Kernel: k.Name, Machine: m.Name, Resources: k.Resources, Occupancy: o, Profile: p,
		Estimate: p.Estimate(m, o.Blocks, c)}
	page.fold(k)
	return page, nil
}

// fold gathers lines of the PTX by the Go line that they count at.
func (p *Page) fold(k Kernel) {
	type place struct {
		file string
		line int
	}
	byPlace := map[place]*Line{}
	for i := range p.Profile.Lines {
		l := &p.Profile.Lines[i]
		frame := linemap.Frame{}
		if k.Lines != nil {
			frame = own(k.Lines.Frames(l.Line), k.Package)
		}
		at := place{frame.File, frame.Line}
		line := byPlace[at]
		if line == nil {
			line = &Line{File: frame.File, Number: frame.Line, Func: frame.Func}
			byPlace[at] = line
		}
		line.Counts.Add(&l.Counts)
		line.PTX = append(line.PTX, *l)
	}
	for _, l := range byPlace {
		p.Lines = append(p.Lines, *l)
	}
	slices.SortFunc(p.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Number, b.Number))
	})
}

// own picks the innermost frame in a package, or the outermost frame where none is.
func own(frames []linemap.Frame, pkg string) linemap.Frame {
	for _, f := range frames {
		if f.Package() == pkg {
			return f
		}
	}
	if len(frames) == 0 {
		return linemap.Frame{}
	}
	return frames[len(frames)-1]
}

// Files lists the source files that lines name.
func (p *Page) Files() []string {
	var all []string
	for _, l := range p.Lines {
		if l.File != "" && !slices.Contains(all, l.File) {
			all = append(all, l.File)
		}
	}
	return all
}
