package trial

import (
	"errors"
	"fmt"
	"slices"

	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/runtime"
)

const (
	// guard is the number of sentinel bytes before a region, and after one that is written. Nothing lies behind an input:
	// there the emulated device reports a read past the end.
	guard = 256
	// poison is a NaN in every format.
	poison = 0xff
	// maxBytes bounds the operands of one call together. The host keeps two copies, the emulated device two more.
	maxBytes = 4 << 30
)

// fits refuses operands that strides spread over more memory than a host should be asked for.
func fits(op *catalog.Operator, tensors []catalog.Tensor) error {
	total := 0
	for _, t := range tensors {
		if t.Present {
			total += t.Span() * t.DType.Size()
		}
		if total > maxBytes {
			return op.Refuse(t.Operand.Name, fmt.Sprintf("operands of at most %d bytes together, gaps between rows included", maxBytes),
				fmt.Sprint(total))
		}
	}
	return nil
}

// arena holds the memory of one call.
type arena struct{ all []*memory }

// memory is one operand with its surroundings.
type memory struct {
	tensor catalog.Tensor
	first  int // byte offset of the first element
	before []byte
	buffer *oxrt.Buffer
	region oxrt.Region
	shared bool // the buffer is another operand's
}

// place allocates and uploads one operand. An absent operand has the zero region.
func (a *arena) place(stream *oxrt.Stream, t catalog.Tensor, s Setup) (*memory, error) {
	m := &memory{tensor: t}
	if !t.Present {
		return m, nil
	}
	a.all = append(a.all, m)
	if s.InPlace && len(t.Operand.MayAlias) > 0 {
		return m, a.share(m, t.Operand.MayAlias[0])
	}
	size := t.DType.Size()
	m.first = guard + s.Offset*size
	behind := guard
	if t.Operand.Access == catalog.In && !s.InPlace {
		behind = 0
	}
	m.before = slices.Repeat([]byte{poison}, m.first+t.Span()*size+behind)
	if t.Operand.Access == catalog.In {
		in := s.Inputs[t.Operand.Name]
		if len(in) != t.Elements()*size {
			return nil, fmt.Errorf("%s: %d bytes of input, want %d", t.Operand.Name, len(in), t.Elements()*size)
		}
		t.Offsets(func(dense, offset int) {
			copy(m.before[m.first+offset*size:][:size], in[dense*size:])
		})
	}
	var err error
	if m.buffer, err = stream.Device().AllocNamed(t.Operand.Name, int64(len(m.before))); err != nil {
		return nil, err
	}
	if m.region, err = m.buffer.Region(int64(m.first), t.DType, int64(t.Span())); err != nil {
		return nil, err
	}
	return m, stream.Upload(m.buffer.All(oxrt.U8), m.before)
}

// share puts an output over an input that was placed before.
func (a *arena) share(m *memory, name string) error {
	for _, other := range a.all {
		if other.tensor.Operand.Name != name || other == m {
			continue
		}
		if other.tensor.DType != m.tensor.DType || !slices.Equal(other.tensor.Strides, m.tensor.Strides) {
			return fmt.Errorf("%s cannot work in place of %s: types or strides differ", m.tensor.Operand.Name, name)
		}
		m.first, m.before, m.buffer, m.region, m.shared = other.first, other.before, other.buffer, other.region, true
		return nil
	}
	return fmt.Errorf("%s: no operand %s to share", m.tensor.Operand.Name, name)
}

// collect downloads everything, takes the outputs out and looks for damage.
func (a *arena) collect(stream *oxrt.Stream) (Outcome, error) {
	out := Outcome{Outputs: map[string][]byte{}}
	written := map[*oxrt.Buffer]*memory{}
	for _, m := range a.all {
		if m.tensor.Operand.Access == catalog.Out {
			written[m.buffer] = m
		}
	}
	for _, m := range a.all {
		if m.tensor.Operand.Access == catalog.In && written[m.buffer] != nil {
			continue
		}
		after := make([]byte, len(m.before))
		if err := stream.Download(after, m.buffer.All(oxrt.U8)); err != nil {
			return out, err
		}
		size := m.tensor.DType.Size()
		if m.tensor.Operand.Access == catalog.Out {
			dense := make([]byte, m.tensor.Elements()*size)
			m.tensor.Offsets(func(i, offset int) {
				at := after[m.first+offset*size:][:size]
				copy(dense[i*size:], at)
				copy(at, m.before[m.first+offset*size:]) // what is left must equal before
			})
			out.Outputs[m.tensor.Operand.Name] = dense
		}
		if d := m.damage(after); d != "" {
			out.Damage = append(out.Damage, d)
		}
	}
	return out, nil
}

// damage describes the first byte that changed outside the outputs.
func (m *memory) damage(after []byte) string {
	for i := range after {
		if after[i] != m.before[i] {
			return fmt.Sprintf("%s: byte %d relative to the region of %d bytes became 0x%02x", m.tensor.Operand.Name, i-m.first,
				m.region.Bytes(), after[i])
		}
	}
	return ""
}

func (a *arena) close() error {
	var all []error
	for _, m := range a.all {
		if m.buffer != nil && !m.shared {
			all = append(all, m.buffer.Close())
		}
	}
	return errors.Join(all...)
}
