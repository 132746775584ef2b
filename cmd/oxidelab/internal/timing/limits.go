package timing

import (
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/evidence"
	"github.com/oxideinfer/oxide/runtime"
)

// rates are what one GPU reaches at most.
type rates struct {
	bytes  float64
	f32    float64                // operations of the f32 units
	tensor map[oxrt.DType]float64 // operations of tensor cores, by the type that they multiply
	from   string
}

// knownRates are measured on the machines that targets are stated for. The memory's is the most that a reading kernel was
// seen to reach, the tensor cores' the most of any product of matrices; the f32 units' is their peak: 132 multiprocessors of 128
// lanes at 1.98 GHz, a multiply-add counted as two.
var knownRates = map[string]rates{
	"NVIDIA H200": {4.55e12, 132 * 128 * 2 * 1.98e9, map[oxrt.DType]float64{oxrt.BF16: 800e12, oxrt.F16: 800e12, oxrt.E4M3: 1450e12},
		"measured rates of reading and of tensor cores, computed f32 peak of one NVIDIA H200"},
}

// LimitOn is the physical limit on a device, or nil where its rates are not known. tensor is the type that tensor cores multiply, 0
// where the f32 units do the arithmetic.
func LimitOn(device string, bytes, flops int64, tensor oxrt.DType) *evidence.Limit {
	r, ok := knownRates[device]
	if !ok {
		return nil
	}
	of := r.f32
	if tensor != 0 {
		of = r.tensor[tensor]
	}
	l := evidence.NewLimit(bytes, flops, r.bytes, of, r.from)
	return &l
}

// TensorType is the type that tensor cores multiply in an operator, 0 for none.
func TensorType(op *catalog.Operator, spec any) oxrt.DType {
	if op.TensorCores == "" {
		return 0
	}
	return op.Values(spec).DType(op.TensorCores)
}
