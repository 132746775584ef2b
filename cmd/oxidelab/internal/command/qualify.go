package command

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/algorithms/catalog/trial"
)

// tally counts the runs of one algorithm of one operator.
type tally struct {
	operator, algorithm string
	passed, failed      int
	variants            map[string]bool
	maxUlp              float64
	took                time.Duration
}

// qualify runs the correctness level: every declared case of every operator with every algorithm that supports it.
func (l *lab) qualify(args []string) (err error) {
	f := l.flags("qualify", "[flags]")
	where := f.String("device", "auto", deviceHelp)
	only := f.String("op", "", "qualify only this `operator`")
	quick := f.Bool("quick", false, "only the cases that run on every change")
	verbose := f.Bool("v", false, "print every case")
	if _, err := parse(f, args); err != nil {
		return err
	}
	selected := bindings()
	if *only != "" {
		b, err := find(*only)
		if err != nil {
			return err
		}
		selected = []catalog.Binding{b}
	}
	d, err := openDevice(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	fmt.Fprintf(l.out, "correctness on %s\n", d)
	q := &qualification{lab: l, device: d, verbose: *verbose, tallies: map[string]*tally{}}
	for _, b := range selected {
		for _, c := range b.Cases() {
			if *quick && !c.Quick {
				continue
			}
			q.total++
		}
	}
	for _, b := range selected {
		for _, c := range b.Cases() {
			if *quick && !c.Quick {
				continue
			}
			if err := l.ctx.Err(); err != nil {
				return errors.New("interrupted")
			}
			q.runCase(b, c)
		}
	}
	return q.finish()
}

// qualification is the state of a run.
type qualification struct {
	lab     *lab
	device  *device
	verbose bool
	total   int
	done    int
	runs    int
	failed  int
	order   []string
	tallies map[string]*tally
	shown   time.Time
}

func (q *qualification) runCase(b catalog.Binding, c catalog.Case) {
	q.progress(b.Operator.Name)
	for _, r := range trial.RunCase(q.lab.ctx, q.device.stream, b, c) {
		q.runs++
		t := q.tally(b.Operator.Name, r.Algorithm)
		t.took += r.Took
		t.maxUlp = max(t.maxUlp, r.MaxUlp)
		t.variants[r.Variant] = true
		if r.Err != nil {
			t.failed++
			q.failed++
			q.line("FAILED %s: %s, %s/%s: %v", b.Operator.Name, c.Name, r.Algorithm, r.Variant, r.Err)
			continue
		}
		t.passed++
		if q.verbose {
			q.line("passed %s: %s, %s/%s, max %.3g ulp, %v", b.Operator.Name, c.Name, r.Algorithm, r.Variant, r.MaxUlp, r.Took.Round(time.Microsecond))
		}
	}
	q.done++
}

func (q *qualification) tally(operator, algorithm string) *tally {
	key := operator + " " + algorithm
	t := q.tallies[key]
	if t == nil {
		t = &tally{operator: operator, algorithm: algorithm, variants: map[string]bool{}}
		q.tallies[key] = t
		q.order = append(q.order, key)
	}
	return t
}

// progress rewrites one line on standard error, a few times a second.
func (q *qualification) progress(operator string) {
	if time.Since(q.shown) < 200*time.Millisecond {
		return
	}
	q.shown = time.Now()
	fmt.Fprintf(q.lab.errOut, "\r\033[K%d of %d cases, %d failed: %s", q.done, q.total, q.failed, operator)
}

func (q *qualification) line(format string, args ...any) {
	fmt.Fprint(q.lab.errOut, "\r\033[K")
	fmt.Fprintf(q.lab.out, format+"\n", args...)
}

func (q *qualification) finish() error {
	fmt.Fprint(q.lab.errOut, "\r\033[K")
	w := tabwriter.NewWriter(q.lab.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "operator\talgorithm\tvariants\tpassed\tfailed\tmax ulp\ttime")
	for _, key := range q.order {
		t := q.tallies[key]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%.3g\t%v\n", t.operator, t.algorithm, len(t.variants), t.passed, t.failed, t.maxUlp, t.took.Round(time.Millisecond))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(q.lab.out, "%d cases, %d runs, %d failed\n", q.done, q.runs, q.failed)
	if q.failed > 0 {
		return errWrong
	}
	return nil
}
