package oxrt

// Handles are opaque values of a driver. Zero is "none", except that stream 0 is the legacy default stream.
type (
	ContextHandle uint64
	StreamHandle  uint64
	EventHandle   uint64
	ModuleHandle  uint64
	FuncHandle    uint64
	GraphHandle   uint64
	ExecHandle    uint64
	// CaptureID tells captures apart; zero is none. Every stream that joins a capture has its number.
	CaptureID uint64
)

// The default streams of the CUDA driver.
const (
	StreamDefault   StreamHandle = 0
	StreamLegacy    StreamHandle = 1
	StreamPerThread StreamHandle = 2
)

// Driver is the driver table: what this package asks of a device. It is implemented over libcuda (see [Open]), by package
// runtime/emulated, and by fakes in tests. Every method makes ctx current for its own duration where the implementation
// has such a notion; none retains Go memory after it returns. Methods are safe for concurrent use.
type Driver interface {
	// Name says what is behind the table, for example "libcuda.so.1" or "emulated".
	Name() string
	// Version is the driver's CUDA version, for example 13000.
	Version() (int, Code)

	DeviceCount() (int, Code)
	DeviceInfo(ordinal int) (DeviceInfo, Code)
	// Retain and Release hold the primary context of a device. No context is ever created.
	Retain(ordinal int) (ContextHandle, Code)
	Release(ordinal int) Code
	// Synchronize waits for everything on the context's device.
	Synchronize(ctx ContextHandle) Code
	MemInfo(ctx ContextHandle) (free, total uint64, code Code)

	// Alloc returns at least 256-byte aligned device memory. The name appears in the findings of checking devices.
	Alloc(ctx ContextHandle, bytes int64, name string) (DevicePtr, Code)
	Free(ctx ContextHandle, ptr DevicePtr) Code
	// AllocHost returns page-locked host memory that the device sees at the returned address.
	AllocHost(ctx ContextHandle, bytes int64) ([]byte, DevicePtr, Code)
	FreeHost(ctx ContextHandle, mem []byte) Code
	// Copies are ordered in the stream. From and to Go memory they return when that memory may be reused.
	CopyToDevice(ctx ContextHandle, s StreamHandle, dst DevicePtr, src []byte) Code
	CopyToHost(ctx ContextHandle, s StreamHandle, dst []byte, src DevicePtr) Code

	StreamCreate(ctx ContextHandle, priority int) (StreamHandle, Code)
	// StreamPriorities returns the least and the greatest priority; greater ones are lower numbers.
	StreamPriorities(ctx ContextHandle) (least, greatest int, code Code)
	StreamDestroy(ctx ContextHandle, s StreamHandle) Code
	// StreamQuery returns CodeSuccess, CodeNotReady or an error.
	StreamQuery(ctx ContextHandle, s StreamHandle) Code
	StreamSynchronize(ctx ContextHandle, s StreamHandle) Code

	EventCreate(ctx ContextHandle, timing bool) (EventHandle, Code)
	EventDestroy(ctx ContextHandle, e EventHandle) Code
	EventRecord(ctx ContextHandle, e EventHandle, s StreamHandle) Code
	EventQuery(ctx ContextHandle, e EventHandle) Code
	EventSynchronize(ctx ContextHandle, e EventHandle) Code
	// EventElapsed returns milliseconds between two timing events.
	EventElapsed(ctx ContextHandle, start, end EventHandle) (float32, Code)
	StreamWait(ctx ContextHandle, s StreamHandle, e EventHandle) Code

	// ModuleLoad loads the artifact's cubin. It is called only behind the device gate.
	ModuleLoad(ctx ContextHandle, a *Artifact) (ModuleHandle, Code)
	ModuleUnload(ctx ContextHandle, m ModuleHandle) Code
	ModuleFunction(ctx ContextHandle, m ModuleHandle, entry string) (FuncHandle, Code)
	FuncAttribute(ctx ContextHandle, f FuncHandle, attr FuncAttr) (int, Code)
	SetFuncAttribute(ctx ContextHandle, f FuncHandle, attr FuncAttr, value int) Code
	// Occupancy returns the resident blocks of one SM.
	Occupancy(ctx ContextHandle, f FuncHandle, threads int, dynamicSharedBytes int64) (int, Code)

	// Submit enqueues the commands in order and then, where b.Done is set and the stream is not being captured, records
	// b.Done: one foreign call in all. It reports how many commands were enqueued and which capture the stream is in; with
	// b.Eager a stream in a capture gets nothing.
	Submit(ctx ContextHandle, s StreamHandle, b *Batch) (enqueued int, capture CaptureID, code Code)

	// EncodeTensorMap encodes a map that was checked. It needs no context and touches no stream.
	EncodeTensorMap(to *TensorMap, b *TensorBox, v *TensorView) Code

	CaptureBegin(ctx ContextHandle, s StreamHandle) (CaptureID, Code)
	CaptureEnd(ctx ContextHandle, s StreamHandle) (GraphHandle, Code)
	GraphInstantiate(ctx ContextHandle, g GraphHandle) (ExecHandle, Code)
	GraphDestroy(ctx ContextHandle, g GraphHandle) Code
	// ExecUpload makes the graph resident before its first launch.
	ExecUpload(ctx ContextHandle, x ExecHandle, s StreamHandle) Code
	// ExecLaunch replays the graph and then records done unless it is zero: one foreign call.
	ExecLaunch(ctx ContextHandle, x ExecHandle, s StreamHandle, done EventHandle) Code
	// ExecUpdate gives an executable graph the parameters of a graph with the same nodes and edges.
	ExecUpdate(ctx ContextHandle, x ExecHandle, g GraphHandle) Code
	ExecDestroy(ctx ContextHandle, x ExecHandle) Code

	// Close releases the table. No method may be called afterwards.
	Close() error
}

