//go:build cgo && linux

package oxrt_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/internal/maptest"
)

func TestTensorMapsOfTheFake(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	maptest.Run(t, c.dev, c.stream)
}

// TestTensorMapsOfADevice needs a GPU.
func TestTensorMapsOfADevice(t *testing.T) {
	dev, stream := physical(t)
	maptest.Run(t, dev, stream)
}

func physical(t testing.TB) (*oxrt.Device, *oxrt.Stream) {
	rt, err := oxrt.Open()
	if errors.Is(err, oxrt.ErrNoDriver) || errors.Is(err, oxrt.ErrNoDevice) {
		t.Skipf("not run, because there is no GPU: %v", err)
	}
	must(t, err)
	dev, err := rt.Device(0)
	must(t, err)
	stream, err := dev.NewStream()
	must(t, err)
	t.Cleanup(func() { must(t, errors.Join(stream.Close(), rt.Close())) })
	return dev, stream
}

// TestArgumentsOfATensorMap: the driver gets every field in its place.
func TestArgumentsOfATensorMap(t *testing.T) {
	c := newCuda(t, oxrt.Options{})
	b := oxrt.TensorBox{DType: oxrt.F16, Rank: 5, Dims: [5]uint32{16, 2, 3, 4, 5}, Steps: [5]uint32{0, 6, 7, 8, 1}, Swizzle: oxrt.Swizzle32B,
		Promotion: 64, FillNaN: true}
	v := oxrt.TensorView{Base: 0x123450, Dims: [5]uint64{1 << 32, 9, 8, 7, 6}, Strides: [4]uint64{32, 64, 1 << 39, 256}}
	var m, want oxrt.TensorMap
	must(t, c.dev.EncodeTensorMap(&m, &b, &v))
	copy(want[:], []byte{6, 5, 0, 1, 1, 1})
	le := binary.LittleEndian
	le.PutUint64(want[8:], uint64(v.Base))
	for i := range 5 {
		le.PutUint32(want[16+4*i:], uint32(v.Dims[i]-1))
		le.PutUint16(want[68+2*i:], uint16(b.Dims[i]))
		want[78+i] = []byte{1, 6, 7, 8, 1}[i]
		if i > 0 {
			le.PutUint64(want[36+8*(i-1):], v.Strides[i-1])
		}
	}
	if m != want {
		t.Errorf("got  %v\nwant %v", m, want)
	}
	c.lib.Fail("cuTensorMapEncodeTiled", 1, 0)
	if err := c.dev.EncodeTensorMap(&m, &b, &v); !errors.Is(err, oxrt.CodeInvalidValue) || m != want {
		t.Errorf("a failing driver: %v", err)
	}
	old := newCuda(t, oxrt.Options{}, "cuTensorMapEncodeTiled")
	if err := old.dev.EncodeTensorMap(&m, &b, &v); !errors.Is(err, oxrt.CodeMissingSymbol) {
		t.Errorf("an old driver: %v", err)
	}
}

func BenchmarkEncodeTensorMap(b *testing.B) {
	dev, _ := physical(b)
	box := oxrt.TensorBox{DType: oxrt.BF16, Rank: 2, Dims: [5]uint32{64, 128}, Swizzle: oxrt.Swizzle128B, Promotion: 256}
	v := oxrt.TensorView{Base: 1 << 20, Dims: [5]uint64{4096, 1000}, Strides: [4]uint64{8192}}
	var m oxrt.TensorMap
	for b.Loop() {
		must(b, dev.EncodeTensorMap(&m, &box, &v))
	}
}
