package timing

import (
	"errors"
	"slices"

	"github.com/oxideinfer/oxide/evidence"
)

// sampler is one contender: every call of sample is one measurement in microseconds.
type sampler struct {
	contender evidence.Contender
	warm      int
	samples   int
	sample    func() (float64, error)
	close     func() error
}

// compete runs the contenders in their order and then in the opposite one, each with a warm-up before its samples. A
// contender that fails is out, with its error, in both orders; the others go on.
func compete(all []*sampler) ([]evidence.Contender, error) {
	taken := make([][][]float64, len(all))
	positions := make([][]int, len(all))
	forward := make([]int, len(all))
	for i := range forward {
		forward[i] = i
	}
	backward := slices.Clone(forward)
	slices.Reverse(backward)
	for _, order := range [][]int{forward, backward} {
		for at, i := range order {
			if all[i].contender.Error != "" {
				continue
			}
			x, err := all[i].round()
			if err != nil {
				all[i].contender.Error = err.Error()
				continue
			}
			taken[i], positions[i] = append(taken[i], x), append(positions[i], at)
		}
	}
	var out []evidence.Contender
	for i, s := range all {
		c := s.contender
		if c.Error == "" {
			for order, x := range taken[i] {
				packed, err := evidence.Pack(x)
				if err != nil {
					return nil, err
				}
				c.Rounds = append(c.Rounds, evidence.Round{Order: order, Position: positions[i][order], Samples: packed})
			}
		}
		out = append(out, c)
	}
	return out, nil
}

func (s *sampler) round() ([]float64, error) {
	for range s.warm {
		if _, err := s.sample(); err != nil {
			return nil, err
		}
	}
	var all []float64
	for range s.samples {
		us, err := s.sample()
		if err != nil {
			return nil, err
		}
		all = append(all, us)
	}
	return all, nil
}

func closeAll(all []*sampler) error {
	var errs []error
	for _, s := range all {
		if s.close != nil {
			errs = append(errs, s.close())
		}
	}
	return errors.Join(errs...)
}
