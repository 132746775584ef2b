package command

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
	"github.com/oxideinfer/oxide/evidence"
)

const evidenceUsage = "evidence import FILE.tar | index | verify | show FILE.json   [-dir evidence]"

// evidence keeps the store of records.
func (l *lab) evidence(args []string) error {
	f := l.flags("evidence", strings.TrimPrefix(evidenceUsage, "evidence "))
	dir := f.String("dir", "evidence", "the `folder` of the store")
	words, err := parse(f, args)
	if err != nil {
		return err
	}
	s, now := evidence.Store{Dir: *dir}, qualify.Committed(artifacts())
	switch {
	case len(words) == 2 && words[0] == "import":
		return l.importRecords(s, now, words[1])
	case len(words) == 1 && words[0] == "index":
		entries, err := s.WriteIndex(now)
		return errors.Join(err, l.showIndex(entries))
	case len(words) == 1 && words[0] == "verify":
		entries, err := s.Verify(now)
		return errors.Join(err, l.showIndex(entries))
	case len(words) == 2 && words[0] == "show":
		return l.showRecord(words[1])
	}
	return errors.New("usage: oxidelab " + evidenceUsage)
}

func (l *lab) importRecords(s evidence.Store, now evidence.Committed, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	added, err := s.Import(f)
	if err != nil {
		return fmt.Errorf("%w (%d records of the archive are stored; importing again goes on)", err, len(added))
	}
	entries, err := s.WriteIndex(now)
	fmt.Fprintf(l.out, "%d records of %s stored\n", len(added), path)
	return errors.Join(err, l.showIndex(entries))
}

// showIndex prints what is in a store in a few lines, with every stale record.
func (l *lab) showIndex(entries []evidence.Entry) error {
	stale := 0
	for _, e := range entries {
		if len(e.Stale) > 0 {
			stale++
			fmt.Fprintf(l.out, "stale: %s: %d kernels have changed since\n", e.File, len(e.Stale))
		}
	}
	_, err := fmt.Fprintf(l.out, "%d records, %d of them stale\n", len(entries), stale)
	return err
}

// showRecord prints a record for a reader: what it says, and every case that did not pass.
func (l *lab) showRecord(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	r, err := evidence.Decode(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	passed, failed, notRun := r.Counts()
	fmt.Fprintf(l.out, "%s: %s %s on %s, commit %s, %s\n%d passed, %d failed, %d not run\n", r.Level, r.Operator, r.Algorithm, describeDevice(r.Device),
		r.Source.Commit, r.Began.Format("2006-01-02 15:04"), passed, failed, notRun)
	for _, c := range r.Cases {
		if c.Status != evidence.Passed {
			fmt.Fprintf(l.out, "%s: %s: %s\n", c.Status, c.Name, c.Reason)
		}
		for _, t := range c.Timings {
			for _, x := range t.Contenders {
				fmt.Fprintf(l.out, "%s, %s: %s %s: %g µs (%g to %g), drift %.1f %%, %.0f %% of the limit %s\n", c.Name, t.Region, x.Provider, x.Name,
					x.MedianUs, x.LowUs, x.HighUs, 100*x.Drift, 100*x.Fraction, x.Error)
			}
			fmt.Fprintf(l.out, "%s: ranking %v %s\n", c.Name, t.Ranking, t.Refused)
		}
	}
	for _, s := range r.Claims {
		fmt.Fprintf(l.out, "claims: %s\n", s)
	}
	for _, s := range r.Excludes {
		fmt.Fprintf(l.out, "does not claim: %s\n", s)
	}
	return nil
}
