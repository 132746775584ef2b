package timing

import (
	"errors"

	"github.com/oxideinfer/oxide/algorithms/gemm"
	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/runtime"
)

// LayerSizes are those of a decoder layer with a gated MLP.
type LayerSizes struct {
	Hidden, QKV, Attention, MLP int // columns: of the stream, of q, k and v together, of q, and of gate and of up
}

// Qwen25 is Qwen2.5-1.5B: 12 heads and 2 of keys and values, of 128.
var Qwen25 = LayerSizes{Hidden: 1536, QKV: 1536 + 2*256, Attention: 1536, MLP: 8960}

// Layers is how many layers a graph holds, each with weights of its own: together several times L2.
const Layers = 4

// layer is what a decoder layer multiplies: n = RMSNorm(h), qkv = n·Wqkvᵀ + bias, h += q·Woᵀ, n = RMSNorm(h), g = SwiGLU(n·Wgᵀ, n·Wuᵀ),
// h += g·Wdᵀ. q stands in for what attention makes of it, so that every operator reads what the one before has written.
type layer struct {
	norm           *normalization.RMSNormPlan
	qkv, out, down *gemm.Plan
	gate           *gemm.Plan
	norms          normalization.RMSNormOperands
	calls          [Layers][4]gemm.Operands // qkv, out, gate, down
	bufs           []*oxrt.Buffer
}

func newLayer(stream *oxrt.Stream, s LayerSizes, rows int, apart bool) (*layer, error) {
	l := &layer{}
	if err := l.plan(stream.Device(), s, rows, apart); err != nil {
		return nil, err
	}
	if err := errors.Join(l.allocate(stream.Device(), s, rows), fill(stream, l.bufs)); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *layer) plan(dev *oxrt.Device, s LayerSizes, rows int, apart bool) (err error) {
	var norm []normalization.Option
	var product []gemm.Option
	if apart {
		norm, product = append(norm, normalization.WithoutOverlap()), append(product, gemm.WithoutOverlap())
	}
	keep := func(p *gemm.Plan, failed error) *gemm.Plan { err = errors.Join(err, failed); return p }
	var failed error
	l.norm, failed = normalization.PlanRMSNorm(dev, normalization.RMSNormSpec{MaxRows: rows, Hidden: s.Hidden, Input: oxrt.BF16, Epsilon: 1e-6}, norm...)
	err = errors.Join(err, failed)
	of := gemm.MatmulSpec{MaxM: rows, Input: oxrt.BF16}
	qkv, out, down := of, of, of
	qkv.N, qkv.K, qkv.Bias = s.QKV, s.Hidden, true
	out.N, out.K, out.AStride, out.Accumulate = s.Hidden, s.Attention, s.QKV, true
	down.N, down.K, down.Accumulate = s.Hidden, s.MLP, true
	l.qkv = keep(gemm.PlanMatmul(dev, qkv, product...))
	l.out = keep(gemm.PlanMatmul(dev, out, product...))
	l.gate = keep(gemm.PlanGatedMatmul(dev, gemm.GatedSpec{MaxM: rows, N: s.MLP, K: s.Hidden, Input: oxrt.BF16}, product...))
	l.down = keep(gemm.PlanMatmul(dev, down, product...))
	return err
}

func (l *layer) allocate(dev *oxrt.Device, s LayerSizes, rows int) error {
	var failed error
	make := func(elems int) oxrt.Region {
		buf, err := dev.Alloc(int64(2 * elems))
		if err != nil {
			failed = errors.Join(failed, err)
			return oxrt.Region{}
		}
		l.bufs = append(l.bufs, buf)
		return buf.All(oxrt.BF16)
	}
	h, n, weight := make(rows*s.Hidden), make(rows*s.Hidden), make(s.Hidden)
	qkv, g, bias := make(rows*s.QKV), make(rows*s.MLP), make(s.QKV)
	l.norms = normalization.RMSNormOperands{Rows: rows, X: h, Weight: weight, Y: n}
	for i := range l.calls {
		l.calls[i] = [4]gemm.Operands{
			{M: rows, A: n, B: make(s.QKV * s.Hidden), Bias: bias, D: qkv}, {M: rows, A: qkv, B: make(s.Hidden * s.Attention), C: h, D: h},
			{M: rows, A: n, B: make(2 * s.MLP * s.Hidden), D: g}, {M: rows, A: g, B: make(s.Hidden * s.MLP), C: h, D: h},
		}
	}
	return failed
}

func (l *layer) close() error { return closeBuffers(l.bufs) }

// submit runs the layers as one scope.
func (l *layer) submit(stream *oxrt.Stream) (oxrt.Completion, error) {
	scope, err := stream.Begin()
	if err != nil {
		return oxrt.Completion{}, err
	}
	for _, c := range l.calls {
		if err := errors.Join(l.norm.Enqueue(scope, l.norms), l.qkv.Enqueue(scope, c[0]), l.out.Enqueue(scope, c[1]),
			l.norm.Enqueue(scope, l.norms), l.gate.Enqueue(scope, c[2]), l.down.Enqueue(scope, c[3])); err != nil {
			scope.Drop()
			return oxrt.Completion{}, err
		}
	}
	return scope.Submit()
}

// algorithms are those of qkv, the output product, gate and up, and down.
func (l *layer) algorithms() []string {
	return []string{l.qkv.Algorithm(), l.out.Algorithm(), l.gate.Algorithm(), l.down.Algorithm()}
}

// Layer measures a decoder layer's norms and products without and with overlap of launches, and names its products' algorithms.
func Layer(stream *oxrt.Stream, s LayerSizes, rows, rounds int) (r ChainResult, algorithms []string, err error) {
	r = ChainResult{Rows: rows, Hidden: s.Hidden}
	err = r.measure(stream, rounds, Layers, func(apart bool) (work, error) {
		l, err := newLayer(stream, s, rows, apart)
		if err != nil {
			return nil, err
		}
		algorithms = l.algorithms()
		return l, nil
	})
	return r, algorithms, err
}
