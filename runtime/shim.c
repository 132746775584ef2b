//go:build cgo && linux

#include "shim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTR(h) ((void *)(uintptr_t)(h))
#define HANDLE(p) ((uint64_t)(uintptr_t)(p))

// guard is what a call changed on the calling thread.
typedef struct {
	void *previous; // context to restore
	int switched;
	int mode; // stream capture mode to restore
	int code;
} guard;

// enter makes ctx current. A goroutine does not move between threads during one cgo call, so nothing is locked.
static guard enter(const ox_table *t, uint64_t ctx) {
	guard g = {0};
	g.code = t->fn.cuCtxGetCurrent(&g.previous);
	if (g.code == 0 && g.previous != PTR(ctx)) {
		g.code = t->fn.cuCtxSetCurrent(PTR(ctx));
		g.switched = g.code == 0 && (g.previous != NULL || t->restore_none);
	}
	return g;
}

static int leave(const ox_table *t, const guard *g, int code) {
	if (g->switched) {
		int restored = t->fn.cuCtxSetCurrent(g->previous);
		if (code == 0) code = restored;
	}
	return code;
}

// enter_any_capture additionally keeps the call from breaking a capture that somebody else runs in global mode: allocation, queries
// and waits are "potentially unsafe" there (CUDA driver API, cuThreadExchangeStreamCaptureMode).
static guard enter_any_capture(const ox_table *t, uint64_t ctx) {
	guard g = enter(t, ctx);
	g.mode = 2; // relaxed
	if (g.code == 0) g.code = t->fn.cuThreadExchangeStreamCaptureMode(&g.mode);
	return g;
}

static int leave_any_capture(const ox_table *t, guard *g, int code) {
	t->fn.cuThreadExchangeStreamCaptureMode(&g->mode);
	return leave(t, g, code);
}

// CALL runs one driver function between enter and leave; QUIET does so without disturbing captures.
#define CALL(t, ctx, expr)                              \
	do {                                                \
		guard g_ = enter(t, ctx);                       \
		if (g_.code != 0) return leave(t, &g_, g_.code); \
		return leave(t, &g_, (expr));                   \
	} while (0)

#define QUIET(t, ctx, expr)                             \
	do {                                                \
		guard g_ = enter_any_capture(t, ctx);           \
		if (g_.code != 0) return leave(t, &g_, g_.code); \
		int code_ = (expr);                             \
		return leave_any_capture(t, &g_, code_);        \
	} while (0)

// VALUE is QUIET for functions that return an ox_value v through their arguments.
#define VALUE(t, ctx, v, expr)                        \
	do {                                              \
		guard g_ = enter_any_capture(t, ctx);         \
		if (g_.code != 0) {                           \
			(v).code = leave(t, &g_, g_.code);        \
		} else {                                      \
			int code_ = (expr);                       \
			(v).code = leave_any_capture(t, &g_, code_); \
		}                                             \
	} while (0)

static int resolve(ox_table *t, char *message, size_t room) {
	for (size_t i = 0; i < sizeof ox_symbol_table / sizeof *ox_symbol_table; i++) {
		const ox_symbol *s = &ox_symbol_table[i];
		void *f = dlsym(t->lib, s->name);
		if (f == NULL && !s->optional) {
			snprintf(message, room, "driver lacks %s (CUDA %d.%d)", s->name, s->min_driver / 1000, s->min_driver % 1000 / 10);
			return 0;
		}
		memcpy((char *)&t->fn + s->offset, &f, sizeof f);
	}
	return 1;
}

ox_table *ox_open(const char *library, int restore_none, int *code, char *message, size_t room) {
	*code = 0;
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL) {
		const char *why = dlerror();
		snprintf(message, room, "%s", why ? why : library);
		return NULL;
	}
	ox_table *t = calloc(1, sizeof *t);
	if (t == NULL) {
		snprintf(message, room, "out of memory");
		return NULL;
	}
	t->lib = lib;
	t->restore_none = restore_none;
	if (!resolve(t, message, room)) {
		free(t);
		return NULL;
	}
	if ((*code = t->fn.cuInit(0)) != 0 || (*code = t->fn.cuDriverGetVersion(&t->version)) != 0) {
		snprintf(message, room, "cuInit");
		free(t);
		return NULL;
	}
	return t;
}

