package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/gpu"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/peers"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
	"github.com/oxideinfer/oxide/evidence"
)

// peers times ours against other libraries' operators in one Python process and records the result.
func (l *lab) peers(args []string) (err error) {
	f := l.flags("peers", "-record FILE.tar [flags]")
	where := f.String("device", "auto", device.Help)
	only := f.String("op", "", "compare only operators whose name begins with this `prefix`")
	sizes := f.String("case", "", "compare only these `sizes`, as 1×4096,128×8192")
	record := f.String("record", "", "write the records to this tar `file`; needs a program built from a clean commit")
	python := f.String("python", "python3", "the Python `program` that has torch and the peers")
	script := f.String("script", filepath.Join("bench", "peers", "peers.py"), "the `file` that it runs")
	limit := f.Int("limit", 170, "`seconds` after which no further case is begun")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	selected, err := matching(*only)
	if err != nil {
		return err
	}
	o := qualifyFlags{record: *record, state: "none"}
	if *record == "" {
		return errors.New("peers needs -record")
	}
	source, err := l.recordable(&o)
	if err != nil {
		return err
	}
	d, err := device.Open(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	facts := qualify.Facts(d)
	if d.IsEmulated() {
		return errors.New("peers needs a GPU: the emulated device has no time")
	}
	if facts.Driver, err = gpu.Driver(l.ctx); err != nil {
		return err
	}
	p := &progress{lab: l, verbose: true, terminal: isTerminal(l.errOut)}
	c := peers.Comparison{Bindings: selected, Program: []string{*python, *script}, Limit: *limit, Commit: source.Commit, GPU: facts.Name, Only: strings.FieldsFunc(*sizes, func(r rune) bool { return r == ',' }),
		Report: func(o levels.Outcome) { p.report(o); l.showTimes(o) }}
	level := qualify.LevelResult{Level: evidence.Performance}
	level.Began = time.Now().UTC().Truncate(time.Millisecond)
	watch := gpu.Start(l.ctx, d.Dev.Ordinal())
	level.Outcomes, err = c.Run(l.ctx, d.Dev)
	level.State = watch.Stop()
	level.Ended = time.Now().UTC().Truncate(time.Millisecond)
	if err != nil {
		return err
	}
	result := qualify.Result{Device: facts, Levels: []qualify.LevelResult{level}}
	verdict := l.showQualification(result, qualifyFlags{only: "peers"}, nil, level.Began)
	return errors.Join(l.archive(*record, result, source), verdict)
}

// showTimes prints the medians of an outcome in one line.
func (l *lab) showTimes(o levels.Outcome) {
	for _, t := range o.Case.Timings {
		var all []string
		for _, c := range t.Contenders {
			if c.Error != "" {
				all = append(all, fmt.Sprintf("%s: %s", c.Name, c.Error))
				continue
			}
			all = append(all, fmt.Sprintf("%s %.4g µs", c.Name, c.MedianUs))
		}
		ranking := t.Refused
		if ranking == "" {
			ranking = fmt.Sprint("fastest first ", t.Ranking)
		}
		fmt.Fprintf(l.out, "%s %s, %s: %s; %s\n", o.Task.Operator, o.Task.Name, t.Region, strings.Join(all, ", "), ranking)
	}
}
