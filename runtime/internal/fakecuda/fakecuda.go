//go:build cgo && linux

package fakecuda

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
	unsigned grid[3], block[3], cluster[3], shared, programmatic, extended;
	void *func, *stream;
	uint64_t params[8];
} fake_launch;

static int call_name(void *f, const char *name) { return ((int (*)(const char *))f)(name); }
static void call_fail(void *f, const char *name, int code, int after) { ((void (*)(const char *, int, int))f)(name, code, after); }
static void call_int(void *f, int v) { ((void (*)(int))f)(v); }
static long get_long(void *f) { return ((long (*)(void))f)(); }
static int get_int(void *f) { return ((int (*)(void))f)(); }
static uint64_t get_ptr(void *f) { return (uint64_t)(uintptr_t)((void *(*)(void))f)(); }
static void set_ptr(void *f, uint64_t v) { ((void (*)(void *))f)((void *)(uintptr_t)v); }
static void get_launch(void *f, fake_launch *l) { ((void (*)(fake_launch *))f)(l); }
static void set_sizes(void *f, const int *sizes, int n) { ((void (*)(const int *, int))f)(sizes, n); }
*/
import "C"

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"unsafe"
)

//go:embed lib/fake.c
var source []byte

// Lib is a loaded fake.
type Lib struct {
	// Path is what to open instead of libcuda.so.1.
	Path   string
	handle unsafe.Pointer
}

// Compile returns the fake as a shared object, without the entry points named in omit. It works in dir.
func Compile(dir string, omit ...string) ([]byte, error) {
	src, lib := filepath.Join(dir, "fake.c"), filepath.Join(dir, "fake.so")
	if err := os.WriteFile(src, source, 0o644); err != nil {
		return nil, err
	}
	args := []string{"-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", lib, src}
	for _, name := range omit {
		args = append(args, "-D"+name+"=omitted_"+name)
	}
	if out, err := exec.Command("cc", append(args, "-lpthread")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cc: %w\n%s", err, out)
	}
	return os.ReadFile(lib)
}

// Load writes a compiled fake to a file in dir and loads it. Every file is a library of its own, with its own state.
func Load(dir string, image []byte) (*Lib, error) {
	path := filepath.Join(dir, "libcuda.so.1")
	if err := os.WriteFile(path, image, 0o755); err != nil {
		return nil, err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	h := C.dlopen(name, C.RTLD_NOW|C.RTLD_LOCAL)
	if h == nil {
		return nil, fmt.Errorf("dlopen: %s", C.GoString(C.dlerror()))
	}
	return &Lib{path, h}, nil
}

func (l *Lib) symbol(name string) unsafe.Pointer {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return C.dlsym(l.handle, c)
}

// Calls returns how often an entry point was called.
func (l *Lib) Calls(name string) int {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return int(C.call_name(l.symbol("fake_calls"), c))
}

// Fail makes an entry point return code from its call number after (0: the next) on; code 0 ends that.
func (l *Lib) Fail(name string, code, after int) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	C.call_fail(l.symbol("fake_fail"), c, C.int(code), C.int(after))
}

// Hold keeps streams and events from becoming ready.
func (l *Lib) Hold(on bool) { l.setFlag("fake_hold", on) }

// Capturing makes every stream report a capture that somebody else runs.
func (l *Lib) Capturing(on bool) { l.setFlag("fake_capture", on) }

func (l *Lib) setFlag(name string, on bool) {
	v := C.int(0)
	if on {
		v = 1
	}
	C.call_int(l.symbol(name), v)
}

// WithoutContext counts calls that needed a current context and had none.
func (l *Lib) WithoutContext() int { return int(C.get_int(l.symbol("fake_without_context"))) }

// LiveBytes is the device memory not freed.
func (l *Lib) LiveBytes() int64 { return int64(C.get_long(l.symbol("fake_live_bytes"))) }

// Current returns the calling thread's context; lock the goroutine to its thread around it.
func (l *Lib) Current() uint64 { return uint64(C.get_ptr(l.symbol("fake_current"))) }

// SetCurrent makes a context current on the calling thread.
func (l *Lib) SetCurrent(ctx uint64) { C.set_ptr(l.symbol("fake_set_current"), C.uint64_t(ctx)) }

// CaptureMode returns the calling thread's stream capture mode, 0 (global) for a thread that was left alone.
func (l *Lib) CaptureMode() int { return int(C.get_int(l.symbol("fake_capture_mode"))) }

// Launch is the last launch that the fake saw.
type Launch struct {
	Grid, Block, Cluster [3]uint32
	Shared               uint32
	Programmatic         bool
	Extended             bool // through cuLaunchKernelEx
	Func, Stream         uint64
	Params               [8]uint64
}

// ParamSizes tells the fake how many bytes to read behind each parameter pointer.
func (l *Lib) ParamSizes(sizes ...int) {
	c := make([]C.int, len(sizes)+1)
	for i, n := range sizes {
		c[i] = C.int(n)
	}
	C.set_sizes(l.symbol("fake_param_sizes"), &c[0], C.int(len(sizes)))
}

// LastLaunch returns the last launch.
func (l *Lib) LastLaunch() Launch {
	var c C.fake_launch
	C.get_launch(l.symbol("fake_last_launch"), &c)
	v := Launch{Shared: uint32(c.shared), Programmatic: c.programmatic != 0, Extended: c.extended != 0,
		Func: uint64(uintptr(c._func)), Stream: uint64(uintptr(c.stream))}
	for i := range 3 {
		v.Grid[i], v.Block[i], v.Cluster[i] = uint32(c.grid[i]), uint32(c.block[i]), uint32(c.cluster[i])
	}
	for i := range v.Params {
		v.Params[i] = uint64(c.params[i])
	}
	return v
}
