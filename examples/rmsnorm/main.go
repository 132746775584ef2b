// Rmsnorm is a first call: one RMSNorm over four rows, on the first GPU or, where there is none, on the emulated device.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/oxideinfer/oxide/algorithms/normalization"
	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

const rows, hidden = 4, 4096

func main() {
	rt, err := oxrt.Open() // dlopen of the driver
	if errors.Is(err, oxrt.ErrNoDriver) {
		rt, err = emulated.Open(ptx.Lookup)
	}
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	if err := run(rt); err != nil {
		log.Fatal(err)
	}
}

func run(rt *oxrt.Runtime) error {
	dev, err := rt.Device(0)
	if err != nil {
		return err
	}
	stream, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer stream.Close()

	// All decisions are made here: algorithm, artifact, launch. A plan serves any number of calls.
	plan, err := normalization.PlanRMSNorm(dev, normalization.RMSNormSpec{
		MaxRows: rows, Hidden: hidden, Input: oxrt.F32, Epsilon: 1e-6,
	})
	if err != nil {
		return err
	}
	fmt.Println(plan)

	x, err := upload(dev, stream, rows*hidden, func(i int) float32 { return float32(i%7) - 3 })
	if err != nil {
		return err
	}
	defer x.Close()
	weight, err := upload(dev, stream, hidden, func(int) float32 { return 1 })
	if err != nil {
		return err
	}
	defer weight.Close()

	scope, err := stream.Begin()
	if err != nil {
		return err
	}
	region := x.All(oxrt.F32) // in place
	if err := plan.Enqueue(scope, normalization.RMSNormOperands{Rows: rows, X: region, Weight: weight.All(oxrt.F32), Y: region}); err != nil {
		scope.Drop()
		return err
	}
	done, err := scope.Submit()
	if err != nil {
		return err
	}
	if err := done.Wait(context.Background()); err != nil {
		return err
	}

	out := make([]byte, region.Bytes())
	if err := stream.Download(out, region); err != nil {
		return err
	}
	sum := 0.0
	for i := range hidden {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])))
		sum += v * v
	}
	fmt.Printf("mean square of the first row: %.6f\n", sum/hidden)
	return nil
}

// upload fills a new buffer with f32 values.
func upload(dev *oxrt.Device, stream *oxrt.Stream, n int, value func(int) float32) (*oxrt.Buffer, error) {
	buf, err := dev.Alloc(int64(4 * n))
	if err != nil {
		return nil, err
	}
	host := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(host[4*i:], math.Float32bits(value(i)))
	}
	return buf, stream.Upload(buf.All(oxrt.F32), host)
}
