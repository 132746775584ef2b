// Package symtab is the one list of driver entry points. The C table that the runtime fills by dlsym is generated from it
// (runtime/zsymbols.h); no CUDA header is read.
package symtab

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Symbol is one function of libcuda.
type Symbol struct {
	// Name is the exported symbol; versioned names are the current ABI of the function.
	Name string
	// Params is our own C prototype. Handles are void*, device addresses uint64_t.
	Params string
	// Optional symbols may be missing: the calls that need them then fail, the others work.
	Optional bool
	// MinDriver is the CUDA version that introduced the symbol, 0 for the oldest supported.
	MinDriver int
}

// Symbols lists every entry point in table order.
var Symbols = []Symbol{
	{Name: "cuInit", Params: "unsigned flags"},
	{Name: "cuDriverGetVersion", Params: "int *version"},
	{Name: "cuDeviceGetCount", Params: "int *count"},
	{Name: "cuDeviceGet", Params: "int *device, int ordinal"},
	{Name: "cuDeviceGetName", Params: "char *name, int len, int device"},
	{Name: "cuDeviceGetUuid_v2", Params: "unsigned char *uuid, int device", MinDriver: 11040},
	{Name: "cuDeviceGetAttribute", Params: "int *value, int attr, int device"},
	{Name: "cuDeviceTotalMem_v2", Params: "size_t *bytes, int device"},
	{Name: "cuDevicePrimaryCtxRetain", Params: "void **ctx, int device"},
	{Name: "cuDevicePrimaryCtxRelease_v2", Params: "int device", MinDriver: 11000},

	{Name: "cuCtxGetCurrent", Params: "void **ctx"},
	{Name: "cuCtxSetCurrent", Params: "void *ctx"},
	{Name: "cuCtxSynchronize", Params: "void"},
	{Name: "cuThreadExchangeStreamCaptureMode", Params: "int *mode", MinDriver: 10010},

	{Name: "cuMemGetInfo_v2", Params: "size_t *available, size_t *total"},
	{Name: "cuMemAlloc_v2", Params: "uint64_t *ptr, size_t bytes"},
	{Name: "cuMemFree_v2", Params: "uint64_t ptr"},
	{Name: "cuMemHostAlloc", Params: "void **ptr, size_t bytes, unsigned flags"},
	{Name: "cuMemHostGetDevicePointer_v2", Params: "uint64_t *device, void *host, unsigned flags"},
	{Name: "cuMemFreeHost", Params: "void *ptr"},
	{Name: "cuMemcpyHtoDAsync_v2", Params: "uint64_t dst, const void *src, size_t bytes, void *stream"},
	{Name: "cuMemcpyDtoHAsync_v2", Params: "void *dst, uint64_t src, size_t bytes, void *stream"},
	{Name: "cuMemcpyDtoDAsync_v2", Params: "uint64_t dst, uint64_t src, size_t bytes, void *stream"},
	{Name: "cuMemsetD8Async", Params: "uint64_t dst, unsigned char value, size_t bytes, void *stream"},

	{Name: "cuStreamCreateWithPriority", Params: "void **stream, unsigned flags, int priority"},
	{Name: "cuCtxGetStreamPriorityRange", Params: "int *least, int *greatest"},
	{Name: "cuStreamDestroy_v2", Params: "void *stream"},
	{Name: "cuStreamQuery", Params: "void *stream"},
	{Name: "cuStreamSynchronize", Params: "void *stream"},
	{Name: "cuStreamWaitEvent", Params: "void *stream, void *event, unsigned flags"},
	{Name: "cuStreamIsCapturing", Params: "void *stream, int *status", MinDriver: 10000},
	{Name: "cuStreamGetCaptureInfo_v2", Params: "void *stream, int *status, uint64_t *id, void **graph, void **dependencies, size_t *count",
		MinDriver: 11030},
	{Name: "cuStreamBeginCapture_v2", Params: "void *stream, int mode", MinDriver: 10010},
	{Name: "cuStreamEndCapture", Params: "void *stream, void **graph", MinDriver: 10000},

	{Name: "cuEventCreate", Params: "void **event, unsigned flags"},
	{Name: "cuEventDestroy_v2", Params: "void *event"},
	{Name: "cuEventRecord", Params: "void *event, void *stream"},
	{Name: "cuEventQuery", Params: "void *event"},
	{Name: "cuEventSynchronize", Params: "void *event"},
	{Name: "cuEventElapsedTime", Params: "float *ms, void *start, void *end"},

	{Name: "cuModuleLoadData", Params: "void **module, const void *image"},
	{Name: "cuModuleUnload", Params: "void *module"},
	{Name: "cuModuleGetFunction", Params: "void **func, void *module, const char *name"},
	{Name: "cuFuncGetAttribute", Params: "int *value, int attr, void *func"},
	{Name: "cuFuncSetAttribute", Params: "void *func, int attr, int value"},
	{Name: "cuOccupancyMaxActiveBlocksPerMultiprocessor", Params: "int *blocks, void *func, int threads, size_t shared"},

	{Name: "cuLaunchKernel", Params: "void *func, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, " +
		"unsigned shared, void *stream, void **params, void **extra"},
	{Name: "cuLaunchKernelEx", Params: "const ox_launch_config *config, void *func, void **params, void **extra", Optional: true, MinDriver: 11080},

	{Name: "cuTensorMapEncodeTiled", Params: "void *map, unsigned type, uint32_t rank, void *base, const uint64_t *dims, const uint64_t *strides, " +
		"const uint32_t *box, const uint32_t *steps, unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill",
		Optional: true, MinDriver: 12000},

	{Name: "cuGraphInstantiateWithFlags", Params: "void **exec, void *graph, unsigned long long flags", MinDriver: 11040},
	{Name: "cuGraphUpload", Params: "void *exec, void *stream", Optional: true, MinDriver: 11010},
	{Name: "cuGraphLaunch", Params: "void *exec, void *stream", MinDriver: 10000},
	{Name: "cuGraphDestroy", Params: "void *graph", MinDriver: 10000},
	{Name: "cuGraphExecUpdate_v2", Params: "void *exec, void *graph, ox_update_result *result", Optional: true, MinDriver: 12000},
	{Name: "cuGraphExecDestroy", Params: "void *exec", MinDriver: 10000},
}

// Header returns the generated C header: a struct of function pointers and the table that dlsym walks.
func Header() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("// Code generated by runtime/internal/symtab from table %s. DO NOT EDIT.\n", hash())
	line("#ifndef OX_SYMBOLS_H\n#define OX_SYMBOLS_H\n")
	line("typedef struct {")
	for _, s := range Symbols {
		line("\tint (*%s)(%s);", s.Name, s.Params)
	}
	line("} ox_symbols;\n")
	line("typedef struct {\n\tconst char *name;\n\tsize_t offset;\n\tint optional;\n\tint min_driver;\n} ox_symbol;\n")
	line("static const ox_symbol ox_symbol_table[] = {")
	for _, s := range Symbols {
		optional := 0
		if s.Optional {
			optional = 1
		}
		line("\t{%q, offsetof(ox_symbols, %s), %d, %d},", s.Name, s.Name, optional, s.MinDriver)
	}
	line("};\n\n#endif")
	return []byte(b.String())
}

func hash() string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%+v", Symbols)))
	return hex.EncodeToString(sum[:8])
}
