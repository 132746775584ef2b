package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/evidence"
)

const (
	chartWidth = 860.0
	nameWidth  = 130.0
	rowHeight  = 22.0
	topSpace   = 26.0
	valueWidth = 170.0
)

// rows prepares a chart with one row a case: names at the left, room for words at the right.
func rows(n int) *canvas {
	return &canvas{width: chartWidth, height: topSpace + float64(n)*rowHeight + 8}
}

// middle is the height of the middle of a row.
func middle(row int) float64 { return topSpace + (float64(row)+0.5)*rowHeight }

// axis draws ticks with their labels over the rows.
func (c *canvas) axis(s scale, ticks []float64, label func(float64) string) {
	for _, t := range ticks {
		c.line(s.at(t), topSpace, s.at(t), c.height-8, "grid")
		c.text(s.at(t), topSpace-8, "middle", "tick", label(t))
	}
}

// fractionChart shows how near each case comes to the physical limit, and how near a plain copy by the driver does.
func fractionChart(t Timed) string {
	c := rows(len(t.Rows))
	s := scale{from: 0, to: 1, left: nameWidth, right: chartWidth - valueWidth}
	c.axis(s, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) })
	for i, r := range t.Rows {
		y := middle(i)
		c.text(nameWidth-10, y+4, "end", "name", r.Name)
		c.rect(s.left, y-7, s.at(r.Ours.Fraction)-s.left, 14, "fill ours")
		for _, o := range r.Others {
			if o.Provider == "CUDA driver" && o.Error == "" {
				x := s.at(o.Fraction)
				c.line(x, y-9, x, y+9, "copy")
			}
		}
		c.text(s.right+12, y+4, "start", "value", fmt.Sprintf("%.0f %%, %s µs", 100*r.Ours.Fraction, number(r.Ours.MedianUs)))
	}
	return c.image("Fraction of the physical limit for each size of " + t.Operator)
}

// spreadChart shows every sample of ours as its distance from the median, one colour an order.
func spreadChart(t Timed) string {
	const limit = 5.0 // per cent at the ends; samples beyond are drawn there
	c := rows(len(t.Rows))
	s := scale{from: -limit, to: limit, left: nameWidth, right: chartWidth - valueWidth}
	c.axis(s, []float64{-5, -2, -1, 0, 1, 2, 5}, func(v float64) string { return strings.Replace(fmt.Sprintf("%+.0f %%", v), "+0", "0", 1) })
	for i, r := range t.Rows {
		y := middle(i)
		c.text(nameWidth-10, y+4, "end", "name", r.Name)
		for order, round := range r.samples[r.Ours.Name] {
			x := make([]float64, len(round))
			for j, us := range round {
				x[j] = s.at(100 * (us/r.Ours.MedianUs - 1))
			}
			c.dots(x, y-4+8*float64(order%2), "order"+fmt.Sprint(order%2))
		}
		c.text(s.right+12, y+4, "start", "value", fmt.Sprintf("%s µs [%s, %s]", number(r.Ours.MedianUs), digits4(r.Ours.LowUs), digits4(r.Ours.HighUs)))
	}
	return c.image("Distribution of the samples of " + t.Operator + " around their medians")
}

func digits4(x float64) string { return fmt.Sprintf("%.4g", x) }

// peerClasses gives every other contender a colour, in the order of their names.
func peerClasses(t Timed) (names []string, class map[string]string) {
	class = map[string]string{}
	for _, r := range t.Rows {
		for _, o := range r.Others {
			names = addNew(names, o.Name)
		}
	}
	slices.Sort(names)
	for i, n := range names {
		class[n] = fmt.Sprintf("peer%d", i%6)
	}
	return names, class
}

