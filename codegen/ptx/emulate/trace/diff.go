package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Divergence is the first place where two traces of the same work part. Warps are compared each with itself, so that only what
// they do counts and not how they were interleaved.
type Divergence struct {
	Warp   string   // "b0 w1", or "g2 b0 w1" in the second launch
	Before []string // lines of the warp that both have, at most Context, the last of them right before
	A, B   []string // how each goes on, at most Context lines; empty at its end
	LineA  int      // of A[0] in its file, from 1; 0: it ends
	LineB  int
	Others int // further warps that part somewhere
}

// Context is how many lines are shown around a divergence.
const Context = 5

// numbered is a line of a trace with its place in the file.
type numbered struct {
	text string
	line int
}

// stream is what one warp does.
type stream struct {
	warp  string
	lines []numbered
}

// Diff compares two traces. It returns nil where every warp does the same in both.
func Diff(a, b io.Reader) (*Divergence, error) {
	as, err := streams(a)
	if err != nil {
		return nil, err
	}
	bs, err := streams(b)
	if err != nil {
		return nil, err
	}
	other := map[string][]numbered{}
	for _, s := range bs {
		other[s.warp] = s.lines
	}
	var best *Divergence
	seen := map[string]bool{}
	consider := func(warp string, x, y []numbered) {
		d := part(warp, x, y)
		if d == nil {
			return
		}
		switch {
		case best == nil:
			best = d
		case d.earlier(best):
			d.Others, best = best.Others+1, d
		default:
			best.Others++
		}
	}
	for _, s := range as {
		seen[s.warp] = true
		consider(s.warp, s.lines, other[s.warp])
	}
	for _, s := range bs {
		if !seen[s.warp] {
			consider(s.warp, nil, s.lines)
		}
	}
	return best, nil
}

// earlier orders divergences by their place in the first trace; one that only the second has comes last.
func (d *Divergence) earlier(e *Divergence) bool {
	if d.LineA == 0 || e.LineA == 0 {
		return d.LineA != 0 && e.LineA == 0
	}
	return d.LineA < e.LineA
}

// streams splits a trace into what each warp does, in order of appearance. The head of a launch is a stream of its own.
func streams(r io.Reader) ([]*stream, error) {
	var all []*stream
	byName := map[string]*stream{}
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		text := in.Text()
		warp := warpOf(text)
		s := byName[warp]
		if s == nil {
			s = &stream{warp: warp}
			byName[warp] = s
			all = append(all, s)
		}
		s.lines = append(s.lines, numbered{text, n})
	}
	return all, in.Err()
}

// warpOf is the head of a line, up to its warp.
func warpOf(line string) string {
	head, _, _ := strings.Cut(line, " l")
	if head == "" || strings.Contains(head, "launch") {
		return "launches"
	}
	return head
}

// part returns where two streams part, or nil. A wait is no difference by itself: it depends on who else ran before.
func part(warp string, a, b []numbered) *Divergence {
	a, b = withoutWaits(a), withoutWaits(b)
	n := 0
	for n < len(a) && n < len(b) && a[n].text == b[n].text {
		n++
	}
	if n == len(a) && n == len(b) {
		return nil
	}
	d := &Divergence{Warp: warp}
	for _, x := range a[max(0, n-Context):n] {
		d.Before = append(d.Before, x.text)
	}
	d.A, d.LineA = following(a[n:])
	d.B, d.LineB = following(b[n:])
	return d
}

func withoutWaits(list []numbered) []numbered {
	var out []numbered
	for _, x := range list {
		if !strings.HasSuffix(x.text, again) {
			out = append(out, numbered{strings.TrimSuffix(x.text, waits), x.line})
		}
	}
	return out
}

func following(list []numbered) (lines []string, first int) {
	for i, x := range list {
		if i == 0 {
			first = x.line
		}
		if i == Context {
			break
		}
		lines = append(lines, x.text)
	}
	return lines, first
}

// Write prints a divergence for people.
func (d *Divergence) Write(w io.Writer) {
	fmt.Fprintf(w, "%s parts at line %s of the first trace and %s of the second", d.Warp, lineName(d.LineA), lineName(d.LineB))
	if d.Others > 0 {
		fmt.Fprintf(w, "; %d more warps part later", d.Others)
	}
	fmt.Fprintln(w)
	for _, l := range d.Before {
		fmt.Fprintln(w, "   "+l)
	}
	for _, l := range d.A {
		fmt.Fprintln(w, " - "+l)
	}
	for _, l := range d.B {
		fmt.Fprintln(w, " + "+l)
	}
}

func lineName(n int) string {
	if n == 0 {
		return "(its end)"
	}
	return fmt.Sprint(n)
}
