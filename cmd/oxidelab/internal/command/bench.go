package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/timing"
)

// bench times operators at the sizes that the project states targets for. A GPU is needed: the emulator has no time.
func (l *lab) bench(args []string) (err error) {
	if len(args) > 0 && args[0] == "chain" {
		return l.benchChain(args[1:])
	}
	if len(args) > 0 && args[0] == "host" {
		return l.benchHost(args[1:])
	}
	f := l.flags("bench", "[chain | host] [flags]")
	where := f.String("device", "auto", deviceHelp)
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
	defer func() { err = errors.Join(err, d.close()) }()
	fmt.Fprintf(l.out, "times on %s\n", d)
	results, err := l.times(d, *only, *all)
	if err != nil {
		return err
	}
	return writeSamples(*out, results)
}

// openTimed opens a device that has a time.
func openTimed(name string) (*device, error) {
	d, err := openDevice(name)
	if err == nil && d.isEmulated() {
		return nil, errors.Join(errors.New("bench needs a GPU: the emulated device has no time"), d.close())
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

func (l *lab) times(d *device, prefix string, all bool) ([]timing.Result, error) {
	var results []timing.Result
	for _, c := range timedCases() {
		if !strings.HasPrefix(c.operator, prefix) {
			continue
		}
		b, err := find(c.operator)
		if err != nil {
			return nil, err
		}
		spec, err := b.ParseSpec([]byte(c.spec))
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.operator, c.label, err)
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
			r := timing.Measure(d.stream, timing.Job{Binding: b, Spec: spec, Dims: c.dims, Algorithm: a, InPlace: c.inPlace})
			r.Case = c.label
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
	fmt.Fprintf(l.out, "%-28s %-14s %8.2f µs  %3.0f %% of the memory's rate  host %5.2f µs  %s %s\n", r.Operator, r.Case, r.MedianUs,
		100*r.Fraction, r.HostUs, r.Algorithm, r.Variant)
}

// timedCase is one size at which an operator is timed.
type timedCase struct {
	operator, label, spec string
	dims                  []int
	inPlace               bool
}

// timedCases are the sizes of the targets: hidden sizes of 1.5B to 70B models, from one row to a long prefill.
func timedCases() []timedCase {
	var all []timedCase
	row := func(operator, sizeField string, rows, size int) {
		all = append(all, timedCase{operator, fmt.Sprintf("%d×%d", rows, size),
			fmt.Sprintf(`{"max_rows": %d, %q: %d, "input": "bf16"}`, rows, sizeField, size), []int{rows},
			operator == "normalization.add_rms_norm"}) // in place, as engines call it
	}
	for _, operator := range []string{"normalization.rms_norm", "normalization.add_rms_norm", "normalization.layer_norm"} {
		for _, hidden := range []int{1536, 4096, 8192} {
			for _, rows := range []int{1, 16, 128, 2048, 8192} {
				row(operator, "hidden", rows, hidden)
			}
		}
		row(operator, "hidden", 4096, 4096)
		row(operator, "hidden", 16384, 8192)
	}
	for _, size := range []int{8960, 14336} {
		for _, rows := range []int{1, 16, 128, 2048, 8192} {
			row("activation.swiglu", "size", rows, size)
		}
	}
	for _, rows := range []int{1, 128, 8192} {
		row("activation.gelu", "size", rows, 14336)
	}
	for _, tokens := range []int{1, 128, 8192} {
		all = append(all, timedCase{"normalization.head_rms_norm", fmt.Sprintf("%d×(32+8)×128", tokens),
			fmt.Sprintf(`{"max_tokens": %d, "q_heads": 32, "k_heads": 8, "head_dim": 128, "input": "bf16"}`, tokens), []int{tokens}, false})
	}
	return all
}
