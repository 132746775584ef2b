package probe

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Assembler assembles a module. A nil error means that it was accepted; a *Rejected holds the assembler's messages;
// another error stops the run.
type Assembler func(ctx context.Context, ptx string) error

// Rejected is the answer of an assembler that refused a module.
type Rejected struct{ Output string }

// Error returns the messages.
func (r *Rejected) Error() string { return r.Output }

// Options tune a run.
type Options struct {
	Batch    int // probes a module, 400 if 0
	Parallel int // modules at once, 1 if 0
	Progress func(done, all int)
}

// Run asks about every probe. The result maps a mnemonic to "" if all of its probes are accepted, else to the first
// error message about one of them.
func Run(ctx context.Context, asm Assembler, probes []Probe, opt Options) (map[string]string, error) {
	if opt.Batch == 0 {
		opt.Batch = 400
	}
	r := &runner{asm: asm, answers: make(map[string]string, len(probes)), all: len(probes), progress: opt.Progress}
	for _, p := range probes {
		r.answers[p.Mnemonic] = ""
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	batches := make(chan []Probe)
	var wg sync.WaitGroup
	for range max(1, opt.Parallel) {
		wg.Go(func() {
			for b := range batches {
				if err := r.batch(ctx, b); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, b := range split(probes, opt.Batch) {
		if ctx.Err() != nil {
			break
		}
		batches <- b
	}
	close(batches)
	wg.Wait()
	return r.answers, context.Cause(ctx)
}

// split makes batches; probes of functions and of kernels never share one, and wide accumulators come few at a time,
// because the register allocator's time grows with them.
func split(probes []Probe, size int) [][]Probe {
	var out [][]Probe
	var kinds [3][]Probe
	for _, p := range probes {
		k, limit := 0, size
		switch {
		case p.Function:
			k = 1
		case strings.HasPrefix(p.Mnemonic, "wgmma"):
			k, limit = 2, 16
		}
		kinds[k] = append(kinds[k], p)
		if len(kinds[k]) == limit {
			out = append(out, kinds[k])
			kinds[k] = nil
		}
	}
	for _, b := range kinds {
		if len(b) > 0 {
			out = append(out, b)
		}
	}
	return out
}

type runner struct {
	asm      Assembler
	mu       sync.Mutex
	answers  map[string]string
	done     int
	all      int
	progress func(done, all int)
}

func (r *runner) record(p Probe, msg string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers[p.Mnemonic] == "" {
		r.answers[p.Mnemonic] = msg
	}
}

var errorLine = regexp.MustCompile(`line (\d+); error\s*:\s*(.*)`)

// batch assembles probes, drops those that a message names, and repeats until the rest is accepted. Where a message
// names no line of a probe, the batch is halved.
func (r *runner) batch(ctx context.Context, probes []Probe) error {
	defer func(n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done += n
		if r.progress != nil {
			r.progress(r.done, r.all)
		}
	}(len(probes))
	return r.narrow(ctx, probes)
}

func (r *runner) narrow(ctx context.Context, probes []Probe) error {
	for len(probes) > 0 {
		text, first := module(probes, probes[0].Function)
		err := r.asm(ctx, text)
		rej, ok := err.(*Rejected)
		if !ok {
			return err
		}
		bad := map[int]string{}
		for _, m := range errorLine.FindAllStringSubmatch(rej.Output, -1) {
			line, _ := strconv.Atoi(m[1])
			if i := line - first; i >= 0 && i < len(probes) && bad[i] == "" {
				bad[i] = m[2]
			}
		}
		if len(bad) == 0 {
			return r.halve(ctx, probes, rej)
		}
		var rest []Probe
		for i, p := range probes {
			if msg, is := bad[i]; is {
				r.record(p, msg)
			} else {
				rest = append(rest, p)
			}
		}
		probes = rest
	}
	return nil
}

func (r *runner) halve(ctx context.Context, probes []Probe, rej *Rejected) error {
	if len(probes) == 1 {
		msg, _, _ := strings.Cut(strings.TrimSpace(rej.Output), "\n")
		r.record(probes[0], fmt.Sprintf("no line: %s", msg))
		return nil
	}
	half := len(probes) / 2
	if err := r.narrow(ctx, probes[:half]); err != nil {
		return err
	}
	return r.narrow(ctx, probes[half:])
}
