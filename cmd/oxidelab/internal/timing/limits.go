package timing

import "github.com/oxideinfer/oxide/evidence"

// rates are what one GPU reaches at most.
type rates struct {
	bytes, flops float64
	from         string
}

// knownRates are measured on the machines that targets are stated for. The memory's is the most that a reading kernel was
// seen to reach; the arithmetic's is the f32 units' peak: 132 multiprocessors of 128 lanes at 1.98 GHz, a multiply-add
// counted as two.
var knownRates = map[string]rates{
	"NVIDIA H200": {4.55e12, 132 * 128 * 2 * 1.98e9, "measured read rate and computed f32 peak of one NVIDIA H200"},
}

// LimitOn is the physical limit on a device, or nil where its rates are not known.
func LimitOn(device string, bytes, flops int64) *evidence.Limit {
	r, ok := knownRates[device]
	if !ok {
		return nil
	}
	l := evidence.NewLimit(bytes, flops, r.bytes, r.flops, r.from)
	return &l
}
