//go:build cgo && linux

package tensormap

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>

typedef int (*encode_fn)(void *, unsigned, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,
	unsigned, unsigned, unsigned, unsigned);

// encode_tiled returns the driver's code, or -1 where there is no driver. The map has to be aligned to 64 bytes.
static int encode_tiled(void *map, unsigned type, uint32_t rank, uint64_t address, const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
	const uint32_t *steps, unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill) {
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	encode_fn f = lib ? (encode_fn)dlsym(lib, "cuTensorMapEncodeTiled") : 0;
	return f ? f(map, type, rank, (void *)(uintptr_t)address, dims, strides, box, steps, interleave, swizzle, promotion, fill) : -1;
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/oxideinfer/oxide/codegen/ptx/emulate"
	oxrt "github.com/oxideinfer/oxide/runtime"
)

// mapBytes is the size of a CUtensorMap.
const mapBytes = 128

// Encode asks the driver to encode a map (cuTensorMapEncodeTiled). A refusal is an error that wraps the driver's code.
func Encode(m *emulate.TensorMap) ([]byte, error) {
	var room [mapBytes + 64]byte
	start := (64 - uintptr(unsafe.Pointer(&room[0]))%64) % 64
	fill := C.uint(0)
	if m.FillNaN {
		fill = 1
	}
	code := C.encode_tiled(unsafe.Pointer(&room[start]), C.uint(m.Type), C.uint32_t(m.Rank), C.uint64_t(m.Address),
		(*C.uint64_t)(unsafe.Pointer(&m.Dims[0])), (*C.uint64_t)(unsafe.Pointer(&m.Strides[0])), (*C.uint32_t)(unsafe.Pointer(&m.Box[0])),
		(*C.uint32_t)(unsafe.Pointer(&m.ElementStrides[0])), C.uint(m.Interleave), C.uint(m.Swizzle), C.uint(m.Promotion), fill)
	switch {
	case code == -1:
		return nil, oxrt.ErrNoDriver
	case code != 0:
		return nil, fmt.Errorf("cuTensorMapEncodeTiled: %w", oxrt.Code(code))
	}
	return append([]byte(nil), room[start:start+mapBytes]...), nil
}
