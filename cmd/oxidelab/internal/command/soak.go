package command

import (
	"errors"
	"fmt"
	"time"

	"github.com/oxideinfer/oxide/algorithms/operators"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/soak"
)

// soak drives the device from many goroutines at once. Build oxidelab with -race to run it under the race detector.
func (l *lab) soak(args []string) (err error) {
	f := l.flags("soak", "[flags]")
	where := f.String("device", "auto", device.Help)
	c := soak.Config{Patience: 2 * time.Minute}
	f.IntVar(&c.Goroutines, "goroutines", 64, "number of `goroutines`")
	f.IntVar(&c.Streams, "streams", 16, "number of `streams` that they share")
	f.DurationVar(&c.For, "for", 10*time.Minute, "how `long`")
	f.Uint64Var(&c.Seed, "seed", 1, "of the random choices")
	out := f.String("json", "", "write the counts to this `file`")
	if rest, err := parse(f, args); err != nil || len(rest) > 0 {
		return errors.Join(err, unexpected(rest))
	}
	if c.Goroutines < 1 || c.Streams < 1 {
		return errors.New("want at least one goroutine and one stream")
	}
	d, err := device.Open(*where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	fmt.Fprintf(l.out, "soak of %s: %d goroutines, %d streams, %v\n", d, c.Goroutines, c.Streams, c.For)
	r, err := soak.Run(l.ctx, d.Dev, operators.Bindings(), c)
	fmt.Fprintf(l.out, "%d different calls; %v in %v; %d bytes free before, %d after\n", r.Works, r.Actions, r.Took.Round(time.Second), r.FreeBefore, r.FreeAfter)
	if err != nil {
		fmt.Fprintln(l.out, err)
		return errWrong
	}
	return writeSamples(*out, r)
}
