package timing

import (
	"context"
	"errors"

	"github.com/oxideinfer/oxide/runtime"
)

// work is a sequence of operators that depend on each other, submitted as one scope.
type work interface {
	submit(*oxrt.Stream) (oxrt.Completion, error)
	close() error
}

// measure times work without overlap of launches and with it in turn, round by round; it has so many units.
func (r *ChainResult) measure(stream *oxrt.Stream, rounds, units int, build func(apart bool) (work, error)) (err error) {
	r.Samples = map[string][]float64{}
	names := [2]string{"apart", "overlapping"}
	var runs [2]*run
	for i := range runs {
		w, err := build(i == 0)
		if err != nil {
			return err
		}
		c, err := newRun(stream, w, units)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.close()) }()
		runs[i] = c
	}
	const warm = 3
	for round := range warm + rounds {
		for turn := range runs {
			i := (round + turn) % 2 // both orders
			graph, eager, err := runs[i].sample()
			if err != nil {
				return err
			}
			if round >= warm {
				r.Samples[names[i]+" graph"] = append(r.Samples[names[i]+" graph"], graph)
				r.Samples[names[i]+" eager"] = append(r.Samples[names[i]+" eager"], eager)
			}
		}
	}
	r.Graph = Pair(r.Samples["apart graph"], r.Samples["overlapping graph"])
	r.Eager = Pair(r.Samples["apart eager"], r.Samples["overlapping eager"])
	return nil
}

// run is work with its graph and the events around it.
type run struct {
	work
	units  int
	stream *oxrt.Stream
	graph  *oxrt.Graph
	marks  [2]*oxrt.Event
}

// newRun owns the work, also where it fails.
func newRun(stream *oxrt.Stream, w work, units int) (*run, error) {
	r := &run{work: w, units: units, stream: stream}
	var err error
	if r.graph, err = capture(stream, w); err != nil {
		return nil, errors.Join(err, w.close())
	}
	for i := range r.marks {
		if r.marks[i], err = stream.Device().NewEvent(true); err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	return r, nil
}

func capture(stream *oxrt.Stream, w work) (*oxrt.Graph, error) {
	if err := stream.BeginCapture(); err != nil {
		return nil, err
	}
	_, err := w.submit(stream)
	g, endErr := stream.EndCapture()
	return g, errors.Join(err, endErr)
}

func (r *run) close() error {
	all := []error{r.graph.Close()}
	for _, m := range r.marks {
		if m != nil {
			all = append(all, m.Close())
		}
	}
	return errors.Join(append(all, r.work.close())...)
}

// sample times one replay and one scope, in microseconds a unit.
func (r *run) sample() (graph, eager float64, err error) {
	if graph, err = r.time(func() (oxrt.Completion, error) { return r.graph.Launch(r.stream) }); err != nil {
		return 0, 0, err
	}
	eager, err = r.time(func() (oxrt.Completion, error) { return r.submit(r.stream) })
	return graph, eager, err
}

func (r *run) time(launch func() (oxrt.Completion, error)) (float64, error) {
	if err := r.marks[0].Record(r.stream); err != nil {
		return 0, err
	}
	done, err := launch()
	if err != nil {
		return 0, err
	}
	if err := r.marks[1].Record(r.stream); err != nil {
		return 0, err
	}
	if err := errors.Join(done.Wait(context.Background()), r.stream.Synchronize(context.Background())); err != nil {
		return 0, err
	}
	d, err := r.marks[1].Since(r.marks[0])
	return d.Seconds() * 1e6 / float64(r.units), err
}
