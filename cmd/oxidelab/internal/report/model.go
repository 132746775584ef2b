package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
	"github.com/oxideinfer/oxide/evidence"
)

// Report is what records say, in the order in which it is shown.
type Report struct {
	Devices []string // each with its driver
	Commits []string
	Levels  []LevelRow
	Gaps    []Gap
	Timed   []Timed // graph replays, by operator
	Hosts   []Timed // eager calls on the host
	Records []evidence.Entry
	Claims  []Claim
	States  []string // clocks and power that were seen
}

// LevelRow is one level of one operator: cases of all its records.
type LevelRow struct {
	Level, Operator        string
	Passed, Failed, NotRun int
	Kernels                int
	MaxULP                 float64
	Devices                string
}

// Gap is a case that did not pass.
type Gap struct {
	Level, Operator, Name, Status, Reason string
}

// Timed is the timings of one operator.
type Timed struct {
	Operator string
	Device   string
	Peers    bool // measured in a process of the peers
	Rows     []TimedRow
}

// TimedRow is one case.
type TimedRow struct {
	Name       string
	Timing     evidence.Timing
	Ours       evidence.Contender
	Others     []evidence.Contender
	Stale      bool
	samples    map[string][][]float64 // by contender, one slice a round
	ratioBound map[string][2]float64  // of another's time to ours, by contender
}

// Claim is what the records of a level say and do not say.
type Claim struct {
	Level            string
	Claims, Excludes []string
}

// New collects what is to be shown from records and their index.
func New(records []evidence.Stored, entries []evidence.Entry) (*Report, error) {
	r := &Report{Records: entries}
	stale := map[string]bool{}
	for _, e := range entries {
		stale[e.File] = len(e.Stale) > 0
	}
	levels := map[[2]string]*LevelRow{}
	kernels := map[[2]string]map[string]bool{}
	var order [][2]string
	for _, s := range records {
		rec := s.Record
		r.Devices = addNew(r.Devices, deviceLine(rec.Device))
		r.Commits = addNew(r.Commits, rec.Source.Commit)
		r.addClaims(rec)
		r.addState(rec)
		key := [2]string{string(rec.Level), rec.Operator}
		row := levels[key]
		if row == nil {
			row = &LevelRow{Level: key[0], Operator: key[1]}
			levels[key], kernels[key] = row, map[string]bool{}
			order = append(order, key)
		}
		r.addCases(row, kernels[key], rec)
		if err := r.addTimings(rec, stale[s.File]); err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
	}
	for _, key := range order {
		levels[key].Kernels = len(kernels[key])
		r.Levels = append(r.Levels, *levels[key])
	}
	r.sort()
	return r, nil
}

func addNew(all []string, one string) []string {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

func deviceLine(d evidence.Device) string {
	if d.Kind != "cuda" {
		return d.Name
	}
	return fmt.Sprintf("%s, compute capability %s, driver %s", d.Name, d.ComputeCapability, d.Driver)
}

func (r *Report) addCases(row *LevelRow, kernels map[string]bool, rec *evidence.Record) {
	passed, failed, notRun := rec.Counts()
	row.Passed, row.Failed, row.NotRun = row.Passed+passed, row.Failed+failed, row.NotRun+notRun
	row.Devices = strings.Join(addNew(nonEmpty(strings.Split(row.Devices, ", ")), rec.Device.Name), ", ")
	for _, a := range rec.Artifacts {
		kernels[a.Entry] = true
	}
	for _, c := range rec.Cases {
		row.MaxULP = max(row.MaxULP, c.MaxULP)
		if c.Status != evidence.Passed {
			r.Gaps = append(r.Gaps, Gap{string(rec.Level), rec.Operator, c.Name, string(c.Status), c.Reason})
		}
	}
}

func nonEmpty(all []string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

func (r *Report) addClaims(rec *evidence.Record) {
	if slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Level == string(rec.Level) }) {
		return
	}
	r.Claims = append(r.Claims, Claim{string(rec.Level), rec.Claims, rec.Excludes})
}

func (r *Report) addState(rec *evidence.Record) {
	s := rec.State
	if s.SMClockMHz == nil || s.PowerW == nil || s.MemClockMHz == nil {
		return
	}
	line := fmt.Sprintf("%s, %s: SM %.0f to %.0f MHz (median %.0f), memory %.0f MHz, %.0f to %.0f W of %.0f, %d readings, reasons for reduced clocks %s",
		rec.Level, rec.Began.Format("2006-01-02 15:04"), s.SMClockMHz.Min, s.SMClockMHz.Max, s.SMClockMHz.Median, s.MemClockMHz.Median, s.PowerW.Min, s.PowerW.Max,
		s.PowerLimitW, s.Readings, strings.Join(s.Throttle, " "))
	r.States = addNew(r.States, line)
}

