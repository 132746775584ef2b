//go:build cgo && linux

package barelaunch

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef int (*fn)();

typedef struct {
	int id;
	char pad[4];
	union {
		int allowed;
		char room[64];
	} value;
} attribute;

typedef struct {
	unsigned gx, gy, gz, bx, by, bz, shared;
	void *stream;
	void *attrs;
	unsigned count;
} config;

typedef struct {
	uint64_t context, stream, event, func;
	unsigned grid[3], block[3], shared, count;
	uint16_t offsets[128];
	unsigned char params[1024];
} bare_call;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

// bare_run makes n calls and returns their nanoseconds, or minus the driver's code. -1 stands for a missing driver.
static double bare_run(bare_call *c, int mode, int n) {
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (!lib) return -1;
	fn current = (fn)dlsym(lib, "cuCtxSetCurrent"), launch = (fn)dlsym(lib, "cuLaunchKernel"), launch_ex = (fn)dlsym(lib, "cuLaunchKernelEx"),
	   record = (fn)dlsym(lib, "cuEventRecord");
	if (!current || !launch || !launch_ex || !record) return -1;
	void *params[128], *func = (void *)(uintptr_t)c->func, *stream = (void *)(uintptr_t)c->stream, *event = (void *)(uintptr_t)c->event;
	for (unsigned i = 0; i < c->count; i++) params[i] = c->params + c->offsets[i];
	attribute attr = {6, {0}, {1}};
	config cfg = {c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared, stream, &attr, 1};
	int code = current((void *)(uintptr_t)c->context);
	if (code) return -code;
	double start = now();
	for (int i = 0; i < n; i++) {
		if (mode < 2) {
			code = launch(func, cfg.gx, cfg.gy, cfg.gz, cfg.bx, cfg.by, cfg.bz, cfg.shared, stream, params, NULL);
		} else {
			code = launch_ex(&cfg, func, params, NULL);
		}
		if (!code && (mode & 1)) code = record(event, stream);
		if (code) return -code;
	}
	return now() - start;
}
*/
import "C"

import (
	"fmt"
	"time"

	oxrt "github.com/oxideinfer/oxide/runtime"
)

// Run makes n calls in one mode and returns the host time of all.
func Run(call Call, mode Mode, n int) (time.Duration, error) {
	a := call.Kernel.Artifact()
	if len(a.Launch.Params) > 128 || len(call.Params) > 1024 {
		return 0, fmt.Errorf("%s: too many parameters for a bare launch", a.Name())
	}
	var c C.bare_call
	c.context, c.stream, c.event, c._func = C.uint64_t(call.Context), C.uint64_t(call.Stream), C.uint64_t(call.Event), C.uint64_t(call.Kernel.Handle())
	grid, block := call.Grid.Fill(), a.Launch.Block.Fill()
	c.grid = [3]C.uint{C.uint(grid.X), C.uint(grid.Y), C.uint(grid.Z)}
	c.block = [3]C.uint{C.uint(block.X), C.uint(block.Y), C.uint(block.Z)}
	c.shared, c.count = C.uint(a.Launch.DynamicSharedBytes), C.uint(len(a.Launch.Params))
	for i, p := range a.Launch.Params {
		c.offsets[i] = C.uint16_t(p.Offset)
	}
	for i, b := range call.Params {
		c.params[i] = C.uchar(b)
	}
	ns := float64(C.bare_run(&c, C.int(mode), C.int(n)))
	switch {
	case ns == -1:
		return 0, oxrt.ErrNoDriver
	case ns < 0:
		return 0, &oxrt.DriverError{Op: mode.String(), Kernel: a.Name(), Code: oxrt.Code(-ns)}
	}
	return time.Duration(ns), nil
}