// The library stays loaded: unloading libcuda while its threads live is not supported.
void ox_close(ox_table *t) { free(t); }

ox_value ox_version(const ox_table *t) {
	ox_value v = {0};
	v.a = (uint64_t)t->version;
	return v;
}

ox_value ox_device_count(const ox_table *t) {
	ox_value v = {0};
	int n = 0;
	v.code = t->fn.cuDeviceGetCount(&n);
	v.a = (uint64_t)n;
	return v;
}

int ox_device(const ox_table *t, int ordinal, const int *attrs, int count, ox_device_info *info) {
	int device, code;
	size_t memory = 0;
	memset(info, 0, sizeof *info);
	if ((code = t->fn.cuDeviceGet(&device, ordinal)) != 0) return code;
	if ((code = t->fn.cuDeviceGetName(info->name, sizeof info->name - 1, device)) != 0) return code;
	if ((code = t->fn.cuDeviceGetUuid_v2(info->uuid, device)) != 0) return code;
	if ((code = t->fn.cuDeviceTotalMem_v2(&memory, device)) != 0) return code;
	info->memory = memory;
	for (int i = 0; i < count && i < 16; i++) {
		int value = 0;
		if ((code = t->fn.cuDeviceGetAttribute(&value, attrs[i], device)) != 0) return code;
		info->attrs[i] = value;
	}
	return 0;
}

ox_value ox_retain(const ox_table *t, int ordinal) {
	ox_value v = {0};
	int device;
	void *ctx = NULL;
	if ((v.code = t->fn.cuDeviceGet(&device, ordinal)) == 0) v.code = t->fn.cuDevicePrimaryCtxRetain(&ctx, device);
	v.a = HANDLE(ctx);
	return v;
}

int ox_release(const ox_table *t, int ordinal) {
	int device, code;
	if ((code = t->fn.cuDeviceGet(&device, ordinal)) != 0) return code;
	return t->fn.cuDevicePrimaryCtxRelease_v2(device);
}

int ox_synchronize(const ox_table *t, uint64_t ctx) { QUIET(t, ctx, t->fn.cuCtxSynchronize()); }

ox_value ox_mem_info(const ox_table *t, uint64_t ctx) {
	ox_value v = {0};
	size_t available = 0, total = 0;
	VALUE(t, ctx, v, t->fn.cuMemGetInfo_v2(&available, &total));
	v.a = available;
	v.b = total;
	return v;
}

ox_value ox_alloc(const ox_table *t, uint64_t ctx, size_t bytes) {
	ox_value v = {0};
	VALUE(t, ctx, v, t->fn.cuMemAlloc_v2(&v.a, bytes));
	return v;
}

int ox_free(const ox_table *t, uint64_t ctx, uint64_t ptr) { QUIET(t, ctx, t->fn.cuMemFree_v2(ptr)); }

ox_value ox_alloc_host(const ox_table *t, uint64_t ctx, size_t bytes) {
	ox_value v = {0};
	void *p = NULL;
	VALUE(t, ctx, v, t->fn.cuMemHostAlloc(&p, bytes, 3)); // portable, mapped
	if (v.code != 0) return v;
	v.a = HANDLE(p);
	VALUE(t, ctx, v, t->fn.cuMemHostGetDevicePointer_v2(&v.b, p, 0));
	if (v.code != 0) ox_free_host(t, ctx, p);
	return v;
}

int ox_free_host(const ox_table *t, uint64_t ctx, void *ptr) { QUIET(t, ctx, t->fn.cuMemFreeHost(ptr)); }

// Copies wait: pageable memory would be staged, but page-locked memory would still be in use after the return.
static int copy_in(const ox_table *t, uint64_t stream, uint64_t dst, const void *src, size_t bytes) {
	int code = t->fn.cuMemcpyHtoDAsync_v2(dst, src, bytes, PTR(stream));
	return code != 0 ? code : t->fn.cuStreamSynchronize(PTR(stream));
}