// ratioChart shows the time of every other contender as a multiple of ours, with its 95 % interval, by logarithm.
func ratioChart(t Timed) string {
	high := 2.0
	for _, r := range t.Rows {
		for _, bound := range r.ratioBound {
			high = max(high, bound[1])
		}
	}
	_, class := peerClasses(t)
	c := rows(len(t.Rows))
	s := scale{from: 0.7, to: min(high, 40) * 1.05, left: nameWidth, right: chartWidth - valueWidth, log: true}
	ticks := slices.DeleteFunc([]float64{0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 40}, func(v float64) bool { return v > s.to || s.to > 6 && (v == 0.8 || v == 0.9 || v == 1.2) })
	c.axis(s, ticks, func(v float64) string { return fmt.Sprintf("%g×", v) })
	c.line(s.at(1), topSpace-4, s.at(1), c.height-8, "one")
	for i, r := range t.Rows {
		y := middle(i)
		c.text(nameWidth-10, y+4, "end", "name", r.Name)
		for _, o := range r.Others {
			bound, ok := r.ratioBound[o.Name]
			if !ok {
				continue
			}
			at := o.MedianUs / r.Ours.MedianUs
			c.line(s.at(bound[0]), y, s.at(bound[1]), y, "whisker "+class[o.Name])
			c.mark(s.at(at), y, "fill "+class[o.Name], fmt.Sprintf("%s: %s µs, %.2f× ours [%.2f, %.2f]", o.Name, number(o.MedianUs), at, bound[0], bound[1]))
		}
		c.text(s.right+12, y+4, "start", "value", verdict(r))
	}
	return c.image("Times of other implementations as multiples of ours for " + t.Operator)
}

// verdict says in a few words how ours did against the best other.
func verdict(r TimedRow) string {
	best := r.best()
	switch {
	case r.Timing.Refused != "":
		return "no ranking"
	case best == nil || r.Ours.Error != "":
		return ""
	}
	for _, group := range r.Timing.Ranking {
		if slices.Contains(group, r.Ours.Name) && slices.Contains(group, best.Name) {
			return "level with the best"
		}
	}
	if gain := 100 * (1 - r.Ours.MedianUs/best.MedianUs); gain >= 0 {
		return fmt.Sprintf("%.0f %% less than the best", gain)
	} else {
		return fmt.Sprintf("%.0f %% more than the best", -gain)
	}
}

// latencyChart shows all contenders' medians by logarithm of time, with the limit as a mark.
func latencyChart(t Timed) string {
	low, high := math.Inf(1), 0.0
	for _, r := range t.Rows {
		for _, c := range r.Timing.Contenders {
			if c.Error == "" {
				low, high = min(low, c.MedianUs), max(high, c.MedianUs)
			}
		}
	}
	_, class := peerClasses(t)
	c := rows(len(t.Rows))
	s := scale{from: low / 1.2, to: high * 1.2, left: nameWidth, right: chartWidth - valueWidth, log: true}
	var ticks []float64
	for decade := 0.1; decade <= 1e5; decade *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if v := decade * m; v >= s.from && v <= s.to {
				ticks = append(ticks, v)
			}
		}
	}
	c.axis(s, ticks, func(v float64) string { return fmt.Sprintf("%g µs", math.Round(v*100)/100) })
	for i, r := range t.Rows {
		y := middle(i)
		c.text(nameWidth-10, y+4, "end", "name", r.Name)
		if l := r.Timing.Limit; l != nil && l.Us >= s.from {
			c.line(s.at(l.Us), y-9, s.at(l.Us), y+9, "limit")
		}
		for _, o := range r.Others {
			if o.Error == "" {
				c.mark(s.at(o.MedianUs), y, "fill "+class[o.Name], fmt.Sprintf("%s: %s µs", o.Name, number(o.MedianUs)))
			}
		}
		c.mark(s.at(r.Ours.MedianUs), y, "fill ours", fmt.Sprintf("%s: %s µs", r.Ours.Name, number(r.Ours.MedianUs)))
		c.text(s.right+12, y+4, "start", "value", best(r))
	}
	return c.image("Medians of all contenders for " + t.Operator)
}

func best(r TimedRow) string {
	o := r.best()
	if o == nil {
		return number(r.Ours.MedianUs) + " µs"
	}
	return fmt.Sprintf("%s, best other %s µs", number(r.Ours.MedianUs), number(o.MedianUs))
}

// failures lists the contenders of a table that have no time, each once with its reason.
func failures(t Timed) []string {
	var all []string
	for _, r := range t.Rows {
		for _, c := range r.Timing.Contenders {
			if c.Error != "" {
				all = addNew(all, c.Name+": "+strings.TrimSpace(c.Error))
			}
		}
	}
	return all
}

// providers lists who the contenders are, with versions.
func providers(t Timed) []string {
	var all []string
	for _, r := range t.Rows {
		for _, c := range r.Timing.Contenders {
			if c.Error == "" {
				all = addNew(all, describe(c))
			}
		}
	}
	return all
}

func describe(c evidence.Contender) string {
	v := c.Version
	if len(v) == 40 && !strings.Contains(v, ".") {
		v = v[:12]
	}
	return fmt.Sprintf("%s: %s %s (%s)", c.Name, c.Provider, c.Algorithm, v)
}
