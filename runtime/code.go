package oxrt

import "strconv"

// Code is a result of the driver (CUresult). It is an error value with built-in names, so formatting never calls the driver;
// errors.Is(err, oxrt.CodeOutOfMemory) works on every error of this package that a driver code caused.
type Code int32

// Driver results that this package or its users act upon.
const (
	CodeSuccess              Code = 0
	CodeInvalidValue         Code = 1
	CodeOutOfMemory          Code = 2
	CodeNotInitialized       Code = 3
	CodeDeinitialized        Code = 4
	CodeDeviceUnavailable    Code = 46
	CodeNoDevice             Code = 100
	CodeInvalidDevice        Code = 101
	CodeInvalidImage         Code = 200
	CodeInvalidContext       Code = 201
	CodeNoBinaryForGPU       Code = 209
	CodeECCUncorrectable     Code = 214
	CodeInvalidSource        Code = 300
	CodeFileNotFound         Code = 301
	CodeSymbolNotFound       Code = 303
	CodeInvalidHandle        Code = 400
	CodeNotFound             Code = 500
	CodeNotReady             Code = 600
	CodeIllegalAddress       Code = 700
	CodeLaunchOutOfResources Code = 701
	CodeLaunchTimeout        Code = 702
	CodeContextIsDestroyed   Code = 709
	CodeAssert               Code = 710
	CodeHardwareStackError   Code = 714
	CodeIllegalInstruction   Code = 715
	CodeMisalignedAddress    Code = 716
	CodeInvalidAddressSpace  Code = 717
	CodeInvalidPC            Code = 718
	CodeLaunchFailed         Code = 719
	CodeClusterTooLarge      Code = 721
	CodeNotPermitted         Code = 800
	CodeNotSupported         Code = 801
	CodeSystemNotReady       Code = 802
	CodeCaptureUnsupported   Code = 900
	CodeCaptureInvalidated   Code = 901
	CodeCaptureMerge         Code = 902
	CodeCaptureUnmatched     Code = 903
	CodeCaptureUnjoined      Code = 904
	CodeCaptureIsolation     Code = 905
	CodeCaptureImplicit      Code = 906
	CodeCapturedEvent        Code = 907
	CodeCaptureWrongThread   Code = 908
	CodeGraphUpdateFailure   Code = 910
	CodeExternalDevice       Code = 911
	CodeUnknown              Code = 999

	// CodeMissingSymbol is ours: the installed driver lacks an optional entry point that the call needs.
	CodeMissingSymbol Code = -1
)

// codeName spells a code as the driver's header does.
func codeName(c Code) string {
	for _, e := range codeNames {
		if e.code == c {
			return e.name
		}
	}
	return "CUDA_ERROR_" + strconv.Itoa(int(c))
}

var codeNames = [...]struct {
	code Code
	name string
}{
	{CodeSuccess, "CUDA_SUCCESS"},
	{CodeInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
	{CodeOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
	{CodeNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
	{CodeDeinitialized, "CUDA_ERROR_DEINITIALIZED"},
	{CodeDeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
	{CodeNoDevice, "CUDA_ERROR_NO_DEVICE"},
	{CodeInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
	{CodeInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
	{CodeInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
	{CodeNoBinaryForGPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
	{CodeECCUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE"},
	{CodeInvalidSource, "CUDA_ERROR_INVALID_SOURCE"},
	{CodeFileNotFound, "CUDA_ERROR_FILE_NOT_FOUND"},
	{CodeSymbolNotFound, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"},
	{CodeInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
	{CodeNotFound, "CUDA_ERROR_NOT_FOUND"},
	{CodeNotReady, "CUDA_ERROR_NOT_READY"},
	{CodeIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
	{CodeLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
	{CodeLaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT"},
	{CodeContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
	{CodeAssert, "CUDA_ERROR_ASSERT"},
	{CodeHardwareStackError, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
	{CodeIllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
	{CodeMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS"},
	{CodeInvalidAddressSpace, "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
	{CodeInvalidPC, "CUDA_ERROR_INVALID_PC"},
	{CodeLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
	{CodeClusterTooLarge, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
	{CodeNotPermitted, "CUDA_ERROR_NOT_PERMITTED"},
	{CodeNotSupported, "CUDA_ERROR_NOT_SUPPORTED"},
	{CodeSystemNotReady, "CUDA_ERROR_SYSTEM_NOT_READY"},
	{CodeCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
	{CodeCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
	{CodeCaptureMerge, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
	{CodeCaptureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
	{CodeCaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
	{CodeCaptureIsolation, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
	{CodeCaptureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
	{CodeCapturedEvent, "CUDA_ERROR_CAPTURED_EVENT"},
	{CodeCaptureWrongThread, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
	{CodeGraphUpdateFailure, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
	{CodeExternalDevice, "CUDA_ERROR_EXTERNAL_DEVICE"},
	{CodeUnknown, "CUDA_ERROR_UNKNOWN"},
	{CodeMissingSymbol, "missing driver entry point"},
}

// Error returns the name that the driver's header gives the code.
func (c Code) Error() string { return codeName(c) }

// Sticky reports whether the code means that the context is lost: every later call on it fails until the process ends.
func (c Code) Sticky() bool {
	switch c {
	case CodeECCUncorrectable, CodeIllegalAddress, CodeLaunchTimeout, CodeAssert, CodeHardwareStackError,
		CodeIllegalInstruction, CodeMisalignedAddress, CodeInvalidAddressSpace, CodeInvalidPC, CodeLaunchFailed,
		CodeContextIsDestroyed, CodeExternalDevice, CodeDeviceUnavailable:
		return true
	}
	return false
}