static int copy_out(const ox_table *t, uint64_t stream, void *dst, uint64_t src, size_t bytes) {
	int code = t->fn.cuMemcpyDtoHAsync_v2(dst, src, bytes, PTR(stream));
	return code != 0 ? code : t->fn.cuStreamSynchronize(PTR(stream));
}

int ox_copy_in(const ox_table *t, uint64_t ctx, uint64_t stream, uint64_t dst, const void *src, size_t bytes) {
	QUIET(t, ctx, copy_in(t, stream, dst, src, bytes));
}

int ox_copy_out(const ox_table *t, uint64_t ctx, uint64_t stream, void *dst, uint64_t src, size_t bytes) {
	QUIET(t, ctx, copy_out(t, stream, dst, src, bytes));
}

ox_value ox_stream_create(const ox_table *t, uint64_t ctx, int priority) {
	ox_value v = {0};
	void *s = NULL;
	VALUE(t, ctx, v, t->fn.cuStreamCreateWithPriority(&s, 1, priority)); // non-blocking
	v.a = HANDLE(s);
	return v;
}

ox_value ox_stream_priorities(const ox_table *t, uint64_t ctx) {
	ox_value v = {0};
	int least = 0, greatest = 0;
	VALUE(t, ctx, v, t->fn.cuCtxGetStreamPriorityRange(&least, &greatest));
	v.a = (uint64_t)(int64_t)least;
	v.b = (uint64_t)(int64_t)greatest;
	return v;
}

int ox_stream_destroy(const ox_table *t, uint64_t ctx, uint64_t stream) { QUIET(t, ctx, t->fn.cuStreamDestroy_v2(PTR(stream))); }
int ox_stream_query(const ox_table *t, uint64_t ctx, uint64_t stream) { QUIET(t, ctx, t->fn.cuStreamQuery(PTR(stream))); }
int ox_stream_synchronize(const ox_table *t, uint64_t ctx, uint64_t stream) {
	QUIET(t, ctx, t->fn.cuStreamSynchronize(PTR(stream)));
}
int ox_stream_wait(const ox_table *t, uint64_t ctx, uint64_t stream, uint64_t event) {
	CALL(t, ctx, t->fn.cuStreamWaitEvent(PTR(stream), PTR(event), 0));
}

ox_value ox_event_create(const ox_table *t, uint64_t ctx, int timing) {
	ox_value v = {0};
	void *e = NULL;
	VALUE(t, ctx, v, t->fn.cuEventCreate(&e, timing ? 0 : 2)); // 2: no timing
	v.a = HANDLE(e);
	return v;
}

int ox_event_destroy(const ox_table *t, uint64_t ctx, uint64_t event) { QUIET(t, ctx, t->fn.cuEventDestroy_v2(PTR(event))); }
int ox_event_record(const ox_table *t, uint64_t ctx, uint64_t event, uint64_t stream) {
	CALL(t, ctx, t->fn.cuEventRecord(PTR(event), PTR(stream)));
}
int ox_event_query(const ox_table *t, uint64_t ctx, uint64_t event) { QUIET(t, ctx, t->fn.cuEventQuery(PTR(event))); }
int ox_event_synchronize(const ox_table *t, uint64_t ctx, uint64_t event) { QUIET(t, ctx, t->fn.cuEventSynchronize(PTR(event))); }
int ox_event_elapsed(const ox_table *t, uint64_t ctx, uint64_t start, uint64_t end, float *ms) {
	QUIET(t, ctx, t->fn.cuEventElapsedTime(ms, PTR(start), PTR(end)));
}

ox_value ox_module_load(const ox_table *t, uint64_t ctx, const void *image) {
	ox_value v = {0};
	void *m = NULL;
	VALUE(t, ctx, v, t->fn.cuModuleLoadData(&m, image));
	v.a = HANDLE(m);
	return v;
}

int ox_module_unload(const ox_table *t, uint64_t ctx, uint64_t module) { QUIET(t, ctx, t->fn.cuModuleUnload(PTR(module))); }

