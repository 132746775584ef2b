package timing

import (
	"errors"
	"time"

	"github.com/oxideinfer/oxide/evidence"
)

// sampler is one contender: every call of sample is one measurement in microseconds.
type sampler struct {
	contender evidence.Contender
	warm      int // rounds in each order before the samples count
	samples   int // in each order
	sample    func() (float64, error)
	rest      float64 // seconds of rest behind a sample, for a second of work
	close     func() error

	rounds [2]evidence.Round
	us     [2][]float64
}

// compete takes one sample of every contender a round, in their order, in the opposite one twice, in the first again: what a card does
// over time, as to lower its clocks near its power limit, is then the same for all and for both orders. A sample counts after the warm-up
// and follows one that does not count, so that it does not see who ran before. A contender that fails is out, with its error, in both
// orders; the others go on.
func compete(all []*sampler) ([]evidence.Contender, error) {
	rounds := 0
	for _, s := range all {
		rounds = max(rounds, 2*(s.warm+s.samples))
	}
	for n := range rounds {
		order := [...]int{0, 1, 1, 0}[n%4]
		for at := range all {
			i := at
			if order == 1 {
				i = len(all) - 1 - at
			}
			all[i].round(order, at)
		}
	}
	var out []evidence.Contender
	for _, s := range all {
		c, err := s.result()
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// round takes one sample unless the contender is out or has all of this order.
func (s *sampler) round(order, position int) {
	if s.contender.Error != "" || len(s.us[order]) == s.warm+s.samples {
		return
	}
	begin := time.Now()
	if _, err := s.sample(); err != nil {
		s.contender.Error = err.Error()
		return
	}
	us, err := s.sample()
	if err != nil {
		s.contender.Error = err.Error()
		return
	}
	s.rounds[order] = evidence.Round{Order: order, Position: position}
	s.us[order] = append(s.us[order], us)
	time.Sleep(time.Duration(s.rest * float64(time.Since(begin))))
}

// result is the contender with its samples, or with its error and none.
func (s *sampler) result() (evidence.Contender, error) {
	c := s.contender
	if c.Error != "" {
		return c, nil
	}
	for order, r := range s.rounds {
		var err error
		if r.Samples, err = evidence.Pack(s.us[order][s.warm:]); err != nil {
			return c, err
		}
		c.Rounds = append(c.Rounds, r)
	}
	return c, nil
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
