package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// IndexFile is the generated list of a store's records.
const IndexFile = "zindex.json"

// Entry is one line of the index.
type Entry struct {
	File      string `json:"file"`
	SHA256    string `json:"sha256"` // of the file: a record that was edited does not match
	Level     Level  `json:"level"`
	Operator  string `json:"operator"`
	Algorithm string `json:"algorithm"`
	Device    string `json:"device"`
	Commit    string `json:"commit"`
	Passed    int    `json:"passed"`
	Failed    int    `json:"failed"`
	NotRun    int    `json:"not_run"`
	// Stale names the artifacts of the record that are not the committed ones any more. A stale record still says what was
	// seen; it says nothing about the kernels of today.
	Stale []string `json:"stale,omitempty"`
}

// Counts returns how many cases ended in each way.
func (r *Record) Counts() (passed, failed, notRun int) {
	for _, c := range r.Cases {
		switch c.Status {
		case Passed:
			passed++
		case Failed:
			failed++
		default:
			notRun++
		}
	}
	return passed, failed, notRun
}

// Committed returns the artifact of an entry for a target as it is committed now.
type Committed func(entry, target string) (Artifact, bool)

// StaleArtifacts names the entries of a record that differ from the committed artifacts.
func (r *Record) StaleArtifacts(now Committed) []string {
	var stale []string
	for _, a := range r.Artifacts {
		c, ok := now(a.Entry, a.Target)
		if !ok || c.PTXSHA256 != a.PTXSHA256 || c.CubinSHA256 != a.CubinSHA256 {
			stale = append(stale, a.Entry)
		}
	}
	return stale
}

// Index describes the records of a store, in the order of their file names.
func Index(records []Stored, now Committed) []Entry {
	all := []Entry{}
	for _, s := range records {
		sum := sha256.Sum256(s.Data)
		e := Entry{File: s.File, SHA256: hex.EncodeToString(sum[:]), Level: s.Record.Level, Operator: s.Record.Operator,
			Algorithm: s.Record.Algorithm, Device: s.Record.Device.Name, Commit: s.Record.Source.Commit, Stale: s.Record.StaleArtifacts(now)}
		e.Passed, e.Failed, e.NotRun = s.Record.Counts()
		all = append(all, e)
	}
	return all
}

// EncodeIndex writes the index, one record a line.
func EncodeIndex(entries []Entry) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		b.Write(line)
	}
	b.WriteString("\n]\n")
	return b.Bytes(), nil
}

// WriteIndex generates the index file anew.
func (s Store) WriteIndex(now Committed) ([]Entry, error) {
	records, err := s.Load()
	if err != nil {
		return nil, err
	}
	entries := Index(records, now)
	data, err := EncodeIndex(entries)
	if err != nil {
		return nil, err
	}
	return entries, Replace(filepath.Join(s.Dir, IndexFile), data)
}

// Verify demands that every record is valid and unedited and that the index says which are stale. It returns the index as it
// should be.
func (s Store) Verify(now Committed) ([]Entry, error) {
	records, err := s.Load()
	if err != nil {
		return nil, err
	}
	entries := Index(records, now)
	want, err := EncodeIndex(entries)
	if err != nil {
		return nil, err
	}
	got, err := os.ReadFile(filepath.Join(s.Dir, IndexFile))
	if err != nil {
		return entries, err
	}
	if !bytes.Equal(got, want) {
		return entries, differences(got, entries)
	}
	return entries, nil
}

// differences says what is wrong with an index.
func differences(got []byte, want []Entry) error {
	var listed []Entry
	if err := json.Unmarshal(got, &listed); err != nil {
		return fmt.Errorf("%w: index: %w", ErrInvalid, err)
	}
	old := map[string]Entry{}
	for _, e := range listed {
		old[e.File] = e
	}
	var f findings
	for _, e := range want {
		o, ok := old[e.File]
		delete(old, e.File)
		switch {
		case !ok:
			f.demand(false, "%s is not in the index", e.File)
		case o.SHA256 != e.SHA256:
			f.demand(false, "%s was changed after it was indexed", e.File)
		case len(o.Stale) != len(e.Stale):
			f.demand(false, "%s: %d of its kernels are not the committed ones and the index lists %d", e.File, len(e.Stale), len(o.Stale))
		}
	}
	for file := range old {
		f.demand(false, "%s is in the index and not in the store", file)
	}
	f.demand(len(f.all) > 0, "the index is not what is generated from the records")
	return errors.Join(f.all...)
}
