package activation_test

import (
	"context"
	"fmt"
	"log"

	"github.com/oxideinfer/oxide/algorithms/activation"
	"github.com/oxideinfer/oxide/algorithms/catalog"
	"github.com/oxideinfer/oxide/gen/ptx"
	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// SwiGLU of one packed row [gate | up] in f32. On a GPU, oxrt.Open takes the place of emulated.Open.
func ExamplePlanSwiGLU() {
	must := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	rt, err := emulated.Open(ptx.Lookup)
	must(err)
	dev, err := rt.Device(0)
	must(err)
	stream, err := dev.NewStream()
	must(err)
	plan, err := activation.PlanSwiGLU(dev, activation.SwiGLUSpec{MaxRows: 1, Size: 2, Input: oxrt.F32, Packed: true})
	must(err)

	gateUp, err := dev.Alloc(4 * 4)
	must(err)
	y, err := dev.Alloc(2 * 4)
	must(err)
	data := make([]byte, 4*4)
	f32, _ := catalog.FormatOf(oxrt.F32)
	for i, v := range []float64{0, 2, 5, 10} {
		catalog.WriteBits(oxrt.F32, data, i, f32.Pattern(v))
	}
	must(stream.Upload(gateUp.All(oxrt.U8), data))

	scope, err := stream.Begin()
	must(err)
	must(plan.Enqueue(scope, activation.GatedOperands{Rows: 1, GateUp: gateUp.All(oxrt.F32), Y: y.All(oxrt.F32)}))
	done, err := scope.Submit()
	must(err)
	must(done.Wait(context.Background()))

	must(stream.Download(data[:8], y.All(oxrt.U8)))
	for i := range 2 {
		fmt.Printf("%.4f\n", f32.Decode(catalog.ReadBits(oxrt.F32, data, i)))
	}
	must(gateUp.Close())
	must(y.Close())
	must(stream.Close())
	must(rt.Close())
	// Output:
	// 0.0000
	// 17.6159
}
