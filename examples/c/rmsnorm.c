// RMSNorm of two rows on memory and a stream of the program's own, first on the emulated device, then, where there is one, on a GPU:
//
//	go build -buildmode=c-shared -o liboxide.so ./adapters/c
//	cc -Iadapters/c examples/c/rmsnorm.c ./liboxide.so -ldl -lm -o rmsnorm && ./rmsnorm
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "oxide.h"

enum { ROWS = 2, HIDDEN = 64 };

static void must(oxide_status s) {
	if (s != OXIDE_OK) fprintf(stderr, "status %d: %s\n", s, oxide_last_error()), exit(1);
}

// norm runs y = x / rms(x) · weight at the three addresses, in the order of the stream.
static void norm(oxide_device device, uint64_t stream_handle, uint64_t x, uint64_t weight, uint64_t y) {
	oxide_stream stream;
	oxide_plan plan;
	oxide_completion done;
	oxide_rms_norm_spec spec = OXIDE_RMS_NORM_SPEC_INIT;
	spec.hidden = HIDDEN;
	spec.input = OXIDE_F32;
	oxide_rms_norm_operands call = OXIDE_RMS_NORM_OPERANDS_INIT;
	call.rows = ROWS;
	call.x = (oxide_tensor){x, ROWS * HIDDEN, OXIDE_F32, 0};
	call.weight = (oxide_tensor){weight, HIDDEN, OXIDE_F32, 0};
	call.y = (oxide_tensor){y, ROWS * HIDDEN, OXIDE_F32, 0};
	must(oxide_stream_open(device, stream_handle, &stream));
	must(oxide_plan_create(device, &spec, NULL, &plan));
	must(oxide_enqueue(plan, stream, &call, &done));
	must(oxide_completion_wait(done, -1));
	must(oxide_plan_destroy(plan));
	must(oxide_stream_close(stream));
}

static void report(const char *where, const float *y) {
	printf("%s: y[0][1] = %.6f, y[1][63] = %.6f\n", where, y[1], y[ROWS * HIDDEN - 1]);
	if (fabsf(y[1] - 1 / sqrtf(1333.5f)) > 1e-6f) fprintf(stderr, "wrong\n"), exit(1); // row 0 is 0, 1, ... 63
}

int main(void) {
	_Alignas(16) static float x[ROWS * HIDDEN], weight[HIDDEN], y[ROWS * HIDDEN];
	for (int i = 0; i < ROWS * HIDDEN; i++) x[i] = (float)i, weight[i % HIDDEN] = 1;
	oxide_device device;
	must(oxide_device_open(OXIDE_EMULATED, 0, &device));
	float *all[] = {x, weight, y};
	size_t bytes[] = {sizeof x, sizeof weight, sizeof y};
	for (int i = 0; i < 3; i++) must(oxide_host_map(device, all[i], bytes[i]));
	norm(device, 0, (uint64_t)x, (uint64_t)weight, (uint64_t)y);
	report("emulated", y);
	for (int i = 0; i < 3; i++) must(oxide_host_unmap(device, all[i]));
	must(oxide_device_close(device));

	if (oxide_device_open(OXIDE_CUDA, 0, &device) != OXIDE_OK) return printf("no GPU: %s\n", oxide_last_error()), 0;
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW), *stream; // a program with the CUDA toolkit includes cuda.h instead
	int (*alloc)(uint64_t *, size_t) = dlsym(cuda, "cuMemAlloc_v2"), (*new_stream)(void **, unsigned) = dlsym(cuda, "cuStreamCreate");
	int (*in)(uint64_t, const void *, size_t) = dlsym(cuda, "cuMemcpyHtoD_v2"), (*out)(void *, uint64_t, size_t) = dlsym(cuda, "cuMemcpyDtoH_v2");
	int (*retain)(void **, int) = dlsym(cuda, "cuDevicePrimaryCtxRetain"), (*current)(void *) = dlsym(cuda, "cuCtxSetCurrent");
	void *context;
	uint64_t at[3];
	int failed = retain(&context, 0) || current(context) || new_stream(&stream, 0);
	for (int i = 0; i < 3 && !failed; i++) failed = alloc(&at[i], bytes[i]) || (i < 2 && in(at[i], all[i], bytes[i]));
	if (failed) return fprintf(stderr, "CUDA failed\n"), 1;
	norm(device, (uint64_t)stream, at[0], at[1], at[2]);
	if (out(y, at[2], sizeof y)) return fprintf(stderr, "CUDA failed\n"), 1;
	report("GPU", y);
	must(oxide_device_close(device));
	return 0;
}
