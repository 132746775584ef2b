// A libcuda for tests: keeps books about calls and the current context, fails on command, and runs no kernels. Memory is host
// memory, streams finish at once unless held.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 80, CONTEXT_BASE = 0xC0DE0000, NOT_READY = 600, INVALID_CONTEXT = 201 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	const char *name;
	int calls, code, after;
} books[NAMES];
static int held, capturing, without_context;
static long live;
static uintptr_t next_handle = 0x1000;
static __thread void *current;
static __thread int capture_mode;

typedef struct {
	unsigned grid[3], block[3], cluster[3], shared, programmatic, extended;
	void *func, *stream;
	uint64_t params[8];
} fake_launch;
static fake_launch last;
static int param_sizes[8], param_count;

static int find(const char *name) {
	for (int i = 0; i < NAMES; i++) {
		if (books[i].name == NULL) books[i].name = name;
		if (strcmp(books[i].name, name) == 0) return i;
	}
	abort();
}

// call notes a call and returns the code it has to fail with.
static int call(const char *name, int needs_context) {
	pthread_mutex_lock(&lock);
	int i = find(name), code = 0;
	books[i].calls++;
	if (books[i].code != 0 && books[i].after-- <= 0) code = books[i].code;
	if (needs_context && current == NULL) {
		without_context++;
		code = INVALID_CONTEXT;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

#define FREE do { int c_ = call(__func__, 0); if (c_ != 0) return c_; } while (0)
#define BOUND do { int c_ = call(__func__, 1); if (c_ != 0) return c_; } while (0)

static void *handle(void) {
	pthread_mutex_lock(&lock);
	void *h = (void *)next_handle++;
	pthread_mutex_unlock(&lock);
	return h;
}

int fake_calls(const char *name) {
	pthread_mutex_lock(&lock);
	int n = books[find(strdup(name))].calls;
	pthread_mutex_unlock(&lock);
	return n;
}
void fake_fail(const char *name, int code, int after) {
	pthread_mutex_lock(&lock);
	int i = find(strdup(name));
	books[i].code = code;
	books[i].after = after;
	pthread_mutex_unlock(&lock);
}
void fake_hold(int on) { held = on; }
void fake_capture(int on) { capturing = on; }
int fake_without_context(void) { return without_context; }
long fake_live_bytes(void) { return live; }
void *fake_current(void) { return current; }
void fake_set_current(void *ctx) { current = ctx; }
int fake_capture_mode(void) { return capture_mode; }
void fake_last_launch(fake_launch *l) { *l = last; }
void fake_param_sizes(const int *sizes, int n) {
	memcpy(param_sizes, sizes, n * sizeof *sizes);
	param_count = n;
}

int cuInit(unsigned flags) { FREE; return flags; }
int cuDriverGetVersion(int *version) { FREE; *version = 13000; return 0; }
int cuDeviceGetCount(int *count) { FREE; *count = 2; return 0; }
int cuDeviceGet(int *device, int ordinal) { FREE; *device = ordinal + 10; return ordinal < 0 || ordinal > 1 ? 101 : 0; }
int cuDeviceGetName(char *name, int len, int device) { FREE; strncpy(name, "Fake H200", len); return device < 10; }
int cuDeviceGetUuid_v2(unsigned char *uuid, int device) { FREE; memset(uuid, device, 16); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { FREE; *bytes = (size_t)device << 30; return 0; }
int cuDeviceGetAttribute(int *value, int attr, int device) {
	FREE;
	(void)device;
	switch (attr) {
	case 75: *value = 9; break;
	case 76: *value = 0; break;
	case 16: *value = 132; break;
	case 97: *value = 227 << 10; break;
	case 120: *value = 1; break;
	default: *value = attr * 1000;
	}
	return 0;
}
int cuDevicePrimaryCtxRetain(void **ctx, int device) { FREE; *ctx = (void *)(uintptr_t)(CONTEXT_BASE + device); return 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { FREE; return device < 10; }
int cuCtxGetCurrent(void **ctx) { FREE; *ctx = current; return 0; }
int cuCtxSetCurrent(void *ctx) { FREE; current = ctx; return 0; }
int cuCtxSynchronize(void) { BOUND; held = 0; return 0; }
int cuThreadExchangeStreamCaptureMode(int *mode) {
	FREE;
	int old = capture_mode;
	capture_mode = *mode;
	*mode = old;
	return 0;
}

int cuMemGetInfo_v2(size_t *available, size_t *total) { BOUND; *available = 1 << 20; *total = 2 << 20; return 0; }
int cuMemAlloc_v2(uint64_t *ptr, size_t bytes) {
	BOUND;
	size_t *p = aligned_alloc(256, (bytes + 511) / 256 * 256);
	if (p == NULL) return 2;
	*p = bytes;
	live += bytes;
	*ptr = (uint64_t)(uintptr_t)p + 256;
	return 0;
}
int cuMemFree_v2(uint64_t ptr) {
	BOUND;
	size_t *p = (void *)(uintptr_t)(ptr - 256);
	live -= *p;
	free(p);
	return 0;
}
int cuMemHostAlloc(void **ptr, size_t bytes, unsigned flags) { BOUND; *ptr = malloc(bytes); return flags != 3; }
int cuMemHostGetDevicePointer_v2(uint64_t *device, void *host, unsigned flags) { BOUND; *device = (uint64_t)(uintptr_t)host; return flags; }
int cuMemFreeHost(void *ptr) { BOUND; free(ptr); return 0; }
int cuMemcpyHtoDAsync_v2(uint64_t dst, const void *src, size_t n, void *s) { BOUND; (void)s; memcpy((void *)(uintptr_t)dst, src, n); return 0; }
int cuMemcpyDtoHAsync_v2(void *dst, uint64_t src, size_t n, void *s) { BOUND; (void)s; memcpy(dst, (void *)(uintptr_t)src, n); return 0; }
int cuMemcpyDtoDAsync_v2(uint64_t dst, uint64_t src, size_t n, void *s) {
	BOUND;
	(void)s;
	memcpy((void *)(uintptr_t)dst, (void *)(uintptr_t)src, n);
	return 0;
}
int cuMemsetD8Async(uint64_t dst, unsigned char v, size_t n, void *s) { BOUND; (void)s; memset((void *)(uintptr_t)dst, v, n); return 0; }

int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) { BOUND; (void)priority; *stream = handle(); return flags != 1; }
int cuCtxGetStreamPriorityRange(int *least, int *greatest) { BOUND; *least = 0; *greatest = -5; return 0; }
int cuStreamDestroy_v2(void *stream) { BOUND; return stream == NULL; }
int cuStreamQuery(void *stream) { BOUND; (void)stream; return held ? NOT_READY : 0; }
int cuStreamSynchronize(void *stream) { BOUND; (void)stream; return 0; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { BOUND; (void)stream; return event == NULL || flags; }
int cuStreamIsCapturing(void *stream, int *status) { BOUND; (void)stream; *status = capturing; return 0; }
int cuStreamGetCaptureInfo_v2(void *stream, int *status, uint64_t *id, void **graph, void **dependencies, size_t *count) {
	BOUND;
	(void)stream;
	*status = capturing;
	*id = capturing ? 77 : 0;
	return graph != NULL || dependencies != NULL || count != NULL;
}
int cuStreamBeginCapture_v2(void *stream, int mode) { BOUND; capturing = 1; return stream == NULL || mode != 2; }
int cuStreamEndCapture(void *stream, void **graph) { BOUND; (void)stream; capturing = 0; *graph = handle(); return 0; }

int cuEventCreate(void **event, unsigned flags) { BOUND; *event = handle(); return flags != 0 && flags != 2; }
int cuEventDestroy_v2(void *event) { BOUND; return event == NULL; }
int cuEventRecord(void *event, void *stream) { BOUND; (void)stream; return event == NULL; }
int cuEventQuery(void *event) { BOUND; (void)event; return held ? NOT_READY : 0; }
int cuEventSynchronize(void *event) { BOUND; (void)event; return 0; }
int cuEventElapsedTime(float *ms, void *start, void *end) { BOUND; *ms = 1.5f; return start == end; }

int cuModuleLoadData(void **module, const void *image) { BOUND; *module = handle(); return memcmp(image, "\177ELF", 4) ? 200 : 0; }
int cuModuleUnload(void *module) { BOUND; return module == NULL; }
int cuModuleGetFunction(void **func, void *module, const char *name) { BOUND; *func = handle(); return module == NULL || *name == 0; }
int cuFuncGetAttribute(int *value, int attr, void *func) { BOUND; *value = attr + 1; return func == NULL; }
int cuFuncSetAttribute(void *func, int attr, int value) { BOUND; (void)attr; (void)value; return func == NULL; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *func, int threads, size_t shared) {
	BOUND;
	(void)shared;
	*blocks = 2048 / threads;
	return func == NULL;
}

static void launched(void *func, void *stream, void **params) {
	last.func = func;
	last.stream = stream;
	for (int i = 0; i < param_count; i++) memcpy(&last.params[i], params[i], param_sizes[i]);
}

int cuLaunchKernel(void *func, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
                   void **params, void **extra) {
	BOUND;
	memset(&last, 0, sizeof last);
	last.grid[0] = gx, last.grid[1] = gy, last.grid[2] = gz, last.block[0] = bx, last.block[1] = by, last.block[2] = bz;
	last.shared = shared;
	launched(func, stream, params);
	return extra != NULL;
}

// The structures as cuda.h defines CUlaunchConfig and CUlaunchAttribute.
typedef struct {
	int id;
	char pad[8 - sizeof(int)];
	union {
		char bytes[64];
		unsigned dims[3];
		int flag;
	} value;
} attribute;
typedef struct {
	unsigned grid[3], block[3], shared;
	void *stream;
	attribute *attrs;
	unsigned count;
} config;

int cuLaunchKernelEx(const config *c, void *func, void **params, void **extra) {
	BOUND;
	memset(&last, 0, sizeof last);
	memcpy(last.grid, c->grid, sizeof last.grid);
	memcpy(last.block, c->block, sizeof last.block);
	last.shared = c->shared;
	last.extended = 1;
	for (unsigned i = 0; i < c->count; i++) {
		if (c->attrs[i].id == 4) memcpy(last.cluster, c->attrs[i].value.dims, sizeof last.cluster);
		if (c->attrs[i].id == 6) last.programmatic = c->attrs[i].value.flag;
	}
	launched(func, c->stream, params);
	return extra != NULL;
}

int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) { BOUND; *exec = handle(); return graph == NULL || flags; }
int cuGraphUpload(void *exec, void *stream) { BOUND; (void)stream; return exec == NULL; }
int cuGraphLaunch(void *exec, void *stream) { BOUND; (void)stream; return exec == NULL; }
int cuGraphDestroy(void *graph) { BOUND; return graph == NULL; }
typedef struct {
	int result;
	void *node, *from;
} update_result;

int cuGraphExecUpdate_v2(void *exec, void *graph, update_result *r) { BOUND; r->result = 0; return exec == NULL || graph == NULL; }
int cuGraphExecDestroy(void *exec) { BOUND; return exec == NULL; }

// The fake writes down what it was given; the map has to be aligned.
int cuTensorMapEncodeTiled(void *map, unsigned type, uint32_t rank, void *base, const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                           const uint32_t *steps, unsigned interleave, unsigned swizzle, unsigned promotion, unsigned fill) {
	FREE;
	if ((uintptr_t)map % 64 != 0) return 1;
	unsigned char *m = memset(map, 0, 128);
	unsigned char head[8] = {type, rank, interleave, swizzle, promotion, fill};
	memcpy(m, head, 8);
	memcpy(m + 8, &base, 8);
	for (uint32_t i = 0; i < rank; i++) {
		uint32_t dim = (uint32_t)(dims[i] - 1);
		uint16_t b = (uint16_t)box[i];
		memcpy(m + 16 + 4 * i, &dim, 4);
		if (i > 0) memcpy(m + 36 + 8 * (i - 1), &strides[i - 1], 8);
		memcpy(m + 68 + 2 * i, &b, 2);
		m[78 + i] = (unsigned char)steps[i];
	}
	return 0;
}