func (r *Report) addTimings(rec *evidence.Record, stale bool) error {
	for _, c := range rec.Cases {
		for _, t := range c.Timings {
			row := TimedRow{Name: strings.TrimSuffix(c.Name, " against peers"), Timing: t, Stale: stale, samples: map[string][][]float64{}, ratioBound: map[string][2]float64{}}
			if err := row.fill(); err != nil {
				return err
			}
			to, peers := &r.Timed, row.Name != c.Name
			if timing.OnHost(t.Region) {
				to = &r.Hosts
			}
			place(to, Timed{Operator: rec.Operator, Device: rec.Device.Name, Peers: peers}).add(row)
		}
	}
	return nil
}

// place finds or adds the table of an operator.
func place(all *[]Timed, t Timed) *Timed {
	i := slices.IndexFunc(*all, func(o Timed) bool { return o.Operator == t.Operator && o.Device == t.Device && o.Peers == t.Peers })
	if i < 0 {
		*all = append(*all, t)
		i = len(*all) - 1
	}
	return &(*all)[i]
}

// add keeps the newest row of a case: records are read in the order of their names, which end with their time.
func (t *Timed) add(row TimedRow) {
	if i := slices.IndexFunc(t.Rows, func(o TimedRow) bool { return o.Name == row.Name }); i >= 0 {
		t.Rows[i] = row
		return
	}
	t.Rows = append(t.Rows, row)
}

// fill finds ours, unpacks every sample and bounds the ratios.
func (r *TimedRow) fill() error {
	ours := slices.IndexFunc(r.Timing.Contenders, func(c evidence.Contender) bool { return c.Ours })
	r.Ours = r.Timing.Contenders[ours]
	for i, c := range r.Timing.Contenders {
		for _, round := range c.Rounds {
			x, err := round.Samples.Unpack()
			if err != nil {
				return err
			}
			r.samples[c.Name] = append(r.samples[c.Name], x)
		}
		if i == ours {
			continue
		}
		r.Others = append(r.Others, c)
		if c.Error == "" && r.Ours.Error == "" {
			low, high, err := evidence.Ratio(&c, &r.Ours)
			if err != nil {
				return err
			}
			r.ratioBound[c.Name] = [2]float64{low, high}
		}
	}
	return nil
}

// sort brings levels, operators and sizes into their natural order.
func (r *Report) sort() {
	rank := func(level string) int { return slices.Index(evidence.Levels(), evidence.Level(level)) }
	slices.SortStableFunc(r.Levels, func(a, b LevelRow) int {
		return cmp.Or(cmp.Compare(rank(a.Level), rank(b.Level)), strings.Compare(a.Operator, b.Operator))
	})
	slices.SortStableFunc(r.Claims, func(a, b Claim) int { return cmp.Compare(rank(a.Level), rank(b.Level)) })
	for _, all := range [][]Timed{r.Timed, r.Hosts} {
		slices.SortStableFunc(all, func(a, b Timed) int { return strings.Compare(a.Operator, b.Operator) })
		for _, t := range all {
			slices.SortStableFunc(t.Rows, func(a, b TimedRow) int {
				return cmp.Or(slices.Compare(widths(a), widths(b)), cmp.Compare(a.Timing.Bytes, b.Timing.Bytes), strings.Compare(a.Name, b.Name))
			})
		}
	}
}

// sizes are the numbers between the signs of multiplication in a case's name, 0 for what is none.
func sizes(r TimedRow) []int {
	var all []int
	for part := range strings.SplitSeq(r.Name, "×") {
		var n int
		_, _ = fmt.Sscan(part, &n)
		all = append(all, n)
	}
	return all
}

// widths are the sizes behind the first, which grows with the call: the last first.
func widths(r TimedRow) []int {
	all := sizes(r)[1:]
	slices.Reverse(all)
	return all
}

// caller says in which language an eager call was made, and whose it is.
func (t Timed) caller(c evidence.Contender) string {
	if t.Peers {
		return "Python, " + c.Name
	}
	return "Go"
}

// timed are ours and the others that have a time, ours first.
func (r *TimedRow) timed() []evidence.Contender {
	all := []evidence.Contender{r.Ours}
	for _, c := range r.Others {
		if c.Error == "" {
			all = append(all, c)
		}
	}
	return all
}

// best is the fastest of the others that have a time, or nil.
func (r *TimedRow) best() *evidence.Contender {
	var best *evidence.Contender
	for i := range r.Others {
		if c := &r.Others[i]; c.Error == "" && (best == nil || c.MedianUs < best.MedianUs) {
			best = c
		}
	}
	return best
}
