// Package oxrt runs Oxide artifacts: it opens the NVIDIA driver, guards which cubin may be loaded on which device, and submits operator
// calls through command scopes whose completions hold every operand until the device is done.
//
// The package lives in the directory runtime and is imported as oxrt. It needs nothing but the driver library (libcuda.so.1), which [Open]
// loads; a program without that library, or built without cgo, gets [ErrNoDriver] and can still run everything on the emulated device of
// package runtime/emulated through [OpenDriver].
//
// # The life of a call
//
//	rt, err := oxrt.Open()                 // dlopen; no context is created, the primary one is retained
//	dev, err := rt.Device(0)
//	stream, err := dev.NewStream()         // or ExternalStream(dev, handle), handles 0, 1 and 2 included
//	kernel, err := dev.Load(artifact)      // behind the device gate; plans of algorithms/... do this
//
//	scope, err := stream.Begin()           // no driver call
//	err = scope.Bind("my.operator", oxrt.Operand{Name: "x", Region: x, Access: oxrt.Read}, …)
//	err = scope.Launch(kernel, oxrt.LaunchConfig{Grid: oxrt.Dim3{X: rows}}, &params)
//	done, err := scope.Submit()            // one foreign call for all launches and the event behind them
//	err = done.Wait(ctx)                   // nil or a typed error; also Poll, Then
//
// Bind checks device, access and memory of all operands of an operator and reports everything at once; regions are compared by address,
// whatever objects they belong to. From then on the scope leases them, from Submit on the submission does, and when that settles the
// leases are given back. A buffer that is closed meanwhile is freed then ([ErrLeased] says so), one that is resized or replaced stays as
// it is. A scope that is not submitted gives its leases back with Drop; one that is forgotten is reported as a [Leak].
//
// Nothing reaches the device before Submit, and a refused operator makes its whole scope refuse. Begin, Bind, Launch, Status, Workspace,
// Submit and Poll allocate nothing, neither in Go nor in the driver, beyond one small block in 32 scopes and until more than 256
// submissions are in flight. Operators of one scope may overlap by programmatic dependent launch, eagerly and as graph edges.
//
// # What an operator may ask for
//
// Scratch memory comes from the caller or from the stream's reservation ([Stream.ReserveWorkspace], [Scope.Workspace]); it grows nowhere
// else, and the stream knows its high-water mark. An operator that validates tables, ids or lengths on the device gets a status record
// from [Scope.Status]; a rejection is a [RejectedError] of the completion, the operator's outputs are untouched, other operators of the
// scope have run. What does not validate pays nothing for it.
//
// # Graphs
//
// [Stream.BeginCapture] and [Stream.EndCapture] make a [Graph] of the scopes submitted in between, also those of streams that join by
// events. It holds leases of all it touches and a workspace and a status record of its own; one replay is in flight at a time.
// [Stream.EndCaptureInto] gives it other parameters. Lengths and tables that change between replays are read from device memory.
// Inside somebody else's capture a submission goes into that graph: nothing is synchronised, allocated or queried, leases end with
// the scope, because that graph's owner keeps the memory, and [Scope.ReportTo] names the caller's status record. What cannot be captured
// says so in its plan ([GraphPolicy]) and is refused before anything of its scope is enqueued.
//
// # Errors
//
// All errors are for errors.Is and errors.As:
//
//	*ContractError  ErrContract    refused before submission: kernel or operator, field, wanted, got
//	*TargetError    ErrTarget      artifact, cubin and device do not belong together
//	*CaptureError   ErrCapture     may not go into the capture that its stream is in
//	*RejectedError  ErrRejected    the device found a wrong value: operator, operand, index, wanted, got
//	*DriverError    a Code         a failed driver call; errors.Is(err, CodeOutOfMemory)
//	*DeviceError    ErrDeviceLost  the context is lost: the same value for everything in flight and every later call
//	                ErrClosed      the object was closed
//	                ErrStale       a scope, completion or region outlived what it names
//	                ErrLeased      in use by submitted work or a graph
//	                ErrNoDriver, ErrNoDevice
//
// # Concurrency
//
// Runtime, Device, Stream, Buffer, Event, Graph, Kernel, Artifact and Signature are safe for concurrent use; Region, Completion and Status
// are values. A Scope and a Params belong to one goroutine. Scopes of several goroutines on one stream are submitted in the order of
// their Submit calls. While a stream is captured, every scope submitted to it goes into the graph, so a captured stream belongs to
// whoever captures. No goroutine is locked to a thread; a call finds its context on whatever thread it runs and leaves a foreign one as
// it was. A context.Context ends a wait, never the work.
package oxrt
