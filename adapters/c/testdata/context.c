// context checks over a fake libcuda that no call changes the calling thread's current context, that a submission without a completion
// records no event, that a capture sees launches only, and that a failing driver is told with its code. Usage: context (LD_LIBRARY_PATH names the fake).
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "oxide.h"

static void *(*current)(void);
static void (*set_current)(void *);
static int (*calls)(const char *);
static void (*fail)(const char *, int, int);
static void (*capture)(int);

// CHECK runs a call with another context current, and with none.
#define CHECK(call)                                                                                        \
	for (int none_ = 0; none_ < 2; none_++) {                                                              \
		void *mine_ = none_ ? NULL : (void *)0x1234;                                                       \
		set_current(mine_);                                                                                \
		oxide_status s_ = (call);                                                                          \
		if (s_ != OXIDE_OK) fprintf(stderr, "%s: %d %s\n", #call, s_, oxide_last_error()), exit(1);        \
		if (current() != mine_) fprintf(stderr, "%s left context %p, want %p\n", #call, current(), mine_), exit(1); \
	}

int main(void) {
	void *fake = dlopen("libcuda.so.1", RTLD_NOW);
	if (fake == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
	current = (void *(*)(void))dlsym(fake, "fake_current");
	set_current = (void (*)(void *))dlsym(fake, "fake_set_current");
	calls = (int (*)(const char *))dlsym(fake, "fake_calls");
	fail = (void (*)(const char *, int, int))dlsym(fake, "fake_fail");
	capture = (void (*)(int))dlsym(fake, "fake_capture");
	oxide_device device;
	oxide_stream stream;
	oxide_plan plan;
	oxide_completion done;
	int32_t count;
	CHECK(oxide_device_count(OXIDE_CUDA, &count));
	CHECK(oxide_device_open(OXIDE_CUDA, 1, &device));
	oxide_device_info info = OXIDE_DEVICE_INFO_INIT;
	CHECK(oxide_device_get_info(device, &info));
	if (info.major != 9 || info.multiprocessors != 132 || info.ordinal != 1) return fprintf(stderr, "wrong info\n"), 1;
	CHECK(oxide_stream_open(device, 0x77, &stream));
	oxide_rms_norm_spec spec = OXIDE_RMS_NORM_SPEC_INIT;
	spec.hidden = 4096, spec.input = OXIDE_BF16;
	CHECK(oxide_plan_create(device, &spec, NULL, &plan));
	oxide_capability c[3] = {OXIDE_CAPABILITY_INIT, OXIDE_CAPABILITY_INIT, OXIDE_CAPABILITY_INIT};
	CHECK(oxide_capability_query(device, &spec, c, 3, &count));
	if (count != 3 || !c[0].supported || !c[2].supported) return fprintf(stderr, "wrong capabilities\n"), 1;
	oxide_rms_norm_operands call = OXIDE_RMS_NORM_OPERANDS_INIT;
	call.rows = 1;
	call.x = (oxide_tensor){0x10000, 4096, OXIDE_BF16, 0};
	call.weight = (oxide_tensor){0x20000, 4096, OXIDE_BF16, 0};
	call.y = (oxide_tensor){0x30000, 4096, OXIDE_BF16, 0};
	CHECK(oxide_enqueue(plan, stream, &call, &done));
	CHECK(oxide_completion_poll(done));
	CHECK(oxide_completion_wait(done, 0));
	int launches = calls("cuLaunchKernelEx"), events = calls("cuEventRecord");
	CHECK(oxide_enqueue(plan, stream, &call, NULL));
	if (calls("cuLaunchKernelEx") != launches + 2 || calls("cuEventRecord") != events) return fprintf(stderr, "wrong driver calls\n"), 1;
	capture(1); // somebody captures the stream: the launch goes into their graph, and nothing is there to wait for
	launches = calls("cuLaunchKernelEx"), events = calls("cuEventRecord") + calls("cuEventQuery") + calls("cuMemAlloc_v2");
	CHECK(oxide_enqueue(plan, stream, &call, &done));
	CHECK(oxide_completion_wait(done, -1));
	if (calls("cuLaunchKernelEx") != launches + 2 || calls("cuEventRecord") + calls("cuEventQuery") + calls("cuMemAlloc_v2") != events) {
		return fprintf(stderr, "events or allocations during a capture\n"), 1;
	}
	capture(0);
	fail("cuLaunchKernelEx", 719, 0);
	if (oxide_enqueue(plan, stream, &call, &done) != OXIDE_ERROR_DEVICE_LOST) return fprintf(stderr, "a lost device: %s\n", oxide_last_error()), 1;
	oxide_error e = OXIDE_ERROR_INIT;
	if (oxide_error_get(&e) != OXIDE_OK || e.driver_code != 719) return fprintf(stderr, "driver code %d\n", e.driver_code), 1;
	return 0;
}
