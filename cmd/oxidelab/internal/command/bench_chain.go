package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
)

// benchChain times 32 times add + RMSNorm and SwiGLU, each on the results of the one before, with and without programmatic dependent
// launch between them: as one scope and as one graph.
func (l *lab) benchChain(args []string) (err error) {
	f := l.flags("bench chain", "[flags]")
	where := f.String("device", "auto", device.Help)
	out := f.String("json", "", "write every sample to this `file`")
	rounds := f.Int("rounds", 101, "number of `rounds`")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	if *rounds < 1 {
		return errors.New("want at least one round")
	}
	d, err := openTimed(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	fmt.Fprintf(l.out, "(add + RMSNorm, SwiGLU) × %d in bf16 on %s, device time of a pair, medians of %d rounds\n", timing.ChainPairs, d, *rounds)
	var results []timing.ChainResult
	for _, hidden := range []int{4096, 8192} {
		for _, rows := range []int{1, 16, 128} {
			r, err := timing.Chain(d.Stream, rows, hidden, *rounds)
			if err != nil {
				return fmt.Errorf("%d×%d: %w", rows, hidden, err)
			}
			results = append(results, r)
			l.chainTimes(fmt.Sprintf("%4d×%d", rows, hidden), r)
		}
	}
	return writeSamples(*out, results)
}

// chainTimes prints a row for the graph and one for eager calls.
func (l *lab) chainTimes(name string, r timing.ChainResult) {
	for _, how := range []struct {
		name string
		p    timing.Paired
	}{{"graph", r.Graph}, {"eager", r.Eager}} {
		fmt.Fprintf(l.out, "%s %s   apart %6.2f µs   overlapping %6.2f µs   difference %+.2f µs, 95 %% in [%+.2f, %+.2f]\n", name, how.name,
			how.p.Base, how.p.Other, how.p.Difference, how.p.Low, how.p.High)
	}
}

// benchLayer times the norms and products of a Qwen2.5-1.5B decoder layer, each on the results of the one before, with and without
// programmatic dependent launch between them: as one scope and as one graph.
func (l *lab) benchLayer(args []string) (err error) {
	f := l.flags("bench layer", "[flags]")
	where := f.String("device", "auto", device.Help)
	out := f.String("json", "", "write every sample to this `file`")
	rounds := f.Int("rounds", 101, "number of `rounds`")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	if *rounds < 1 {
		return errors.New("want at least one round")
	}
	d, err := openTimed(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	fmt.Fprintf(l.out, "RMSNorm, qkv, output, RMSNorm, gate and up, down of %d layers of Qwen2.5-1.5B in bf16 on %s, device time of a layer, medians of %d rounds\n",
		timing.Layers, d, *rounds)
	var results []timing.ChainResult
	for _, rows := range []int{1, 4, 16} {
		r, algorithms, err := timing.Layer(d.Stream, timing.Qwen25, rows, *rounds)
		if err != nil {
			return fmt.Errorf("%d rows: %w", rows, err)
		}
		results = append(results, r)
		l.chainTimes(fmt.Sprintf("%2d rows", rows), r)
		fmt.Fprintln(l.out, "        ", strings.Join(algorithms, ", "))
	}
	return writeSamples(*out, results)
}
