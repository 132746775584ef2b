package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
	"github.com/oxideinfer/oxide/runtime"
)

// outcome is one case with one algorithm, as qualify -json writes it.
type outcome struct {
	Operator  string  `json:"operator"`
	Case      string  `json:"case"`
	Algorithm string  `json:"algorithm"`
	Variant   string  `json:"variant"`
	Passed    bool    `json:"passed"`
	MaxUlp    float64 `json:"max_ulp"`
	TookUs    float64 `json:"took_us"`
	Error     string  `json:"error,omitempty"`
}

// qualify runs the correctness level: every declared case of every operator with every algorithm that supports it.
func (l *lab) qualify(args []string) (err error) {
	f := l.flags("qualify", "[flags]")
	where := f.String("device", "auto", deviceHelp)
	only := f.String("op", "", "qualify only operators whose name begins with this `prefix`")
	quick := f.Bool("quick", false, "only the cases that run on every change")
	graph := f.Bool("graph", false, "capture every call in a graph and replay it")
	verbose := f.Bool("v", false, "print every case")
	jsonPath := f.String("json", "", "write every outcome to this `file`")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	selected, err := matching(*only)
	if err != nil {
		return err
	}
	d, err := openDevice(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	level, run := "correctness", trial.RunCase
	if *graph {
		level, run = "correctness of graph replays", trial.ReplayCase
	}
	fmt.Fprintf(l.out, "%s on %s\n", level, d)
	q := &qualification{lab: l, device: d, run: run, verbose: *verbose, launched: map[string]bool{},
		terminal: isTerminal(l.errOut), started: time.Now()}
	for _, b := range selected {
		q.add(b, *quick)
	}
	for _, p := range q.plan {
		if l.ctx.Err() != nil {
			return errors.New("interrupted")
		}
		q.runCase(p.binding, p.c)
	}
	if *jsonPath != "" {
		data, err := json.MarshalIndent(q.outcomes, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(*jsonPath, data, 0o644); err != nil {
			return err
		}
	}
	return q.finish(*quick || *only != "")
}

// planned is one case to run.
type planned struct {
	binding catalog.Binding
	c       catalog.Case
}

// qualification is the state of a run.
type qualification struct {
	lab      *lab
	device   *device
	run      func(context.Context, *oxrt.Stream, catalog.Binding, catalog.Case) []trial.Result
	verbose  bool
	terminal bool // standard error is one: a progress line can be rewritten
	plan     []planned
	done     int
	failed   int
	outcomes []outcome
	launched map[string]bool // entries of kernels that a passed case has launched
	started  time.Time
	shown    time.Time
}

func (q *qualification) add(b catalog.Binding, quick bool) {
	for _, c := range b.Cases() {
		if c.Quick || !quick {
			q.plan = append(q.plan, planned{b, c})
		}
	}
}

func (q *qualification) runCase(b catalog.Binding, c catalog.Case) {
	q.progress(b.Operator.Name)
	for _, r := range q.run(q.lab.ctx, q.device.stream, b, c) {
		o := outcome{Operator: b.Operator.Name, Case: c.Name, Algorithm: r.Algorithm, Variant: r.Variant, Passed: r.Err == nil,
			MaxUlp: r.MaxUlp, TookUs: float64(r.Took.Nanoseconds()) / 1000}
		if r.Err != nil {
			o.Error = r.Err.Error()
			q.failed++
			q.line("FAILED %s: %s, %s/%s: %v", o.Operator, o.Case, o.Algorithm, o.Variant, r.Err)
		} else if c.Dims[0] > 0 {
			q.launched[r.Entry] = true
		}
		if q.verbose && r.Err == nil {
			q.line("passed %s: %s, %s/%s, max %.3g ulp, %v", o.Operator, o.Case, o.Algorithm, o.Variant, o.MaxUlp, r.Took.Round(time.Microsecond))
		}
		q.outcomes = append(q.outcomes, o)
	}
	q.done++
}

// progress rewrites one line on a terminal, a few times a second. Logs get results only.
func (q *qualification) progress(operator string) {
	if !q.terminal || time.Since(q.shown) < 200*time.Millisecond {
		return
	}
	q.shown = time.Now()
	fmt.Fprintf(q.lab.errOut, "\r\033[K%d of %d cases, %d failed: %s", q.done, len(q.plan), q.failed, operator)
}

// clear wipes the progress line.
func (q *qualification) clear() {
	if q.terminal {
		fmt.Fprint(q.lab.errOut, "\r\033[K")
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

func (q *qualification) line(format string, args ...any) {
	q.clear()
	fmt.Fprintf(q.lab.out, format+"\n", args...)
}

// tally counts the runs of one algorithm of one operator.
type tally struct {
	operator, algorithm string
	passed, failed      int
	variants            map[string]bool
	maxUlp, tookUs      float64
}

func (q *qualification) tallies() []*tally {
	var all []*tally
	byName := map[string]*tally{}
	for _, o := range q.outcomes {
		key := o.Operator + " " + o.Algorithm
		t := byName[key]
		if t == nil {
			t = &tally{operator: o.Operator, algorithm: o.Algorithm, variants: map[string]bool{}}
			byName[key] = t
			all = append(all, t)
		}
		t.variants[o.Variant] = true
		t.maxUlp, t.tookUs = max(t.maxUlp, o.MaxUlp), t.tookUs+o.TookUs
		if o.Passed {
			t.passed++
		} else {
			t.failed++
		}
	}
	return all
}

// finish prints the table. Unless the run was partial, a kernel that no passed case has launched counts as a failure.
func (q *qualification) finish(partial bool) error {
	q.clear()
	w := tabwriter.NewWriter(q.lab.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "operator\talgorithm\tkernels\tpassed\tfailed\tmax ulp\ttime")
	for _, t := range q.tallies() {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%.3g\t%.2f s\n", t.operator, t.algorithm, len(t.variants), t.passed, t.failed, t.maxUlp, t.tookUs/1e6)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var missing []string
	for _, a := range artifacts() {
		if !q.launched[a.Entry] {
			missing = append(missing, a.Entry)
		}
	}
	fmt.Fprintf(q.lab.out, "%d cases, %d runs, %d failed; %d of %d kernels launched; %.1f s\n", q.done, len(q.outcomes), q.failed,
		len(q.launched), len(artifacts()), time.Since(q.started).Seconds())
	switch {
	case q.failed > 0:
		return errWrong
	case !partial && len(missing) > 0:
		fmt.Fprintf(q.lab.out, "not launched: %s\n", strings.Join(missing, ", "))
		return errWrong
	case q.done == 0:
		return errors.New("no case to run")
	}
	return nil
}
