package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// layer is the (n, k) of products of matrices, with its sizes by rows.
type layer struct {
	name string // n×k
	rows []TimedRow
}

// layers groups products, cases named m×n×k, by n and k; none for other operators. One size is no curve.
func (t Timed) layers() []layer {
	var all []layer
	for _, r := range t.Rows {
		_, nk, _ := strings.Cut(r.Name, "×")
		if !strings.Contains(nk, "×") {
			continue
		}
		i := slices.IndexFunc(all, func(l layer) bool { return l.name == nk })
		if i < 0 {
			i, all = len(all), append(all, layer{name: nk})
		}
		all[i].rows = append(all[i].rows, r)
	}
	all = slices.DeleteFunc(all, func(l layer) bool { return len(l.rows) < 2 })
	for _, l := range all {
		slices.SortFunc(l.rows, func(a, b TimedRow) int { return cmp.Compare(sizes(a)[0], sizes(b)[0]) })
	}
	return all
}

const (
	panels      = 3 // side by side
	panelHeight = 190.0
)

// batchChart shows how near every contender comes to the physical limit by the number of rows: a panel for each n×k, rows by
// logarithm from left to right. It is empty for operators that are no products.
func batchChart(t Timed) string {
	all := t.layers()
	if len(all) == 0 {
		return ""
	}
	_, class := peerClasses(t)
	c := &canvas{width: chartWidth, height: panelHeight * float64((len(all)+panels-1)/panels)}
	for i, l := range all {
		c.panel(l, class, chartWidth/panels*float64(i%panels), panelHeight*float64(i/panels))
	}
	return c.image("Fraction of the physical limit by the number of rows, for each n×k, of " + t.Operator)
}

// panel draws one n×k with its left upper corner at (left, top).
func (c *canvas) panel(l layer, class map[string]string, left, top float64) {
	x := scale{from: 1, to: 8192, left: left + 44, right: left + chartWidth/panels - 14, log: true}
	y := scale{from: 0, to: 1, left: top + panelHeight - 24, right: top + 30}
	c.text(x.left, top+18, "start", "name", l.name)
	for _, f := range []float64{0, 0.5, 1} {
		c.line(x.left, y.at(f), x.right, y.at(f), "grid")
		c.text(x.left-6, y.at(f)+4, "end", "tick", fmt.Sprintf("%.0f %%", 100*f))
	}
	for _, m := range []float64{1, 16, 256, 8192} {
		c.line(x.at(m), y.left, x.at(m), y.right, "grid")
		c.text(x.at(m), y.left+14, "middle", "tick", fmt.Sprint(m))
	}
	last := map[string][2]float64{}
	for _, r := range l.rows {
		m := sizes(r)[0]
		for _, o := range r.Timing.Contenders {
			if o.Error != "" {
				continue
			}
			of := class[o.Name]
			if o.Ours {
				of = "ours"
			}
			at := [2]float64{x.at(float64(m)), y.at(o.Fraction)}
			if from, ok := last[o.Name]; ok {
				c.line(from[0], from[1], at[0], at[1], "whisker "+of)
			}
			last[o.Name] = at
			c.mark(at[0], at[1], "fill "+of, fmt.Sprintf("%s, %d rows: %.0f %%, %s µs", o.Name, m, 100*o.Fraction, number(o.MedianUs)))
		}
	}
}
