// Package oxrt runs Oxide artifacts: it opens the NVIDIA driver, guards which cubin may be loaded on which device,
// and submits operator calls through command scopes whose completions hold every operand until the device is done.
//
// The package lives in the directory runtime and is imported as oxrt. It needs nothing but the driver library
// (libcuda.so.1), which [Open] loads; a program without that library, or built without cgo, gets [ErrNoDriver] and can
// still run everything on the emulated device of package runtime/emulated through [OpenDriver].
//
//	rt, err := oxrt.Open()
//	dev, err := rt.Device(0)
//	stream, err := dev.NewStream()
//	kernel, err := dev.Load(artifact)      // behind the device gate
//	scope, err := stream.Begin()
//	err = scope.Bind("my.operator", oxrt.Operand{Name: "x", Region: x, Access: oxrt.Read}, …)
//	err = scope.Launch(kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: rows}}, &params)
//	done, err := scope.Submit()
//	err = done.Wait(ctx)
//
// Nothing reaches the device before [Scope.Submit], which is one C call for all launches of the scope and the event that
// settles its [Completion]. Begin, Bind, Launch, Submit and Poll allocate nothing once the pools are warm.
package oxrt
