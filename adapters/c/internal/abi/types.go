package abi

// The structs of the ABI. Package bind makes the C and Python declarations of them from these types; names become lower case with
// underscores, and the doc tags become comments.

// Header begins every struct.
type Header struct {
	Size    uint32 `doc:"sizeof the struct"`
	Version uint32 `doc:"OXIDE_<STRUCT>_VERSION: names the struct and its layout"`
}

// Tensor is one operand of a call.
type Tensor struct {
	Data     uint64 `doc:"device address, a multiple of the element's size"`
	Elements int64  `doc:"elements from the first to the last that may be touched, gaps included"`
	DType    int32  `doc:"an oxide_dtype"`
	Reserved uint32 `doc:"0"`
}

// DeviceInfo describes a device.
type DeviceInfo struct {
	Header
	MemoryBytes     uint64    `doc:"device memory"`
	Kind            int32     `doc:"an oxide_device_kind"`
	Ordinal         int32     `doc:"the driver's number"`
	Major           int32     `doc:"compute capability"`
	Minor           int32     `doc:"compute capability"`
	Multiprocessors int32     `doc:"number of multiprocessors"`
	DriverVersion   int32     `doc:"CUDA version of the driver, for example 13000"`
	L2Bytes         int32     `doc:"L2 cache"`
	SharedBytes     int32     `doc:"shared memory a block may ask for"`
	UUID            [16]uint8 `doc:"as the driver gives it" c:"uint8"`
	Name            [128]byte `doc:"product name"`
}

// PlanInfo says what a plan decided.
type PlanInfo struct {
	Header
	WorkspaceBytes int64     `doc:"scratch memory of a call"`
	Launches       int32     `doc:"kernels of a call"`
	GraphPolicy    int32     `doc:"where calls may be captured: an oxide_graph_policy"`
	Checked        int32     `doc:"1: a call validates data on the device and may end as OXIDE_ERROR_REJECTED"`
	Reserved       int32     `doc:"0"`
	OperatorName   [64]byte  `doc:"name in the catalog"`
	Algorithm      [96]byte  `doc:"name of the strategy"`
	Fingerprint    [72]byte  `doc:"hexadecimal; equal inputs give equal plans"`
	Text           [640]byte `doc:"the plan on one line"`
}

// Capability is one algorithm's answer to a spec.
type Capability struct {
	Header
	WorkspaceBytes int64     `doc:"scratch memory of a call, where supported"`
	Supported      int32     `doc:"1 or 0"`
	Reserved       int32     `doc:"0"`
	Algorithm      [96]byte  `doc:"name of the strategy"`
	Reason         [256]byte `doc:"why it cannot run the spec, where it cannot"`
}

// Error is the last error of a thread.
type Error struct {
	Header
	Status       int32      `doc:"an oxide_status"`
	DriverCode   int32      `doc:"CUresult, 0 where no driver call failed"`
	Index        int64      `doc:"of the wrong element, where the device rejected an operand"`
	OperatorName [64]byte   `doc:"kernel or operator, where one is concerned"`
	Field        [64]byte   `doc:"operand, spec field or launch field"`
	Want         [256]byte  `doc:"what the contract wants"`
	Got          [256]byte  `doc:"what was found"`
	Text         [1024]byte `doc:"the whole error"`
}

// DeviceKind says what runs the kernels.
type DeviceKind int32

// Kinds of devices.
const (
	CUDA     DeviceKind = 1
	Emulated DeviceKind = 2
)