// DeviceInfo describes one device.
type DeviceInfo struct {
	Name                string
	UUID                [16]byte
	Major, Minor        int // compute capability
	SMs                 int
	ClockKHz            int
	MemoryBytes         uint64
	L2Bytes             int
	SharedBytesPerSM    int
	SharedBytesPerBlock int // the opt-in maximum, static and dynamic together
	RegistersPerSM      int
	ThreadsPerSM        int
	PCIBus, PCIDevice   int
	Clusters            bool
}

// FuncAttr names a function attribute; the numbers are CUfunction_attribute's.
type FuncAttr int32

// Function attributes that the runtime reads or sets.
const (
	FuncMaxThreads            FuncAttr = 0
	FuncStaticSharedBytes     FuncAttr = 1
	FuncConstBytes            FuncAttr = 2
	FuncLocalBytes            FuncAttr = 3
	FuncRegisters             FuncAttr = 4
	FuncBinaryVersion         FuncAttr = 6
	FuncMaxDynamicSharedBytes FuncAttr = 8
	FuncNonPortableCluster    FuncAttr = 14
)

// CommandKind says what a Command does.
type CommandKind uint32

// Command kinds.
const (
	CommandLaunch CommandKind = iota + 1
	CommandFill
	CommandCopy
	CommandWait
	CommandRecord
)

// Launch flags.
const (
	// LaunchProgrammatic starts the grid while the previous launch of the stream still runs (programmatic stream
	// serialisation); the kernel itself waits with griddepcontrol.wait.
	LaunchProgrammatic uint32 = 1 << iota
)

// Command is one step of a Batch. It holds no Go pointers and its layout is the C shim's, so that a whole batch crosses in one
// call. Launch uses Func to OffsetCount; Fill writes the byte Value over Bytes at Dst; Copy moves Bytes from Src to Dst on the
// device; Wait and Record name Event.
type Command struct {
	Kind        CommandKind
	Flags       uint32
	Func        FuncHandle
	Grid        Dim3
	Block       Dim3
	Cluster     Dim3 // zero: no cluster attribute
	SharedBytes uint32
	ParamStart  uint32 // into Batch.Params
	ParamBytes  uint32
	OffsetStart uint32 // into Batch.Offsets
	OffsetCount uint32
	Dst, Src    DevicePtr
	Bytes       uint64
	Value       uint32
	_           uint32
	Event       EventHandle
}

// Batch is the work of one Submit.
type Batch struct {
	Commands []Command
	Params   []byte   // the flat parameter buffers of all launches
	Offsets  []uint16 // each launch's parameter offsets, relative to its ParamStart
	Done     EventHandle
	Eager    bool // must not go into a graph
}

// FaultIsolator is implemented by driver tables whose faults end the work that they happen in and not the device, although their codes
// are those of a lost context.
type FaultIsolator interface{ IsolatesFaults() bool }
