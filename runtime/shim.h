// The C side of the driver table: own prototypes, no CUDA header, nothing linked. Every call makes the context current if it is not,
// does its operation, and leaves a foreign context as it found it (shim.c).
#ifndef OX_SHIM_H
#define OX_SHIM_H

#include <stddef.h>
#include <stdint.h>

// Driver structures of cuLaunchKernelEx, laid out as the driver's ABI has them.
typedef struct {
	int id;
	int pad;
	union {
		char bytes[64];
		struct {
			unsigned x, y, z;
		} cluster;
		int flag;
	} value;
} ox_launch_attr;

typedef struct {
	unsigned gx, gy, gz, bx, by, bz, shared;
	void *stream;
	ox_launch_attr *attrs;
	unsigned count;
} ox_launch_config;

// ox_update_result is what cuGraphExecUpdate says about the first node that differs.
typedef struct {
	int result;
	void *node, *from;
} ox_update_result;

#include "zsymbols.h"

typedef struct {
	ox_symbols fn;
	void *lib;
	int version;
	int restore_none; // give a thread without a context none again
} ox_table;

// ox_command mirrors oxrt.Command.
typedef struct {
	uint32_t kind, flags;
	uint64_t func;
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared;
	uint32_t param_start, param_bytes, offset_start, offset_count;
	uint64_t dst, src, bytes;
	uint32_t value, pad;
	uint64_t event;
} ox_command;

typedef struct {
	int32_t code;
	uint32_t enqueued;
	uint64_t capture; // 0: the stream is in none
} ox_result;

// ox_value is a result with one value.
typedef struct {
	int32_t code;
	uint64_t a, b;
} ox_value;

typedef struct {
	char name[256];
	unsigned char uuid[16];
	int32_t attrs[16];
	uint64_t memory;
} ox_device_info;

enum { OX_LAUNCH = 1, OX_FILL, OX_COPY, OX_WAIT, OX_RECORD };
enum { OX_PROGRAMMATIC = 1 };
enum { OX_MISSING_SYMBOL = -1, OX_MAX_PARAMS = 128 };

// ox_open returns NULL and fills message (with the failing code in *code, 0 where no call was made).
ox_table *ox_open(const char *library, int restore_none, int *code, char *message, size_t room);
void ox_close(ox_table *t);

ox_value ox_version(const ox_table *t);
ox_value ox_device_count(const ox_table *t);
int ox_device(const ox_table *t, int ordinal, const int *attrs, int count, ox_device_info *info);
ox_value ox_retain(const ox_table *t, int ordinal);
int ox_release(const ox_table *t, int ordinal);
int ox_synchronize(const ox_table *t, uint64_t ctx);
ox_value ox_mem_info(const ox_table *t, uint64_t ctx);

ox_value ox_alloc(const ox_table *t, uint64_t ctx, size_t bytes);
int ox_free(const ox_table *t, uint64_t ctx, uint64_t ptr);
ox_value ox_alloc_host(const ox_table *t, uint64_t ctx, size_t bytes);
int ox_free_host(const ox_table *t, uint64_t ctx, void *ptr);
int ox_copy_in(const ox_table *t, uint64_t ctx, uint64_t stream, uint64_t dst, const void *src, size_t bytes);
int ox_copy_out(const ox_table *t, uint64_t ctx, uint64_t stream, void *dst, uint64_t src, size_t bytes);

ox_value ox_stream_create(const ox_table *t, uint64_t ctx, int priority);
ox_value ox_stream_priorities(const ox_table *t, uint64_t ctx);
int ox_stream_destroy(const ox_table *t, uint64_t ctx, uint64_t stream);
int ox_stream_query(const ox_table *t, uint64_t ctx, uint64_t stream);
int ox_stream_synchronize(const ox_table *t, uint64_t ctx, uint64_t stream);
int ox_stream_wait(const ox_table *t, uint64_t ctx, uint64_t stream, uint64_t event);

ox_value ox_event_create(const ox_table *t, uint64_t ctx, int timing);
int ox_event_destroy(const ox_table *t, uint64_t ctx, uint64_t event);
int ox_event_record(const ox_table *t, uint64_t ctx, uint64_t event, uint64_t stream);
int ox_event_query(const ox_table *t, uint64_t ctx, uint64_t event);
int ox_event_synchronize(const ox_table *t, uint64_t ctx, uint64_t event);
int ox_event_elapsed(const ox_table *t, uint64_t ctx, uint64_t start, uint64_t end, float *ms);

ox_value ox_module_load(const ox_table *t, uint64_t ctx, const void *image);
int ox_module_unload(const ox_table *t, uint64_t ctx, uint64_t module);
ox_value ox_module_function(const ox_table *t, uint64_t ctx, uint64_t module, const char *name);
ox_value ox_func_attribute(const ox_table *t, uint64_t ctx, uint64_t func, int attr);
int ox_set_func_attribute(const ox_table *t, uint64_t ctx, uint64_t func, int attr, int value);
ox_value ox_occupancy(const ox_table *t, uint64_t ctx, uint64_t func, int threads, size_t shared);

// The table of ox_submit is a number, so that cgo does not look behind it at every call.
ox_result ox_submit(uintptr_t table, uint64_t ctx, uint64_t stream, const ox_command *commands, uint32_t count,
                    const unsigned char *params, const uint16_t *offsets, uint64_t done, int eager);

// ox_tensor is the arguments of cuTensorMapEncodeTiled.
typedef struct {
	uint64_t base, dims[5], strides[4];
	uint32_t box[5], steps[5], type, rank, interleave, swizzle, promotion, fill;
} ox_tensor;

int ox_encode_tensor(const ox_table *t, const ox_tensor *tensor, unsigned char *map);

ox_value ox_capture_begin(const ox_table *t, uint64_t ctx, uint64_t stream);
ox_value ox_capture_end(const ox_table *t, uint64_t ctx, uint64_t stream);
ox_value ox_graph_instantiate(const ox_table *t, uint64_t ctx, uint64_t graph);
int ox_graph_destroy(const ox_table *t, uint64_t ctx, uint64_t graph);
int ox_exec_upload(const ox_table *t, uint64_t ctx, uint64_t exec, uint64_t stream);
int ox_exec_launch(const ox_table *t, uint64_t ctx, uint64_t exec, uint64_t stream, uint64_t done);
int ox_exec_update(const ox_table *t, uint64_t ctx, uint64_t exec, uint64_t graph);
int ox_exec_destroy(const ox_table *t, uint64_t ctx, uint64_t exec);

#endif
