package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
	"github.com/oxideinfer/oxide/evidence"
)

const levelHelp = "run only these `levels`, separated by commas: contract, emulator, correctness, lifecycle, sanitizer, graph, performance"

// qualifyFlags are the flags of qualify.
type qualifyFlags struct {
	where, only, levels, state, record, json string
	quick, verbose                           bool
	jobs                                     int
	timeout                                  time.Duration
}

// qualify runs levels of proof over the operators of the library.
func (l *lab) qualify(args []string) (err error) {
	var o qualifyFlags
	f := l.flags("qualify", "[flags]")
	f.StringVar(&o.where, "device", "auto", device.Help)
	f.StringVar(&o.only, "op", "", "qualify only operators whose name begins with this `prefix`")
	f.StringVar(&o.levels, "level", "", levelHelp+"; all of them if empty")
	f.StringVar(&o.state, "state", "", "keep outcomes in this `file` as they come, and go on from what is in it; with -record it is FILE.state")
	f.StringVar(&o.record, "record", "", "write the records of the run to this tar `file`; needs a program built from a clean commit")
	f.StringVar(&o.json, "json", "", "write every outcome to this `file`")
	f.BoolVar(&o.quick, "quick", false, "only the cases that run on every change")
	f.BoolVar(&o.verbose, "v", false, "print every case")
	f.IntVar(&o.jobs, "jobs", goruntime.NumCPU(), "processes at a time; performance always has one")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "end a process that says nothing for so long")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	wanted, err := parseLevels(o.levels)
	if err != nil {
		return err
	}
	selected, err := matching(o.only)
	if err != nil {
		return err
	}
	var source evidence.Source
	if o.record != "" {
		if source, err = l.recordable(&o); err != nil {
			return err
		}
	} else if source, err = l.stamp(); err != nil {
		source.Commit = "an unknown commit"
	}
	return l.runQualification(o, wanted, levels.Library{Bindings: selected, Artifacts: artifacts()}, source)
}

// recordable demands a stamped program and a file that is not there yet, before anything runs.
func (l *lab) recordable(o *qualifyFlags) (evidence.Source, error) {
	source, err := l.stamp()
	if err != nil {
		return source, err
	}
	if _, err := os.Lstat(o.record); err == nil {
		return source, fmt.Errorf("%w: %s", evidence.ErrExists, o.record)
	}
	if o.state == "" {
		o.state = o.record + ".state"
	}
	return source, nil
}

func parseLevels(text string) ([]evidence.Level, error) {
	if text == "" {
		return evidence.Levels(), nil
	}
	var all []evidence.Level
	for _, level := range evidence.Levels() {
		if slices.Contains(strings.Split(text, ","), string(level)) {
			all = append(all, level)
		}
	}
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(evidence.Levels(), evidence.Level(name)) {
			return nil, fmt.Errorf("no level %q; there are %v", name, evidence.Levels())
		}
	}
	return all, nil
}

func (l *lab) runQualification(o qualifyFlags, wanted []evidence.Level, lib levels.Library, source evidence.Source) error {
	began := time.Now()
	program, err := l.program()
	if err != nil {
		return err
	}
	p := &progress{lab: l, verbose: o.verbose, terminal: isTerminal(l.errOut)}
	q := &qualify.Qualification{Library: lib, Program: program, Levels: wanted, Device: o.where, Quick: o.quick, Prefix: o.only,
		Jobs: o.jobs, Timeout: o.timeout, State: o.state, Commit: source.Commit, Report: p.report}
	result, err := q.Run(l.ctx)
	p.clear()
	if err != nil {
		if _, missing := os.Stat(o.state); missing == nil {
			err = fmt.Errorf("%w (what has ended is in %s; the same command goes on from there)", err, o.state)
		}
		return err
	}
	if o.json != "" {
		data, err := json.MarshalIndent(result.Levels, "", " ")
		if err != nil {
			return err
		}
		if err := evidence.Replace(o.json, data); err != nil {
			return err
		}
	}
	verdict := l.showQualification(result, o, lib.Artifacts, began)
	if o.record != "" {
		if err := l.record(o, result, source); err != nil {
			return err
		}
	}
	return verdict
}

// record writes the archive, and removes the state file that it was made from.
func (l *lab) record(o qualifyFlags, result qualify.Result, source evidence.Source) error {
	if err := l.archive(o.record, result, source); err != nil {
		return err
	}
	return os.Remove(o.state)
}

// archive writes the records of a result to a new tar file.
func (l *lab) archive(path string, result qualify.Result, source evidence.Source) error {
	records, err := result.Records(source, artifacts())
	if err != nil {
		return err
	}
	data, err := evidence.Archive(records)
	if err != nil {
		return err
	}
	if err := evidence.WriteOnce(path, data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.out, "%d records of commit %s in %s\n", len(records), source.Commit, path)
	return err
}
