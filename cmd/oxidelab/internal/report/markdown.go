package report

import (
	"fmt"
	"strings"
)

// Markdown renders the report's tables.
func (r *Report) Markdown() []byte {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	say("# Evidence\n\n%d records, %d of them stale, from %s. Commits: %s.\n", len(r.Records), r.StaleCount(), strings.Join(r.Devices, "; "), shortAll(r.Commits))
	say("\n## Levels\n\n| level | operator | on | passed | failed | not run | kernels | max ulp |\n|---|---|---|---|---|---|---|---|\n")
	for _, l := range r.Levels {
		say("| %s | %s | %s | %d | %d | %d | %d | %.3g |\n", l.Level, l.Operator, cell(l.Devices), l.Passed, l.Failed, l.NotRun, l.Kernels, l.MaxULP)
	}
	if len(r.Gaps) > 0 {
		say("\n## Not passed\n\n| status | level | operator | case | why |\n|---|---|---|---|---|\n")
		for _, g := range r.Gaps {
			say("| %s | %s | %s | %s | %s |\n", g.Status, g.Level, g.Operator, cell(g.Name), cell(g.Reason))
		}
	}
	for _, t := range r.Timed {
		title := "Times of " + t.Operator
		if t.Peers {
			title += " against peers"
		}
		say("\n## %s on %s\n\n| size | contender | median µs | 95 %% interval | drift | of the limit | ranking |\n|---|---|---|---|---|---|---|\n", title, t.Device)
		markdownTimes(say, t)
	}
	if len(r.Hosts) > 0 {
		say("\n## Host cost of an eager call\n\n| operator | size | from | median µs | 95 %% interval | drift |\n|---|---|---|---|---|---|\n")
		for _, t := range r.Hosts {
			for _, row := range t.Rows {
				for _, c := range row.timed() {
					say("| %s | %s | %s | %.4g | %.4g to %.4g | %.1f %% |\n", t.Operator, row.Name, t.caller(c), c.MedianUs, c.LowUs, c.HighUs, 100*c.Drift)
				}
			}
		}
	}
	say("\n## Claims\n")
	for _, c := range r.Claims {
		say("\n### %s\n\n", c.Level)
		for _, s := range c.Claims {
			say("- %s\n", s)
		}
		for _, s := range c.Excludes {
			say("- Not: %s\n", s)
		}
	}
	return []byte(b.String())
}

func markdownTimes(say func(string, ...any), t Timed) {
	for _, row := range t.Rows {
		for i, c := range row.Timing.Contenders {
			name, order := "", ""
			if i == 0 {
				name, order = row.Name, cell(ranking(row))
			}
			if c.Error != "" {
				say("| %s | %s | %s | | | | %s |\n", name, c.Name, cell(c.Error), order)
				continue
			}
			say("| %s | %s | %.4g | %.4g to %.4g | %.1f %% | %.1f %% | %s |\n", name, c.Name, c.MedianUs, c.LowUs, c.HighUs, 100*c.Drift, 100*c.Fraction, order)
		}
	}
}

// cell keeps a text inside its cell.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "|", "\\|")
}

func shortAll(commits []string) string {
	var all []string
	for _, c := range commits {
		all = append(all, short(c))
	}
	return strings.Join(all, ", ")
}
