package emulated_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/oxideinfer/oxide/runtime"
	"github.com/oxideinfer/oxide/runtime/emulated"
)

// A whole call without a GPU: y = 3x for four elements. With oxrt.Open instead of emulated.Open it runs on one.
func Example() {
	if err := run(); err != nil {
		fmt.Println(err)
	}
	// Output: 3 6 9 12
}

func run() error {
	rt, err := emulated.Open(lookup) // lookup is ptx.Lookup of a generated package
	if err != nil {
		return err
	}
	defer rt.Close()
	dev, err := rt.Device(0)
	if err != nil {
		return err
	}
	stream, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer stream.Close()
	kernel, err := dev.Load(scaleArtifact())
	if err != nil {
		return err
	}
	buf, err := dev.AllocNamed("vector", 16)
	if err != nil {
		return err
	}
	defer buf.Close()
	x := buf.All(oxrt.F32)
	data := make([]byte, 16)
	for i := range 4 {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(i+1)))
	}
	if err := stream.Upload(x, data); err != nil {
		return err
	}
	scope, err := stream.Begin()
	if err != nil {
		return err
	}
	defer scope.Drop() // does nothing after Submit
	if err := scope.Bind("scale", oxrt.Operand{Name: "x", Region: x, Access: oxrt.ReadWrite}); err != nil {
		return err
	}
	var p oxrt.Params
	p.PutPtr(0, x.Ptr())
	p.PutPtr(8, x.Ptr())
	p.PutF32(16, 3)
	p.PutU32(20, 4)
	if err := scope.Launch(kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: 1}}, &p); err != nil {
		return err
	}
	done, err := scope.Submit()
	if err != nil {
		return err
	}
	if err := done.Wait(context.Background()); err != nil {
		return err
	}
	if err := stream.Download(data, x); err != nil {
		return err
	}
	for i := range 4 {
		if i > 0 {
			fmt.Print(" ")
		}
		fmt.Print(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	}
	fmt.Println()
	return nil
}
