package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// progress tells failures at once, everything if asked to, and on a terminal how far the run is.
type progress struct {
	lab               *lab
	verbose, terminal bool
	done, failed      int
	shown             time.Time
}

func (p *progress) report(o levels.Outcome) {
	p.done++
	switch c := o.Case; {
	case c.Status == evidence.Failed:
		p.failed++
		p.line("FAILED %s: %s", o.Task.ID(), c.Reason)
	case p.verbose && c.Status == evidence.NotRun:
		p.line("not run, because %s: %s", c.Reason, o.Task.ID())
	case p.verbose:
		p.line("passed %s, max %.3g ulp, %.1f ms", o.Task.ID(), c.MaxULP, o.TookUs/1000)
	}
	if p.terminal && time.Since(p.shown) > 200*time.Millisecond {
		p.shown = time.Now()
		fmt.Fprintf(p.lab.errOut, "\r\033[K%d cases, %d failed: %s", p.done, p.failed, o.Task.ID())
	}
}

func (p *progress) line(format string, args ...any) {
	p.clear()
	fmt.Fprintf(p.lab.out, format+"\n", args...)
}

// clear wipes the progress line.
func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.lab.errOut, "\r\033[K")
	}
}

// isTerminal reports whether w is a character device.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// tally counts the cases of one algorithm of one operator at one level.
type tally struct {
	level               evidence.Level
	operator, algorithm string
	counts              map[evidence.Status]int
	kernels             map[string]bool
	maxULP              float64
}

func tallies(r qualify.Result) []*tally {
	var all []*tally
	byKey := map[string]*tally{}
	for _, l := range r.Levels {
		for _, o := range l.Outcomes {
			key := string(l.Level) + " " + o.Task.Operator + " " + o.Task.Algorithm
			t := byKey[key]
			if t == nil {
				t = &tally{l.Level, o.Task.Operator, o.Task.Algorithm, map[evidence.Status]int{}, map[string]bool{}, 0}
				byKey[key] = t
				all = append(all, t)
			}
			t.counts[o.Case.Status]++
			t.maxULP = max(t.maxULP, o.Case.MaxULP)
			for _, k := range o.Kernel {
				t.kernels[k] = true
			}
		}
	}
	return all
}

// showQualification prints the table. A failed case makes the run wrong, and so does a kernel that no case of a whole level
// of results has launched, unless the selection left cases out.
func (l *lab) showQualification(r qualify.Result, o qualifyFlags, artifacts []*oxrt.Artifact, began time.Time) error {
	fmt.Fprintf(l.out, "on %s\n", describeDevice(r.Device))
	w := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "level\toperator\talgorithm\tkernels\tpassed\tfailed\tnot run\tmax ulp")
	counts := map[evidence.Status]int{}
	for _, t := range tallies(r) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.3g\n", t.level, t.operator, t.algorithm, len(t.kernels), t.counts[evidence.Passed],
			t.counts[evidence.Failed], t.counts[evidence.NotRun], t.maxULP)
		for status, n := range t.counts {
			counts[status] += n
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	missing := l.showGaps(r, o, artifacts)
	fmt.Fprintf(l.out, "%d passed, %d failed, %d not run", counts[evidence.Passed], counts[evidence.Failed], counts[evidence.NotRun])
	if r.Resumed > 0 {
		fmt.Fprintf(l.out, "; %d of them ended in an earlier part of the run", r.Resumed)
	}
	fmt.Fprintf(l.out, "; %.1f s\n", time.Since(began).Seconds())
	switch {
	case counts[evidence.Failed] > 0 || missing:
		return errWrong
	case counts[evidence.Passed] == 0:
		return errors.New("no case was run")
	}
	return nil
}

// showGaps says what was not run and why, and whether a kernel of a complete level was never launched.
func (l *lab) showGaps(r qualify.Result, o qualifyFlags, artifacts []*oxrt.Artifact) (missing bool) {
	for _, level := range r.Levels {
		if level.NotRun != "" {
			fmt.Fprintf(l.out, "%s: %d cases not run, because %s\n", level.Level, len(level.Outcomes), level.NotRun)
			continue
		}
		for _, reason := range reasons(level.Outcomes) {
			fmt.Fprintf(l.out, "%s: not run, because %s\n", level.Level, reason)
		}
		if o.quick || o.only != "" || !needsEveryKernel(level.Level) {
			continue
		}
		if gap := notLaunched(level.Outcomes, artifacts); len(gap) > 0 {
			fmt.Fprintf(l.out, "%s: not launched by any case: %s\n", level.Level, strings.Join(gap, ", "))
			missing = true
		}
	}
	return missing
}

// needsEveryKernel tells the levels at which every kernel has a case.
func needsEveryKernel(level evidence.Level) bool {
	return level == evidence.Emulator || level == evidence.Correctness || level == evidence.Sanitizer || level == evidence.Graph
}

// reasons lists the different reasons for which cases of a level were not run, with their number.
func reasons(outcomes []levels.Outcome) []string {
	var order, all []string
	counts := map[string]int{}
	for _, o := range outcomes {
		if o.Case.Status != evidence.NotRun {
			continue
		}
		if counts[o.Case.Reason] == 0 {
			order = append(order, o.Case.Reason)
		}
		counts[o.Case.Reason]++
	}
	for _, reason := range order {
		all = append(all, fmt.Sprintf("%s (%d cases)", reason, counts[reason]))
	}
	return all
}

func notLaunched(outcomes []levels.Outcome, artifacts []*oxrt.Artifact) []string {
	launched := map[string]bool{}
	for _, o := range outcomes {
		for _, k := range o.Kernel {
			launched[k] = true
		}
	}
	var gap []string
	for _, a := range artifacts {
		if !launched[a.Entry] {
			gap = append(gap, a.Entry)
		}
	}
	return gap
}

func describeDevice(d evidence.Device) string {
	if d.Kind != "cuda" {
		return d.Name
	}
	return fmt.Sprintf("%s (compute capability %s, driver %s)", d.Name, d.ComputeCapability, d.Driver)
}
