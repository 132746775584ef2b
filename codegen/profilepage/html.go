package profilepage

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate/profile"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"us": us, "named": named,
	"share": func(part, whole float64) string {
		if whole == 0 {
			return "0"
		}
		return fmt.Sprintf("%.2f", 100*part/whole)
	},
}).Parse(pageText))

// Show prints pages as text or as JSON, and writes the HTML page to a file where one is named.
func Show(w io.Writer, pages []*Page, htmlFile string, asJSON bool) error {
	if htmlFile != "" {
		var b bytes.Buffer
		if err := HTML(&b, pages); err != nil {
			return err
		}
		if err := os.WriteFile(htmlFile, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if asJSON {
		return JSON(w, pages)
	}
	for i, p := range pages {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := p.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// HTML writes pages as one document that needs nothing else.
func HTML(w io.Writer, pages []*Page) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, pages); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// JSON writes pages as one array.
func JSON(w io.Writer, pages []*Page) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(pages)
}

// What the template asks for.

// Facts are the lines at the top.
func (p *Page) Facts() []fact { return p.facts() }

// Columns are those that have something to say.
func (p *Page) Columns() []column { return p.used() }

// cell is one count of a line: its text, and its part of the largest of its column as an opacity in percent, at which text
// stays readable.
type cell struct {
	Text  string
	Share float64
}

const mostOpaque = 45

// Cells are the counts of a line in the order of Columns.
func (p *Page) Cells(c profile.Counts) []cell {
	var all []cell
	for _, col := range p.used() {
		most := 0.0
		for i := range p.Lines {
			most = max(most, col.of(&p.Lines[i].Counts))
		}
		n := col.of(&c)
		x := cell{Text: p.perBlock(n)}
		if most > 0 {
			x.Share = mostOpaque * min(1, n/most)
		}
		all = append(all, x)
	}
	return all
}

// Coalescing of a line, in percent.
func (p *Page) Coalescing(c profile.Counts) string { return efficiency(&c) }

// Bars are the limits of the estimate that are not nothing.
func (p *Page) Bars() []profile.Term {
	var some []profile.Term
	for _, l := range p.Estimate.Limits {
		if l.Seconds >= p.Estimate.Steady/100 && l.Seconds > 0 {
			some = append(some, l)
		}
	}
	return some
}

// NewFile reports whether a line is the first of its file.
func (p *Page) NewFile(i int) bool { return i == 0 || p.Lines[i].File != p.Lines[i-1].File }

// Gap reports whether lines are missing in front of a line.
func (p *Page) Gap(i int) bool { return !p.NewFile(i) && p.Lines[i].Number > p.Lines[i-1].Number+1 }
