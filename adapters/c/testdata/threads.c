// threads calls the library from threads that it has never seen, all at once, and checks every result.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "oxide.h"

enum { THREADS = 12, CALLS = 25, HIDDEN = 64 };
static oxide_device device;

static void must(oxide_status s) {
	if (s != OXIDE_OK) fprintf(stderr, "status %d: %s\n", s, oxide_last_error()), exit(1);
}

static void *worker(void *arg) {
	float scale = 1 + (float)(intptr_t)arg;
	float *mem = aligned_alloc(64, 3 * HIDDEN * sizeof(float)), *x = mem, *w = mem + HIDDEN, *y = mem + 2 * HIDDEN;
	oxide_stream stream;
	oxide_plan plan;
	must(oxide_host_map(device, mem, 3 * HIDDEN * sizeof(float)));
	must(oxide_stream_open(device, (uint64_t)(intptr_t)arg % 3, &stream));
	oxide_rms_norm_spec spec = OXIDE_RMS_NORM_SPEC_INIT;
	spec.hidden = HIDDEN, spec.input = OXIDE_F32, spec.epsilon = 0;
	must(oxide_plan_create(device, &spec, NULL, &plan));
	for (int n = 0; n < CALLS; n++) {
		for (int i = 0; i < HIDDEN; i++) x[i] = scale * (float)(n + 1), w[i] = 1, y[i] = 0;
		oxide_rms_norm_operands c = OXIDE_RMS_NORM_OPERANDS_INIT;
		c.rows = 1;
		c.x = (oxide_tensor){(uint64_t)x, HIDDEN, OXIDE_F32, 0};
		c.weight = (oxide_tensor){(uint64_t)w, HIDDEN, OXIDE_F32, 0};
		c.y = (oxide_tensor){(uint64_t)y, HIDDEN, OXIDE_F32, 0};
		oxide_completion done;
		must(oxide_enqueue(plan, stream, &c, &done));
		must(oxide_completion_wait(done, -1));
		if (fabsf(y[HIDDEN - 1] - 1) > 1e-6f) fprintf(stderr, "thread %g call %d: %g\n", scale, n, y[HIDDEN - 1]), exit(1);
		c.rows = -1; // every thread keeps an error of its own
		oxide_status wrong = oxide_enqueue(plan, stream, &c, &done);
		if (wrong != OXIDE_ERROR_CONTRACT || oxide_last_error()[0] == 0) fprintf(stderr, "-1 rows: status %d: %s\n", wrong, oxide_last_error()), exit(2);
	}
	must(oxide_plan_destroy(plan));
	must(oxide_stream_close(stream));
	must(oxide_host_unmap(device, mem));
	free(mem);
	return NULL;
}

int main(void) {
	pthread_t t[THREADS];
	must(oxide_device_open(OXIDE_EMULATED, 0, &device));
	for (intptr_t i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, worker, (void *)i);
	for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
	must(oxide_device_close(device));
	if (oxide_last_error()[0] != 0) fprintf(stderr, "main has an error of another thread\n"), exit(3);
	return 0;
}