ox_value ox_module_function(const ox_table *t, uint64_t ctx, uint64_t module, const char *name) {
	ox_value v = {0};
	void *f = NULL;
	VALUE(t, ctx, v, t->fn.cuModuleGetFunction(&f, PTR(module), name));
	v.a = HANDLE(f);
	return v;
}

ox_value ox_func_attribute(const ox_table *t, uint64_t ctx, uint64_t func, int attr) {
	ox_value v = {0};
	int n = 0;
	VALUE(t, ctx, v, t->fn.cuFuncGetAttribute(&n, attr, PTR(func)));
	v.a = (uint64_t)(int64_t)n;
	return v;
}

int ox_set_func_attribute(const ox_table *t, uint64_t ctx, uint64_t func, int attr, int value) {
	QUIET(t, ctx, t->fn.cuFuncSetAttribute(PTR(func), attr, value));
}

ox_value ox_occupancy(const ox_table *t, uint64_t ctx, uint64_t func, int threads, size_t shared) {
	ox_value v = {0};
	int n = 0;
	VALUE(t, ctx, v, t->fn.cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, PTR(func), threads, shared));
	v.a = (uint64_t)n;
	return v;
}

// capture_of returns which capture a stream is in, 0 for none. The question whether there is one is the cheaper call.
static int capture_of(const ox_table *t, void *stream, uint64_t *id) {
	int status = 0; // 0: none, 1: active, 2: invalidated
	int code = t->fn.cuStreamIsCapturing(stream, &status);
	if (code != 0 || status == 0) return code;
	return t->fn.cuStreamGetCaptureInfo_v2(stream, &status, id, NULL, NULL, NULL);
}

static int capture_begin(const ox_table *t, void *stream, uint64_t *id) {
	int code = t->fn.cuStreamBeginCapture_v2(stream, 2); // relaxed: a goroutine may end it on another thread
	return code != 0 ? code : capture_of(t, stream, id);
}

ox_value ox_capture_begin(const ox_table *t, uint64_t ctx, uint64_t stream) {
	ox_value v = {0};
	VALUE(t, ctx, v, capture_begin(t, PTR(stream), &v.a));
	return v;
}

ox_value ox_capture_end(const ox_table *t, uint64_t ctx, uint64_t stream) {
	ox_value v = {0};
	void *g = NULL;
	VALUE(t, ctx, v, t->fn.cuStreamEndCapture(PTR(stream), &g));
	v.a = HANDLE(g);
	return v;
}

ox_value ox_graph_instantiate(const ox_table *t, uint64_t ctx, uint64_t graph) {
	ox_value v = {0};
	void *x = NULL;
	VALUE(t, ctx, v, t->fn.cuGraphInstantiateWithFlags(&x, PTR(graph), 0));
	v.a = HANDLE(x);
	return v;
}

int ox_graph_destroy(const ox_table *t, uint64_t ctx, uint64_t graph) { QUIET(t, ctx, t->fn.cuGraphDestroy(PTR(graph))); }

int ox_exec_upload(const ox_table *t, uint64_t ctx, uint64_t exec, uint64_t stream) {
	if (t->fn.cuGraphUpload == NULL) return 0; // the first launch uploads
	CALL(t, ctx, t->fn.cuGraphUpload(PTR(exec), PTR(stream)));
}

static int exec_launch(const ox_table *t, uint64_t exec, uint64_t stream, uint64_t done) {
	int code = t->fn.cuGraphLaunch(PTR(exec), PTR(stream));
	return code != 0 || done == 0 ? code : t->fn.cuEventRecord(PTR(done), PTR(stream));
}

int ox_exec_launch(const ox_table *t, uint64_t ctx, uint64_t exec, uint64_t stream, uint64_t done) {
	CALL(t, ctx, exec_launch(t, exec, stream, done));
}

int ox_exec_update(const ox_table *t, uint64_t ctx, uint64_t exec, uint64_t graph) {
	if (t->fn.cuGraphExecUpdate_v2 == NULL) return OX_MISSING_SYMBOL;
	ox_update_result why = {0};
	QUIET(t, ctx, t->fn.cuGraphExecUpdate_v2(PTR(exec), PTR(graph), &why));
}

