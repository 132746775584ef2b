package linemap

import (
	"fmt"
	"path"
	"sort"
	"strconv"
	"strings"
)

// Frame is one place in Go source. File is import path and file name, without a version.
type Frame struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Func string `json:"func,omitempty"`
}

// Package is the import path.
func (f Frame) Package() string { return path.Dir(f.File) }

func (f Frame) String() string { return f.File + ":" + strconv.Itoa(f.Line) }

// Position says which Go code made a PTX line: the innermost frame first, then the helpers' callers.
type Position struct {
	Line   int     `json:"line"`
	Frames []Frame `json:"frames"`
}

// Map finds Go lines of PTX lines.
type Map struct {
	places []place
	runs   []run
}

type place struct {
	frame  Frame
	caller int // -1: none
}

type run struct{ line, place int } // place -1: none

// New makes a map of positions in ascending order of their PTX lines. Lines between two positions, such as labels,
// belong to the one before them.
func New(positions []Position) *Map {
	m := &Map{}
	known := map[place]int{}
	last := -1
	for _, p := range positions {
		at := -1
		for i := len(p.Frames) - 1; i >= 0; i-- {
			next := place{p.Frames[i], at}
			n, ok := known[next]
			if !ok {
				n = len(m.places)
				known[next] = n
				m.places = append(m.places, next)
			}
			at = n
		}
		if at != last {
			m.runs = append(m.runs, run{p.Line, at})
			last = at
		}
	}
	return m
}

// Frames returns the Go frames of a PTX line, the innermost first; nil where none is known.
func (m *Map) Frames(line int) []Frame {
	i := sort.Search(len(m.runs), func(i int) bool { return m.runs[i].line > line }) - 1
	if i < 0 {
		return nil
	}
	var frames []Frame
	for at := m.runs[i].place; at >= 0; at = m.places[at].caller {
		frames = append(frames, m.places[at].frame)
	}
	return frames
}

// Encode writes the file's text.
func (m *Map) Encode() []byte {
	var b strings.Builder
	files := map[string]int{}
	for _, p := range m.places {
		if _, ok := files[p.frame.File]; !ok {
			files[p.frame.File] = len(files)
			fmt.Fprintf(&b, "file %s\n", p.frame.File)
		}
	}
	for _, p := range m.places {
		fmt.Fprintf(&b, "at %d %d %s %s\n", files[p.frame.File], p.frame.Line, reference(p.caller), p.frame.Func)
	}
	for _, r := range m.runs {
		fmt.Fprintf(&b, "%d %s\n", r.line, reference(r.place))
	}
	return []byte(b.String())
}

func reference(n int) string {
	if n < 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// Decode reads a file's text. References lead backwards only, so that no text makes an endless chain.
func Decode(text []byte) (*Map, error) {
	m := &Map{}
	var files []string
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if err := m.decodeLine(strings.TrimRight(line, "\n"), &files); err != nil {
			return nil, fmt.Errorf("map line %d: %w", n, err)
		}
	}
	return m, nil
}

func (m *Map) decodeLine(line string, files *[]string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "file":
		*files = append(*files, rest)
		return nil
	case "at":
		return m.decodePlace(rest, *files)
	}
	start, err := strconv.Atoi(word)
	if err != nil {
		return fmt.Errorf("%q is no PTX line", word)
	}
	if k := len(m.runs); k > 0 && m.runs[k-1].line >= start {
		return fmt.Errorf("PTX line %d after %d", start, m.runs[k-1].line)
	}
	at, err := m.dereference(rest)
	m.runs = append(m.runs, run{start, at})
	return err
}

func (m *Map) decodePlace(rest string, files []string) error {
	fields := strings.SplitN(rest, " ", 4)
	if len(fields) != 4 {
		return fmt.Errorf("a place has four fields: %q", rest)
	}
	file, err := strconv.Atoi(fields[0])
	if err != nil || file < 0 || file >= len(files) {
		return fmt.Errorf("no file %s", fields[0])
	}
	line, err := strconv.Atoi(fields[1])
	if err != nil {
		return fmt.Errorf("%q is no Go line", fields[1])
	}
	caller, err := m.dereference(fields[2])
	m.places = append(m.places, place{Frame{File: files[file], Line: line, Func: fields[3]}, caller})
	return err
}

func (m *Map) dereference(s string) (int, error) {
	if s == "-" {
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n >= len(m.places) {
		return -1, fmt.Errorf("no place %q", s)
	}
	return n, nil
}
