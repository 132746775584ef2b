package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// canvas collects the elements of one SVG image. Colours and sizes of text come from the page's style, by class.
type canvas struct {
	b             strings.Builder
	width, height float64
}

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

// text places words; anchor is start, middle or end.
func (c *canvas) text(x, y float64, anchor, class, words string) {
	c.add(`<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, html.EscapeString(words))
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	c.add(`<path d="M%.1f %.1fL%.1f %.1f" class="%s"/>`, x1, y1, x2, y2, class)
}

func (c *canvas) rect(x, y, w, h float64, class string) {
	c.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="%s"/>`, x, y, max(w, 0), h, class)
}

// dots draws many small marks as one path.
func (c *canvas) dots(x []float64, y float64, class string) {
	if len(x) == 0 {
		return
	}
	c.add(`<path class="dots %s" d="`, class)
	for _, at := range x {
		c.add("M%.1f %.1fh0", at, y)
	}
	c.add(`"/>`)
}

func (c *canvas) mark(x, y float64, class, title string) {
	c.add(`<circle cx="%.1f" cy="%.1f" r="4" class="%s"><title>%s</title></circle>`, x, y, class, html.EscapeString(title))
}

// image closes the canvas. label says in words what it shows.
func (c *canvas) image(label string) string {
	return fmt.Sprintf(`<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">%s</svg>`, c.width, c.height, html.EscapeString(label), c.b.String())
}

// scale maps values to x positions, linearly or by logarithm.
type scale struct {
	from, to    float64 // values
	left, right float64 // positions
	log         bool
}

func (s scale) at(v float64) float64 {
	from, to := s.from, s.to
	if s.log {
		from, to, v = math.Log(from), math.Log(to), math.Log(v)
	}
	return s.left + (min(max((v-from)/(to-from), 0), 1))*(s.right-s.left)
}

// number is a figure as a reader wants it: three digits.
func number(x float64) string {
	switch {
	case x == 0:
		return "0"
	case math.Abs(x) >= 100:
		return fmt.Sprintf("%.0f", x)
	case math.Abs(x) >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
