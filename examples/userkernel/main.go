// Command userkernel runs a kernel of this module's own: y = max(x + bias, 0)². It is written in Go in
// internal/kernels, built by `go generate ./...` into gen/, and run here on the emulated device or on a GPU.
//
//	go run .             # the emulated device, anywhere
//	go run . -cuda       # the first NVIDIA GPU
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"

	"example.com/userkernel/gen/kernels"
	"example.com/userkernel/gen/ptx"
	oxrt "github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

func main() {
	cuda := flag.Bool("cuda", false, "use the first NVIDIA GPU instead of the emulated device")
	flag.Parse()
	if err := run(context.Background(), *cuda); err != nil {
		fmt.Fprintln(os.Stderr, "userkernel:", err)
		os.Exit(1)
	}
}

const rows, columns = 3, 1000

func run(ctx context.Context, cuda bool) (err error) {
	open := func() (*oxrt.Runtime, error) { return emulated.Open(ptx.Lookup) }
	if cuda {
		open = oxrt.Open
	}
	rt, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	dev, err := rt.Device(0)
	if err != nil {
		return err
	}
	x, bias := inputs()
	y, err := squaredReLU(ctx, dev, x, bias)
	if err != nil {
		return err
	}
	for i, got := range y {
		v := max(x[i]+bias[i%columns], 0)
		if want := v * v; got != want {
			return fmt.Errorf("y[%d] = %g, want %g", i, got, want)
		}
	}
	fmt.Printf("%d rows of %d on %s: every element equals the definition\n", rows, columns, dev.Name())
	return nil
}

func inputs() (x, bias []float32) {
	for i := range rows * columns {
		x = append(x, float32(i%37)/4-4)
	}
	for i := range columns {
		bias = append(bias, float32(i%5)/8)
	}
	return x, bias
}

// squaredReLU copies the inputs to the device, runs the kernel, and copies the result back.
func squaredReLU(ctx context.Context, dev *oxrt.Device, x, bias []float32) (y []float32, err error) {
	stream, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	var regions [3]oxrt.Region
	for i, n := range []int{len(x), len(bias), len(x)} {
		buffer, err := dev.Alloc(int64(4 * n))
		if err != nil {
			return nil, err
		}
		defer buffer.Close()
		regions[i] = buffer.All(oxrt.F32)
	}
	if err := errors.Join(stream.Upload(regions[0], bytes(x)), stream.Upload(regions[1], bytes(bias))); err != nil {
		return nil, err
	}
	if err := launch(ctx, dev, stream, regions); err != nil {
		return nil, err
	}
	out := make([]byte, 4*len(x))
	err = stream.Download(out, regions[2])
	return floats(out), err
}

// launch is what a call costs at run time: bind, launch, submit, wait.
func launch(ctx context.Context, dev *oxrt.Device, stream *oxrt.Stream, r [3]oxrt.Region) error {
	kernel, err := dev.Load(kernels.ExampleSquaredReLU("Threads256", "sm_90a"))
	if err != nil {
		return err
	}
	scope, err := stream.Begin()
	if err != nil {
		return err
	}
	err = scope.Bind("squared_relu",
		oxrt.Operand{Name: "x", Region: r[0], Access: oxrt.Read},
		oxrt.Operand{Name: "bias", Region: r[1], Access: oxrt.Read},
		oxrt.Operand{Name: "y", Region: r[2], Access: oxrt.Write})
	if err != nil {
		scope.Drop()
		return err
	}
	args := kernels.ExampleSquaredReLUArgs{X: r[0].Ptr(), Bias: r[1].Ptr(), Y: r[2].Ptr(), Columns: columns}
	if err := args.Launch(scope, kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: rows}}); err != nil {
		scope.Drop()
		return err
	}
	done, err := scope.Submit()
	if err != nil {
		return err
	}
	return done.Wait(ctx)
}

func bytes(v []float32) []byte {
	var b []byte
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

func floats(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