int ox_exec_destroy(const ox_table *t, uint64_t ctx, uint64_t exec) { QUIET(t, ctx, t->fn.cuGraphExecDestroy(PTR(exec))); }

// launch builds the parameter pointers on the stack from the flat buffer. Attributes 4 and 6 are the cluster dimension and
// programmatic stream serialisation.
static int launch(const ox_table *t, void *stream, const ox_command *c, const unsigned char *params, const uint16_t *offsets) {
	void *p[OX_MAX_PARAMS];
	if (c->offset_count > OX_MAX_PARAMS) return 1;
	for (uint32_t i = 0; i < c->offset_count; i++) {
		p[i] = (void *)(params + c->param_start + offsets[c->offset_start + i]);
	}
	int clustered = c->cluster[0] != 0;
	if (!clustered && !(c->flags & OX_PROGRAMMATIC)) {
		return t->fn.cuLaunchKernel(PTR(c->func), c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
		                            c->shared, stream, p, NULL);
	}
	if (t->fn.cuLaunchKernelEx == NULL) return OX_MISSING_SYMBOL;
	ox_launch_attr attrs[2];
	ox_launch_config config = {c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared, stream, attrs, 0};
	if (clustered) {
		ox_launch_attr *a = memset(&attrs[config.count++], 0, sizeof *attrs);
		a->id = 4;
		a->value.cluster.x = c->cluster[0];
		a->value.cluster.y = c->cluster[1];
		a->value.cluster.z = c->cluster[2];
	}
	if (c->flags & OX_PROGRAMMATIC) {
		ox_launch_attr *a = memset(&attrs[config.count++], 0, sizeof *attrs);
		a->id = 6;
		a->value.flag = 1;
	}
	return t->fn.cuLaunchKernelEx(&config, PTR(c->func), p, NULL);
}

static int command(const ox_table *t, void *stream, const ox_command *c, const unsigned char *params, const uint16_t *offsets) {
	switch (c->kind) {
	case OX_LAUNCH: return launch(t, stream, c, params, offsets);
	case OX_FILL: return t->fn.cuMemsetD8Async(c->dst, (unsigned char)c->value, c->bytes, stream);
	case OX_COPY: return t->fn.cuMemcpyDtoDAsync_v2(c->dst, c->src, c->bytes, stream);
	case OX_WAIT: return t->fn.cuStreamWaitEvent(stream, PTR(c->event), 0);
	case OX_RECORD: return t->fn.cuEventRecord(PTR(c->event), stream);
	}
	return 1;
}

ox_result ox_submit(uintptr_t table, uint64_t ctx, uint64_t stream, const ox_command *commands, uint32_t count,
                    const unsigned char *params, const uint16_t *offsets, uint64_t done, int eager) {
	const ox_table *t = (const ox_table *)table;
	ox_result r = {0};
	void *s = PTR(stream);
	guard g = enter(t, ctx);
	if ((r.code = g.code) == 0) r.code = capture_of(t, s, &r.capture);
	if (r.capture != 0 && eager) count = 0;
	for (; r.code == 0 && r.enqueued < count; ) {
		r.code = command(t, s, &commands[r.enqueued], params, offsets);
		if (r.code == 0) r.enqueued++;
	}
	if (r.code == 0 && done != 0 && r.capture == 0) r.code = t->fn.cuEventRecord(PTR(done), s);
	r.code = leave(t, &g, r.code);
	return r;
}

// The driver wants the map at a multiple of 64 bytes; Go promises no more than 8.
int ox_encode_tensor(const ox_table *t, const ox_tensor *m, unsigned char *map) {
	_Alignas(64) unsigned char aligned[128];
	if (t->fn.cuTensorMapEncodeTiled == NULL) return OX_MISSING_SYMBOL;
	int code = t->fn.cuTensorMapEncodeTiled(aligned, m->type, m->rank, PTR(m->base), m->dims, m->strides, m->box, m->steps, m->interleave,
	                                        m->swizzle, m->promotion, m->fill);
	if (code == 0) memcpy(map, aligned, sizeof aligned);
	return code;
}
