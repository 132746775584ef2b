package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// sanitizeTable prints what a run of ptx sanitize found as a Markdown table, a line for each fault and one that counts.
func (l *lab) sanitizeTable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	var list []sanitized
	for d := json.NewDecoder(f); ; {
		var r sanitized
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if len(r.Runs) != len(sanitizerTools) {
			return fmt.Errorf("%s: %s has %d runs, not %d", path, r.Case, len(r.Runs), len(sanitizerTools))
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b sanitized) int { return strings.Compare(a.Case, b.Case) })
	fmt.Fprintln(l.out, "| fault | ours | memcheck | racecheck | synccheck | initcheck | alone |\n| --- | --- | --- | --- | --- | --- | --- |")
	ours, byAny, caught := 0, 0, make([]int, len(sanitizerTools))
	for _, r := range list {
		if r.found() {
			ours++
		}
		if slices.ContainsFunc(r.Runs, func(t toolRun) bool { return t.Errors > 0 }) {
			byAny++
		}
		cells := []string{r.Case + ": " + r.About, strings.Join(r.Ours, ", ")}
		for i := 1; i < len(r.Runs); i++ {
			if r.Runs[i].Errors > 0 {
				caught[i]++
			}
			cells = append(cells, r.Runs[i].cell())
		}
		fmt.Fprintf(l.out, "| %s | %s |\n", strings.Join(cells, " | "), r.Runs[0].end())
	}
	fmt.Fprintf(l.out, "| **caught of %d** | **%d** | **%d** | **%d** | **%d** | **%d** | |\n", len(list), ours, caught[1], caught[2], caught[3], caught[4])
	fmt.Fprintf(l.out, "\nA checker of ours sees %d of %d faults, the four tools together %d.\n", ours, len(list), byAny)
	return nil
}

// found reports whether a checker of the emulator saw the fault.
func (r *sanitized) found() bool { return len(r.Ours) > 0 && !slices.Contains(r.Ours, wrongNumbers) }

// cell is what a tool said, or how a run ended of which it said nothing.
func (r *toolRun) cell() string {
	switch {
	case r.Errors > 0 && len(r.Says) > 0:
		return r.Says[0]
	case r.Errors > 0:
		return fmt.Sprintf("%d errors", r.Errors)
	case r.Ended == "right" || r.Ended == "wrong":
		return "–"
	}
	return r.end()
}

// end is how a run ended: right or wrong outputs, never, or with an error of the driver.
func (r *toolRun) end() string {
	switch r.Ended {
	case "time":
		return "hangs"
	case "failed":
		return r.Detail[strings.LastIndex(r.Detail, " ")+1:]
	}
	return r.Ended
}
