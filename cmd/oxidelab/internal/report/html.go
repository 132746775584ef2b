package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/oxideinfer/oxide/evidence"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"seq": func(n int) []int {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	},
	"short":   short,
	"ulp":     func(x float64) string { return fmt.Sprintf("%.3g", x) },
	"figure":  func(x float64) string { return fmt.Sprintf("%.4g", x) },
	"percent": func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) },
	"ranking": ranking,
	"caller":  Timed.caller,
	"timed":   func(r TimedRow) []evidence.Contender { return r.timed() },
	"classes": func(t Timed) map[string]string { _, class := peerClasses(t); return class },
	"swatch":  swatch,
	// The charts escape what they write; their classes and numbers are this package's.
	"ratioChart":    func(t Timed) template.HTML { return template.HTML(ratioChart(t)) },
	"latencyChart":  func(t Timed) template.HTML { return template.HTML(latencyChart(t)) },
	"fractionChart": func(t Timed) template.HTML { return template.HTML(fractionChart(t)) },
	"spreadChart":   func(t Timed) template.HTML { return template.HTML(spreadChart(t)) },
	"batchChart":    func(t Timed) template.HTML { return template.HTML(batchChart(t)) },
	"providers":     providers,
	"failures":      failures,
}).Parse(pageText))

// HTML renders the whole report as one page.
func (r *Report) HTML() ([]byte, error) {
	var b bytes.Buffer
	if err := page.Execute(&b, r); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// swatch is the sign of a series in a key.
func swatch(class string) template.HTML {
	shape := `<circle cx="6" cy="6" r="5" class="fill ` + class + `"/>`
	switch class {
	case "copy":
		shape = `<path d="M6 0L6 12" class="copy"/>`
	case "order0", "order1":
		shape = `<path d="M6 6h0" class="dots ` + class + `" style="stroke-width:9;stroke-opacity:.8"/>`
	}
	return template.HTML(`<svg viewBox="0 0 12 12" aria-hidden="true">` + shape + `</svg>`)
}

func short(commit string) string { return commit[:min(len(commit), 12)] }

// ranking is the ranking of a row in words.
func ranking(r TimedRow) string {
	if r.Timing.Refused != "" {
		return "none: " + r.Timing.Refused
	}
	var groups []string
	for _, g := range r.Timing.Ranking {
		groups = append(groups, strings.Join(g, " = "))
	}
	return strings.Join(groups, " < ")
}

// Compared are the tables that were measured beside peers, Alone the others.
func (r *Report) Compared() []Timed { return r.tables(true) }

// Alone are the tables of our own measurements.
func (r *Report) Alone() []Timed { return r.tables(false) }

func (r *Report) tables(peers bool) []Timed {
	var all []Timed
	for _, t := range r.Timed {
		if t.Peers == peers {
			all = append(all, t)
		}
	}
	return all
}

// StaleCount is the number of stale records.
func (r *Report) StaleCount() int {
	n := 0
	for _, e := range r.Records {
		if len(e.Stale) > 0 {
			n++
		}
	}
	return n
}
