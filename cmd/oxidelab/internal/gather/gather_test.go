package gather_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/device"
	"github.com/oxideinfer/oxide/cmd/oxidelab/internal/gather"
	"github.com/oxideinfer/oxide/runtime"
)

// TestGather: right ids gather; wrong ones are rejected by a plan that checks, with y as it was, and a trusted plan takes no record.
func TestGather(t *testing.T) {
	d, err := device.Open(device.Emulated)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	const rows = 20
	x, ids, y := region(t, d, oxrt.F32, 100), region(t, d, oxrt.U32, rows), region(t, d, oxrt.F32, rows)
	data := make([]byte, 0, 400)
	for i := range 100 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)*0.5))
	}
	must(t, d.Stream.Upload(x, data))
	run := func(trusted bool, want ...uint32) ([]float32, error) {
		table := make([]byte, 0, 4*rows)
		for _, id := range want {
			table = binary.LittleEndian.AppendUint32(table, id)
		}
		must(t, d.Stream.Upload(ids, table))
		must(t, d.Stream.Upload(y, slices.Repeat([]byte{0xA5}, 4*rows)))
		p, err := gather.New(d.Dev, trusted)
		must(t, err)
		s, err := d.Stream.Begin()
		must(t, err)
		must(t, p.Enqueue(s, gather.Operands{X: x, IDs: ids, Y: y}))
		done, err := s.Submit()
		must(t, err)
		err = done.Wait(context.Background())
		must(t, d.Stream.Download(table, y))
		got := make([]float32, rows)
		for i := range got {
			got[i] = math.Float32frombits(binary.LittleEndian.Uint32(table[4*i:]))
		}
		return got, err
	}
	right := make([]uint32, rows)
	for i := range right {
		right[i] = uint32(99 - 5*i)
	}
	for _, trusted := range []bool{false, true} {
		got, err := run(trusted, right...)
		must(t, err)
		for i, v := range got {
			if v != float32(right[i])*0.5 {
				t.Errorf("trusted %v: y[%d] = %g, want %g", trusted, i, v, float32(right[i])*0.5)
			}
		}
	}
	wrong := slices.Clone(right)
	wrong[7], wrong[12] = 100, 5000
	got, err := run(false, wrong...)
	var rejected *oxrt.RejectedError
	want := oxrt.RejectedError{Operator: "lab.gather", Operand: "ids", Index: 7, Rule: oxrt.RuleBelow, Wanted: 100, Got: 100}
	if !errors.As(err, &rejected) || *rejected != want {
		t.Errorf("got %v, want %v", err, &want)
	}
	for i, v := range got {
		if math.Float32bits(v) != 0xA5A5A5A5 {
			t.Errorf("y[%d] = %g: a rejected call has written", i, v)
		}
	}
	if _, err := run(false, right...); err != nil {
		t.Errorf("the call after a rejection: %v", err)
	}
}

func TestGatherRefusals(t *testing.T) {
	d, err := device.Open(device.Emulated)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	p, err := gather.New(d.Dev, false)
	must(t, err)
	x := region(t, d, oxrt.F32, 100)
	for _, c := range []struct{ ids, y int64 }{{33, 33}, {4, 5}, {5, 4}} {
		s, err := d.Stream.Begin()
		must(t, err)
		if err := p.Enqueue(s, gather.Operands{X: x, IDs: region(t, d, oxrt.U32, c.ids), Y: region(t, d, oxrt.F32, c.y)}); err == nil {
			t.Errorf("%d ids for %d elements were accepted", c.ids, c.y)
		}
		s.Drop()
	}
}

func region(t *testing.T, d *device.Device, dtype oxrt.DType, n int64) oxrt.Region {
	t.Helper()
	b, err := d.Dev.Alloc(n * int64(dtype.Size()))
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	return b.All(dtype)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
