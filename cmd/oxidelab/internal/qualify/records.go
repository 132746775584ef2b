package qualify

import (
	"errors"
	"fmt"
	"regexp"
	goruntime "runtime"
	"runtime/debug"
	"slices"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/levels"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// ErrUnstamped: the program does not know the commit that it was built from, or was built from a changed tree.
var ErrUnstamped = errors.New("this program cannot record")

// Stamp returns the commit that the program was built from, as the go command stamps it.
func Stamp() (evidence.Source, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return evidence.Source{}, fmt.Errorf("%w: it has no build information", ErrUnstamped)
	}
	return stampOf(info)
}

func stampOf(info *debug.BuildInfo) (evidence.Source, error) {
	s := evidence.Source{Module: info.Main.Path}
	modified := "unknown"
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			s.Commit = setting.Value
		case "vcs.time":
			s.Time = setting.Value
		case "vcs.modified":
			modified = setting.Value
		}
	}
	switch {
	case s.Commit == "" || s.Time == "":
		return s, fmt.Errorf("%w: it is not stamped with a commit; build it with go build -buildvcs=true in a clone", ErrUnstamped)
	case modified != "false":
		return s, fmt.Errorf("%w: it was built from a changed tree (commit %s)", ErrUnstamped, s.Commit)
	}
	return s, nil
}

// Records makes the records of a result: one for each level and algorithm of an operator of which a case was run. A level
// that could not be run at all leaves none.
func (r Result) Records(source evidence.Source, artifacts []*oxrt.Artifact) ([]*evidence.Record, error) {
	var all []*evidence.Record
	for _, l := range r.Levels {
		if l.NotRun != "" {
			continue
		}
		for _, group := range byAlgorithm(l.Outcomes) {
			one, err := l.record(group, r, source, artifacts)
			if err != nil {
				return nil, err
			}
			parts, err := evidence.Split(one)
			if err != nil {
				return nil, fmt.Errorf("%s %s %s: %w", one.Level, one.Operator, one.Algorithm, err)
			}
			all = append(all, parts...)
		}
	}
	return all, nil
}

// byAlgorithm groups outcomes by operator and algorithm, in the order in which these appear.
func byAlgorithm(outcomes []levels.Outcome) [][]levels.Outcome {
	var groups [][]levels.Outcome
	at := map[[2]string]int{}
	for _, o := range outcomes {
		key := [2]string{o.Task.Operator, o.Task.Algorithm}
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], o)
	}
	return groups
}

func (l LevelResult) record(group []levels.Outcome, r Result, source evidence.Source, artifacts []*oxrt.Artifact) (*evidence.Record, error) {
	first := group[0].Task
	rec := &evidence.Record{Schema: evidence.Schema, Level: l.Level, Operator: first.Operator, Provider: "Oxide", Algorithm: first.Algorithm,
		Part: 1, Parts: 1, Source: source, Toolchain: evidence.Toolchain{Go: goruntime.Version()}, Device: l.ranOn(r), State: l.State,
		Began: l.Began, Ended: l.Ended, Artifacts: []evidence.Artifact{}, Claims: claims(l.Level), Excludes: excludes(l.Level)}
	number := map[string]int{}
	for _, o := range group {
		c := o.Case
		for _, entry := range o.Kernel {
			n, ok := number[entry]
			if !ok {
				a, err := artifactOf(entry, artifacts)
				if err != nil {
					return nil, err
				}
				n = len(rec.Artifacts)
				number[entry] = n
				rec.Artifacts = append(rec.Artifacts, a)
			}
			if !slices.Contains(c.Artifacts, n) {
				c.Artifacts = append(c.Artifacts, n)
			}
		}
		rec.Cases = append(rec.Cases, c)
	}
	if l.Level != evidence.Contract {
		rec.Toolchain.PTXAS = PTXAS(artifacts)
	}
	return rec, nil
}

// ranOn is the device of a level.
func (l LevelResult) ranOn(r Result) evidence.Device {
	switch l.Level {
	case evidence.Contract:
		return evidence.Device{Kind: "host", Name: "host"}
	case evidence.Emulator:
		return r.Emulator
	}
	return r.Device
}

func artifactOf(entry string, artifacts []*oxrt.Artifact) (evidence.Artifact, error) {
	for _, a := range artifacts {
		if a.Entry == entry {
			return Describe(a), nil
		}
	}
	return evidence.Artifact{}, fmt.Errorf("a kernel %s was launched that the library does not have", entry)
}

// Describe is a kernel as records name it.
func Describe(a *oxrt.Artifact) evidence.Artifact {
	return evidence.Artifact{Entry: a.Entry, Variant: a.Variant, Target: a.Target, PTXSHA256: a.PTXSHA256, CubinSHA256: a.CubinSHA256}
}

// Committed looks kernels up among those that the program was built with.
func Committed(artifacts []*oxrt.Artifact) evidence.Committed {
	type key struct{ entry, target string }
	all := map[key]evidence.Artifact{}
	for _, a := range artifacts {
		all[key{a.Entry, a.Target}] = Describe(a)
	}
	return func(entry, target string) (evidence.Artifact, bool) {
		a, ok := all[key{entry, target}]
		return a, ok
	}
}

// assembler is how ptxas names itself in the .note.nv.tkinfo of every cubin.
var assembler = regexp.MustCompile(`Cuda compilation tools, release [0-9.]+, V([0-9]+\.[0-9]+\.[0-9]+)`)

// PTXAS returns the version of the assembler that all kernels say they were made by, or "" if they disagree.
func PTXAS(artifacts []*oxrt.Artifact) string {
	version := ""
	for _, a := range artifacts {
		m := assembler.FindSubmatch(a.Cubin)
		if m == nil || version != "" && version != string(m[1]) {
			return ""
		}
		version = string(m[1])
	}
	return version
}
