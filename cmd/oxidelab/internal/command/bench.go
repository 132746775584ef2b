package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
)

// bench times operators at the sizes that the project states targets for. A GPU is needed: the emulator has no time.
func (l *lab) bench(args []string) (err error) {
	if len(args) > 0 && args[0] == "chain" {
		return l.benchChain(args[1:])
	}
	if len(args) > 0 && args[0] == "layer" {
		return l.benchLayer(args[1:])
	}
	if len(args) > 0 && args[0] == "host" {
		return l.benchHost(args[1:])
	}
	f := l.flags("bench", "[chain | layer | host] [flags]")
	where := f.String("device", "auto", device.Help)
	only := f.String("op", "", "time only operators whose name begins with this `prefix`")
	out := f.String("json", "", "write every sample to this `file`")
	all := f.Bool("all", false, "time every algorithm that takes the spec, not only the chosen one")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	d, err := openTimed(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	fmt.Fprintf(l.out, "times on %s\n", d)
	results, err := l.times(d, *only, *all)
	if err != nil {
		return err
	}
	return writeSamples(*out, results)
}

// openTimed opens a device that has a time.
func openTimed(name string) (*device.Device, error) {
	d, err := device.Open(name)
	if err == nil && d.IsEmulated() {
		return nil, errors.Join(errors.New("bench needs a GPU: the emulated device has no time"), d.Close())
	}
	return d, err
}

// writeSamples keeps every sample of a measurement, where the caller wants them.
func writeSamples(path string, results any) error {
	if path == "" {
		return nil
	}
	text, err := json.Marshal(results)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func unexpected(rest []string) error {
	if len(rest) == 0 {
		return nil
	}
	return fmt.Errorf("unexpected arguments: %s", strings.Join(rest, " "))
}

func (l *lab) times(d *device.Device, prefix string, all bool) ([]timing.Result, error) {
	var results []timing.Result
	for _, c := range timing.Cases() {
		if !strings.HasPrefix(c.Operator, prefix) {
			continue
		}
		b, err := find(c.Operator)
		if err != nil {
			return nil, err
		}
		spec, err := b.ParseSpec([]byte(c.Spec))
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.Operator, c.Label, err)
		}
		algorithms := []string{""}
		if all {
			algorithms = algorithms[:0]
			for i, refusal := range b.Supports(spec) {
				if refusal == nil {
					algorithms = append(algorithms, b.Operator.Algorithms[i].Name)
				}
			}
		}
		for _, a := range algorithms {
			r := timing.Measure(d.Stream, timing.Job{Binding: b, Spec: spec, Dims: c.Dims, Algorithm: a, InPlace: c.InPlace})
			r.Case = c.Label
			results = append(results, r)
			l.printTime(r)
		}
	}
	return results, nil
}

func (l *lab) printTime(r timing.Result) {
	if r.Error != "" {
		fmt.Fprintf(l.out, "%-28s %-14s %s\n", r.Operator, r.Case, r.Error)
		return
	}
	host := ""
	if len(r.EagerUs) > 0 {
		host = fmt.Sprintf("host %5.2f µs", r.HostUs)
	}
	fmt.Fprintf(l.out, "%-28s %-18s %8.2f µs  %3.0f %% of the limit  %-13s  %s %s\n", r.Operator, r.Case, r.MedianUs, 100*r.Fraction, host, r.Algorithm, r.Variant)
}
