// What the C ABI adds to a bare launch: the same kernel on the same memory and stream, directly through the driver and through
// oxide_enqueue, in a random order every round within one process.
// cc -O2 -Iadapters/c -o abi bench/abi.c liboxide.so -ldl; ./abi CUBIN ENTRY THREADS [OUT.json]
// CUBIN, ENTRY and THREADS are the kernel that a plan of RMSNorm over 4096 bf16 elements takes (oxide_plan_get_info names it).
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "oxide.h"

enum { MODES = 7, ROUNDS = 401, CALLS = 100, HIDDEN = 4096 };
static const char *names[MODES] = {"cuLaunchKernel", "cuLaunchKernelEx_programmatic", "cuLaunchKernelEx_programmatic_with_event", "abi_without_completion",
                                   "abi_with_completion", "abi_with_completion_and_poll", "abi_poll_of_a_settled_one"};
typedef int (*fn)();
static void *lib;

static fn sym(const char *name) {
	fn f = (fn)dlsym(lib, name);
	if (f == NULL) fprintf(stderr, "no %s\n", name), exit(2);
	return f;
}

static void cu(int code, const char *what) {
	if (code != 0) fprintf(stderr, "%s: CUDA error %d\n", what, code), exit(1);
}

static void ox(oxide_status s) {
	if (s != OXIDE_OK) fprintf(stderr, "status %d: %s\n", s, oxide_last_error()), exit(1);
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int ascending(const void *a, const void *b) { return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b); }

