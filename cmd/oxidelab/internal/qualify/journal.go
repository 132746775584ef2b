package qualify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/evidence"
)

// ErrOtherRun: a state file belongs to another program, device or selection.
var ErrOtherRun = errors.New("the state file is of another run")

// Identity is what two parts of one run must have in common.
type Identity struct {
	Schema  string          `json:"schema"`
	Program string          `json:"program"` // SHA-256 of the executable
	Device  evidence.Device `json:"device"`
	Quick   bool            `json:"quick"`
	Prefix  string          `json:"prefix"`
}

// Seen is when a level ran and what was seen of the device meanwhile.
type Seen struct {
	Of    evidence.Level `json:"level"`
	Began time.Time      `json:"began"`
	Ended time.Time      `json:"ended"`
	State evidence.State `json:"state"`
}

// entry is one line of a journal.
type entry struct {
	Identity *Identity       `json:"identity,omitempty"`
	Outcome  *levels.Outcome `json:"outcome,omitempty"`
	Seen     *Seen           `json:"seen,omitempty"`
}

// journal keeps outcomes in a file, one a line, as they come. A line that a crash has cut off is dropped when the file is
// opened again. Without a file it only remembers.
type journal struct {
	f        *os.File
	outcomes map[string]levels.Outcome // by task ID
	seen     map[evidence.Level]Seen
}

// openJournal opens or creates a state file; an empty path keeps nothing.
func openJournal(path string, id Identity) (*journal, error) {
	j := &journal{outcomes: map[string]levels.Outcome{}, seen: map[evidence.Level]Seen{}}
	if path == "" {
		return j, nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	j.f = f
	if err := j.read(id); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return j, nil
}

// read takes over whole lines and cuts the file behind the last of them.
func (j *journal) read(id Identity) error {
	r := bufio.NewReader(j.f)
	var good int64
	for n := 0; ; n++ {
		text, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var e entry
		if err != nil || json.Unmarshal(text, &e) != nil {
			if n > 0 || len(text) == 0 || bytes.HasPrefix(text, []byte(`{"identity":`)) {
				break // the end, or a line that was cut off
			}
			return fmt.Errorf("%w: it does not begin as one", ErrOtherRun)
		}
		if n == 0 && (e.Identity == nil || *e.Identity != id) {
			return fmt.Errorf("%w: another program, device or selection; remove it or name another", ErrOtherRun)
		}
		good += int64(len(text))
		j.remember(e)
	}
	if err := j.f.Truncate(good); err != nil {
		return err
	}
	if _, err := j.f.Seek(good, io.SeekStart); err != nil {
		return err
	}
	if good > 0 {
		return nil
	}
	return j.write(entry{Identity: &id})
}

func (j *journal) remember(e entry) {
	if e.Outcome != nil {
		j.outcomes[e.Outcome.Task.ID()] = *e.Outcome
	}
	if e.Seen != nil {
		j.seen[e.Seen.Of] = merge(j.seen[e.Seen.Of], *e.Seen)
	}
}

// merge joins two parts of a level: its time is that of both, its state that of the part with more readings.
func merge(old, next Seen) Seen {
	if old.Began.IsZero() {
		return next
	}
	out := Seen{Of: next.Of, Began: old.Began, Ended: next.Ended, State: next.State}
	if old.State.Readings > next.State.Readings {
		out.State = old.State
	}
	return out
}

func (j *journal) write(e entry) error {
	j.remember(e)
	if j.f == nil {
		return nil
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.f.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("the state file: %w", err)
	}
	return nil
}

// sync makes what was written survive a power cut.
func (j *journal) sync() error {
	if j.f == nil {
		return nil
	}
	return j.f.Sync()
}

func (j *journal) close() error {
	if j.f == nil {
		return nil
	}
	return errors.Join(j.sync(), j.f.Close())
}
