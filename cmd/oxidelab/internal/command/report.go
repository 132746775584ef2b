package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/qualify"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/report"
	"github.com/oxideinfer/oxide/evidence"
)

// report renders the records of a store, or of an archive that is not imported yet.
func (l *lab) report(args []string) error {
	f := l.flags("report", "[-html FILE] [-md FILE] [-dir evidence | -from FILE.tar]")
	dir := f.String("dir", "evidence", "the `folder` of the store")
	from := f.String("from", "", "report on this tar `file` instead")
	htmlPath := f.String("html", "", "write one page that needs nothing else to this `file`")
	mdPath := f.String("md", "", "write Markdown to this `file`; without -html and -md it goes to standard output")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	records, err := load(*dir, *from)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return fmt.Errorf("there are no records: %w", fs.ErrNotExist)
	}
	r, err := report.New(records, evidence.Index(records, qualify.Committed(artifacts())))
	if err != nil {
		return err
	}
	if *htmlPath != "" {
		page, err := r.HTML()
		if err != nil {
			return err
		}
		if err := evidence.Replace(*htmlPath, page); err != nil {
			return err
		}
	}
	if *mdPath != "" {
		return evidence.Replace(*mdPath, r.Markdown())
	}
	if *htmlPath == "" {
		_, err = l.out.Write(r.Markdown())
	}
	return err
}

// load reads the records of a store or of an archive.
func load(dir, from string) ([]evidence.Stored, error) {
	if from == "" {
		return evidence.Store{Dir: dir}.Load()
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	records, err := evidence.ReadArchive(f)
	if err != nil {
		return nil, err
	}
	var all []evidence.Stored
	for _, r := range records {
		data, err := evidence.Encode(r)
		if err != nil {
			return nil, err
		}
		all = append(all, evidence.Stored{File: r.FileName(), Data: data, Record: r})
	}
	return all, nil
}
