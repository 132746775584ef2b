package evidence

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
)

// ErrInvalid marks a record that breaks the schema or contradicts itself.
var ErrInvalid = errors.New("evidence: invalid record")

var (
	hex40   = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`) // SHA-1 or SHA-256 object names
	hex64   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	dotted  = regexp.MustCompile(`^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$`)
	name    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	version = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)
)

// findings collects what is wrong with a record.
type findings struct{ all []error }

func (f *findings) demand(ok bool, format string, args ...any) {
	if !ok {
		f.all = append(f.all, fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...))
	}
}

// Validate returns every finding, joined; nil for a good record.
func (r *Record) Validate() error {
	var f findings
	f.demand(r.Schema == Schema, "schema %q, want %q", r.Schema, Schema)
	f.demand(slices.Contains(Levels(), r.Level), "level %q", r.Level)
	f.demand(dotted.MatchString(r.Operator), "operator %q, want family.operator", r.Operator)
	f.demand(name.MatchString(r.Provider), "provider %q", r.Provider)
	f.demand(name.MatchString(r.Algorithm) || r.Level == Contract && r.Algorithm == "", "algorithm %q", r.Algorithm)
	f.demand(r.Part >= 1 && r.Part <= r.Parts, "part %d of %d", r.Part, r.Parts)
	f.demand(hex40.MatchString(r.Source.Commit), "source commit %q", r.Source.Commit)
	f.demand(r.Source.Module != "" && r.Source.Time != "" && r.Toolchain.Go != "", "source or toolchain is incomplete: %+v, %+v", r.Source, r.Toolchain)
	f.demand(version.MatchString(r.Toolchain.PTXAS) || r.Level == Contract, "ptxas %q", r.Toolchain.PTXAS)
	f.demand(!r.Began.IsZero() && !r.Ended.Before(r.Began), "it ended at %v and began at %v", r.Ended, r.Began)
	f.demand(len(r.Cases) > 0, "no cases")
	f.demand(len(r.Claims) > 0 && len(r.Excludes) > 0, "claims and excluded claims must both be given")
	r.device(&f)
	for _, a := range r.Artifacts {
		f.demand(name.MatchString(a.Entry) && a.Target != "" && hex64.MatchString(a.PTXSHA256) && hex64.MatchString(a.CubinSHA256), "artifact %+v", a)
	}
	seen := map[string]bool{}
	for i := range r.Cases {
		c := &r.Cases[i]
		f.demand(!seen[c.Name], "case %q is there twice", c.Name)
		seen[c.Name] = true
		c.validate(&f, r)
	}
	return errors.Join(f.all...)
}

func (r *Record) device(f *findings) {
	kinds := map[Level][]string{Contract: {"host"}, Emulator: {"emulated"}, Lifecycle: {"cuda", "emulated"}, Graph: {"cuda", "emulated"}}
	want := kinds[r.Level]
	if want == nil {
		want = []string{"cuda"}
	}
	d := r.Device
	f.demand(slices.Contains(want, d.Kind), "level %s ran on a device of kind %q, want %v", r.Level, d.Kind, want)
	f.demand(d.Name != "", "the device has no name")
	if d.Kind == "cuda" {
		f.demand(d.UUID != "" && d.ComputeCapability != "" && d.Driver != "" && d.CUDA > 0, "device %+v is incomplete", d)
	}
	s := r.State
	f.demand((s.Unseen == "") == (s.Readings > 0 && s.By != ""), "state: either readings or the reason why there are none")
	for _, span := range []*Span{s.SMClockMHz, s.MemClockMHz, s.PowerW, s.TempC} {
		f.demand(span == nil || span.Min <= span.Median && span.Median <= span.Max, "state: %+v", span)
	}
}

func (c *Case) validate(f *findings, r *Record) {
	f.demand(c.Name != "", "a case without a name")
	f.demand(slices.Contains([]Status{Passed, Failed, NotRun}, c.Status), "%s: status %q", c.Name, c.Status)
	f.demand((c.Status == Passed) == (c.Reason == ""), "%s: %s with the reason %q", c.Name, c.Status, c.Reason)
	f.demand(c.Fingerprint == "" || hex64.MatchString(c.Fingerprint), "%s: fingerprint %q", c.Name, c.Fingerprint)
	f.demand(finite(c.MaxULP) && c.Elements >= 0, "%s: %d elements, %g ulp", c.Name, c.Elements, c.MaxULP)
	for _, a := range c.Artifacts {
		f.demand(a >= 0 && a < len(r.Artifacts), "%s: artifact %d of %d", c.Name, a, len(r.Artifacts))
	}
	timed := r.Level == Performance && c.Status == Passed
	f.demand(timed == (len(c.Timings) > 0), "%s: %d timings at level %s, %s", c.Name, len(c.Timings), r.Level, c.Status)
	for i := range c.Timings {
		c.Timings[i].validate(f, c.Name)
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) && x >= 0 }

func (t *Timing) validate(f *findings, where string) {
	f.demand(t.Region != "" && t.Bytes > 0 && t.Flops >= 0 && t.Sets > 0 && t.Calls > 0 && t.ColdBytes > 0, "%s: timing is incomplete", where)
	if l := t.Limit; l != nil {
		f.demand(l.BytesPerSecond > 0 && l.FlopsPerSecond > 0 && l.From != "", "%s: limit %+v", where, *l)
		f.demand(*l == NewLimit(t.Bytes, t.Flops, l.BytesPerSecond, l.FlopsPerSecond, l.From), "%s: the limit does not follow from bytes and flops", where)
	}
	ours, names := 0, map[string]bool{}
	for i := range t.Contenders {
		c := &t.Contenders[i]
		f.demand(c.Name != "" && !names[c.Name] && c.Provider != "" && c.Version != "", "%s: contender %q, provider %q, version %q", where, c.Name, c.Provider, c.Version)
		f.demand((c.Error == "") == (len(c.Rounds) > 0), "%s: %s: either samples or an error", where, c.Name)
		names[c.Name] = true
		if c.Ours {
			ours++
		}
		for n, round := range c.Rounds {
			f.demand(round.Order == n && round.Position >= 0 && round.Position < len(t.Contenders), "%s: %s: round %d: order %d, position %d", where, c.Name, n,
				round.Order, round.Position)
		}
	}
	f.demand(ours > 0, "%s: none of the contenders is ours", where)
	again := *t
	again.Contenders = slices.Clone(t.Contenders)
	if err := again.Summarise(); err != nil {
		f.demand(false, "%s: %v", where, err)
		return
	}
	f.demand(reflect.DeepEqual(*t, again), "%s: the summary is not what the samples say", where)
}

// NewLimit computes the physical limit of moving bytes and doing flops at the two rates: the larger of the two times.
func NewLimit(bytes, flops int64, bytesPerSecond, flopsPerSecond float64, from string) Limit {
	memory, arithmetic := float64(bytes)/bytesPerSecond*1e6, float64(flops)/flopsPerSecond*1e6
	l := Limit{Us: round(memory), By: "bytes", BytesPerSecond: bytesPerSecond, FlopsPerSecond: flopsPerSecond, From: from}
	if arithmetic > memory {
		l.Us, l.By = round(arithmetic), "flops"
	}
	return l
}