int main(int argc, char **argv) {
	if (argc < 4) return fprintf(stderr, "usage: abi CUBIN ENTRY THREADS [OUT.json]\n"), 2;
	lib = dlopen("libcuda.so.1", RTLD_NOW);
	FILE *f = fopen(argv[1], "rb");
	static char image[1 << 20];
	if (lib == NULL || f == NULL || fread(image, 1, sizeof image, f) == 0) return fprintf(stderr, "no driver or no cubin\n"), 2;
	int device;
	void *context, *module, *function, *stream, *event;
	uint64_t x, w, y;
	cu(sym("cuInit")(0), "init"), cu(sym("cuDeviceGet")(&device, 0), "device"), cu(sym("cuDevicePrimaryCtxRetain")(&context, device), "context");
	cu(sym("cuCtxSetCurrent")(context), "current"), cu(sym("cuModuleLoadData")(&module, image), "module");
	cu(sym("cuModuleGetFunction")(&function, module, argv[2]), "function"), cu(sym("cuStreamCreateWithPriority")(&stream, 1, 0), "stream");
	cu(sym("cuEventCreate")(&event, 2), "event");
	fn alloc = sym("cuMemAlloc_v2"), plain = sym("cuLaunchKernel"), launch = sym("cuLaunchKernelEx"), record = sym("cuEventRecord"), sync = sym("cuStreamSynchronize");
	cu(alloc(&x, (size_t)HIDDEN * 2), "alloc"), cu(alloc(&w, (size_t)HIDDEN * 2), "alloc"), cu(alloc(&y, (size_t)HIDDEN * 2), "alloc");

	uint64_t stride = HIDDEN;
	uint32_t hidden = HIDDEN, prefetch = 264, early = 1;
	float inverse = 1.f / HIDDEN, epsilon = 1e-6f, none = 0, one = 1;
	void *params[] = {&x, &w, &y, &stride, &stride, &hidden, &inverse, &epsilon, &none, &one, &prefetch, &early};
	struct { int id, pad; union { int allowed; char room[64]; } value; } overlap = {6, 0, {1}}; // programmatic stream serialization
	struct { unsigned gx, gy, gz, bx, by, bz, shared; void *stream, *attributes; unsigned count; } config =
	    {1, 1, 1, (unsigned)atoi(argv[3]), 1, 1, 0, stream, &overlap, 1};

	oxide_device d;
	oxide_stream s;
	oxide_plan plan;
	oxide_completion done;
	oxide_rms_norm_spec spec = OXIDE_RMS_NORM_SPEC_INIT;
	spec.max_rows = 256, spec.hidden = HIDDEN, spec.input = OXIDE_BF16;
	ox(oxide_device_open(OXIDE_CUDA, 0, &d)), ox(oxide_stream_open(d, (uint64_t)stream, &s)), ox(oxide_plan_create(d, &spec, NULL, &plan));
	oxide_plan_info info = OXIDE_PLAN_INFO_INIT;
	ox(oxide_plan_get_info(plan, &info));
	if (strncmp(argv[2], info.algorithm, strlen(info.algorithm)) != 0) return fprintf(stderr, "the plan takes %s\n", info.text), 1;
	oxide_rms_norm_operands call = OXIDE_RMS_NORM_OPERANDS_INIT;
	call.rows = 1;
	call.x = (oxide_tensor){x, HIDDEN, OXIDE_BF16, 0}, call.weight = (oxide_tensor){w, HIDDEN, OXIDE_BF16, 0}, call.y = (oxide_tensor){y, HIDDEN, OXIDE_BF16, 0};

	oxide_completion settled;
	static double samples[MODES][ROUNDS], sorted[MODES][ROUNDS];
	srand(7);
	int order[MODES];
	for (int m = 0; m < MODES; m++) order[m] = m;
	for (int round = -5; round < ROUNDS; round++) { // five to warm up
		for (int m = MODES - 1; m > 0; m--) {       // a new order every round
			int other = rand() % (m + 1), kept = order[m];
			order[m] = order[other], order[other] = kept;
		}
		for (int turn = 0; turn < MODES; turn++) {
			int mode = order[turn];
			if (mode == 6) ox(oxide_enqueue(plan, s, &call, &settled)), ox(oxide_completion_wait(settled, -1));
			double t = now();
			for (int i = 0; i < CALLS; i++) {
				switch (mode) {
				case 0: cu(plain(function, 1, 1, 1, config.bx, 1, 1, 0, stream, params, NULL), "launch"); break;
				case 1: cu(launch(&config, function, params, NULL), "launch"); break;
				case 2: cu(launch(&config, function, params, NULL), "launch"), cu(record(event, stream), "record"); break;
				case 3: ox(oxide_enqueue(plan, s, &call, NULL)); break;
				case 4: ox(oxide_enqueue(plan, s, &call, &done)); break;
				case 5: ox(oxide_enqueue(plan, s, &call, &done)), (void)oxide_completion_poll(done); break;
				case 6: ox(oxide_completion_poll(settled)); break; // the way from C to Go and back
				}
			}
			t = (now() - t) / CALLS;
			cu(sync(stream), "sync");
			if (round >= 0) samples[mode][round] = t;
		}
	}
	FILE *out = argc > 4 ? fopen(argv[4], "w") : stdout;
	if (out == NULL) return perror(argv[4]), 1;
	fprintf(out, "{\"kernel\": \"%s\", \"unit\": \"us per call, host time\", \"rounds\": %d, \"calls\": %d", argv[2], ROUNDS, CALLS);
	for (int m = 0; m < MODES; m++) { // the difference is the median of the rounds' differences, with a distribution-free 95 % interval
		static double over[ROUNDS];
		for (int i = 0; i < ROUNDS; i++) over[i] = samples[m][i] - samples[0][i];
		qsort(over, ROUNDS, sizeof(double), ascending);
		memcpy(sorted[m], samples[m], sizeof sorted[m]);
		qsort(sorted[m], ROUNDS, sizeof(double), ascending);
		int half = 20; // 0.98 sqrt(401)
		fprintf(out, ",\n\"%s\": {\"median\": %.3f, \"least\": %.3f, \"over_cuLaunchKernel\": %.3f, \"low\": %.3f, \"high\": %.3f}", names[m], sorted[m][ROUNDS / 2],
		        sorted[m][0], over[ROUNDS / 2], over[ROUNDS / 2 - half], over[ROUNDS / 2 + half]);
	}
	fprintf(out, "}\n");
	return 0;
}
