// bad makes more than a hundred wrong calls: each must return its own error, leave a text, and write nothing. It is built with
// AddressSanitizer and run under valgrind too (see c_test.go).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oxide.h"

static int calls, failures;
static oxide_device device;
static oxide_stream stream;
static oxide_plan plan;
enum { ROWS = 2, HIDDEN = 64 };
static _Alignas(64) float x[ROWS * HIDDEN], w[HIDDEN], y[ROWS * HIDDEN];

// wrong checks one call: its status, and that there is a text.
static void wrong(const char *what, oxide_status got, oxide_status want) {
	calls++;
	oxide_error e = OXIDE_ERROR_INIT;
	if (oxide_error_get(&e) != OXIDE_OK || e.status != got || e.text[0] == 0 || strcmp(e.text, oxide_last_error()) != 0) {
		printf("%s: no error text for status %d\n", what, got);
		failures++;
	}
	if (got == want) return;
	printf("%s: status %d (%s), want %d\n", what, got, oxide_last_error(), want);
	failures++;
}

static void right(const char *what, oxide_status got) {
	if (got == OXIDE_OK) return;
	printf("%s: status %d: %s\n", what, got, oxide_last_error());
	failures++;
}

static void unchanged(const char *what, const void *p, size_t n) {
	for (size_t i = 0; i < n; i++) {
		if (((const unsigned char *)p)[i] == 0xa5) continue;
		printf("%s: byte %zu was written\n", what, i);
		failures++;
		return;
	}
}

static oxide_rms_norm_spec good_spec(void) {
	oxide_rms_norm_spec s = OXIDE_RMS_NORM_SPEC_INIT;
	s.max_rows = ROWS;
	s.hidden = HIDDEN;
	s.input = OXIDE_F32;
	return s;
}

static oxide_rms_norm_operands good_call(void) {
	oxide_rms_norm_operands c = OXIDE_RMS_NORM_OPERANDS_INIT;
	c.rows = ROWS;
	c.x = (oxide_tensor){(uint64_t)x, ROWS * HIDDEN, OXIDE_F32, 0};
	c.weight = (oxide_tensor){(uint64_t)w, HIDDEN, OXIDE_F32, 0};
	c.y = (oxide_tensor){(uint64_t)y, ROWS * HIDDEN, OXIDE_F32, 0};
	return c;
}

// Every bad spec goes to plan_create and to capability_query; neither may write its result.
static void spec(const char *what, const void *s, oxide_status want) {
	oxide_plan p;
	int32_t n;
	oxide_capability c[4];
	memset(&p, 0xa5, sizeof p), memset(&n, 0xa5, sizeof n), memset(c, 0xa5, sizeof c);
	wrong(what, oxide_plan_create(device, s, NULL, &p), want);
	wrong(what, oxide_capability_query(device, s, c, 4, &n), want);
	unchanged(what, &p, sizeof p), unchanged(what, &n, sizeof n), unchanged(what, c, sizeof c);
}

#define SPEC(change, want)                      \
	do {                                        \
		oxide_rms_norm_spec s = good_spec();    \
		s.change;                               \
		spec("spec." #change, &s, want);        \
	} while (0)

// Every bad call goes to enqueue and to a scope; neither may write the completion or the output.
static void call(const char *what, const void *c, oxide_status want) {
	oxide_completion done;
	oxide_scope scope;
	memset(&done, 0xa5, sizeof done), memset(y, 0xa5, sizeof y);
	wrong(what, oxide_enqueue(plan, stream, c, &done), want);
	right("scope_begin", oxide_scope_begin(stream, &scope));
	wrong(what, oxide_scope_enqueue(scope, plan, c), want);
	right("scope_drop", oxide_scope_drop(scope));
	unchanged(what, &done, sizeof done), unchanged(what, y, sizeof y);
}

#define CALL(change, want)                          \
	do {                                            \
		oxide_rms_norm_operands c = good_call();    \
		c.change;                                   \
		call("call." #change, &c, want);            \
	} while (0)

static void specs(void) {
	SPEC(struct_size = 0, OXIDE_ERROR_STRUCT);
	SPEC(struct_size -= 8, OXIDE_ERROR_STRUCT);
	SPEC(struct_size += 8, OXIDE_ERROR_STRUCT);
	SPEC(struct_version = 0, OXIDE_ERROR_STRUCT);
	SPEC(struct_version ^= 1, OXIDE_ERROR_STRUCT);
	SPEC(struct_version = OXIDE_SILU_SPEC_VERSION, OXIDE_ERROR_STRUCT);
	SPEC(struct_version = OXIDE_RMS_NORM_OPERANDS_VERSION, OXIDE_ERROR_STRUCT);
	SPEC(max_rows = -1, OXIDE_ERROR_CONTRACT);
	SPEC(max_rows = INT64_MAX, OXIDE_ERROR_CONTRACT);
	SPEC(hidden = 0, OXIDE_ERROR_CONTRACT);
	SPEC(hidden = -64, OXIDE_ERROR_CONTRACT);
	SPEC(hidden = INT64_MIN, OXIDE_ERROR_CONTRACT);
	SPEC(hidden = 1 << 20, OXIDE_ERROR_CONTRACT);
	SPEC(input = 0, OXIDE_ERROR_CONTRACT);
	SPEC(input = OXIDE_I8, OXIDE_ERROR_CONTRACT);
	SPEC(input = 99, OXIDE_ERROR_ARGUMENT);
	SPEC(input = -1, OXIDE_ERROR_ARGUMENT);
	SPEC(input = 258, OXIDE_ERROR_ARGUMENT); // 2 in a byte
	SPEC(weight = OXIDE_F16, OXIDE_ERROR_CONTRACT);
	SPEC(weight = 1000, OXIDE_ERROR_ARGUMENT);
	SPEC(output = OXIDE_BF16, OXIDE_ERROR_CONTRACT);
	SPEC(output = INT32_MIN, OXIDE_ERROR_ARGUMENT);
	SPEC(x_stride = 63, OXIDE_ERROR_CONTRACT);
	SPEC(x_stride = -64, OXIDE_ERROR_CONTRACT);
	SPEC(y_stride = INT64_MAX, OXIDE_ERROR_CONTRACT);
	SPEC(align = 3, OXIDE_ERROR_CONTRACT);
	SPEC(align = 2, OXIDE_ERROR_CONTRACT);
	SPEC(align = 1 << 12, OXIDE_ERROR_CONTRACT);
	SPEC(epsilon = -1, OXIDE_ERROR_CONTRACT);
	SPEC(epsilon = 0.0f / 0.0f, OXIDE_ERROR_ARGUMENT);
	SPEC(epsilon = 1.0f / 0.0f, OXIDE_ERROR_CONTRACT);
	SPEC(weight_offset = 0.5f, OXIDE_ERROR_CONTRACT);
	SPEC(rounding = 2, OXIDE_ERROR_ARGUMENT);
	SPEC(rounding = -1, OXIDE_ERROR_ARGUMENT);
	SPEC(output_scale = 2, OXIDE_ERROR_CONTRACT);
	spec("null spec", NULL, OXIDE_ERROR_ARGUMENT);
	_Alignas(8) char room[sizeof(oxide_rms_norm_spec) + 4];
	oxide_rms_norm_spec s = good_spec();
	memcpy(room + 4, &s, sizeof s);
	spec("misaligned spec", room + 4, OXIDE_ERROR_ARGUMENT);
	oxide_layer_norm_spec l = OXIDE_LAYER_NORM_SPEC_INIT;
	l.hidden = HIDDEN, l.input = OXIDE_F32, l.bias = 2;
	spec("bool of 2", &l, OXIDE_ERROR_ARGUMENT);
}

static void call_structs(void) {
	CALL(struct_size = 0, OXIDE_ERROR_STRUCT);
	CALL(struct_size -= 1, OXIDE_ERROR_STRUCT);
	CALL(struct_version += 1, OXIDE_ERROR_STRUCT);
	CALL(struct_version = OXIDE_SILU_OPERANDS_VERSION, OXIDE_ERROR_STRUCT);
	CALL(rows = -1, OXIDE_ERROR_CONTRACT);
	CALL(rows = ROWS + 1, OXIDE_ERROR_CONTRACT);
	CALL(rows = INT64_MAX, OXIDE_ERROR_CONTRACT);
	CALL(x.data = 0, OXIDE_ERROR_ARGUMENT);
	CALL(x.data += 2, OXIDE_ERROR_ARGUMENT);
	CALL(x.data += 4, OXIDE_ERROR_CONTRACT);
	CALL(x.data = UINT64_MAX & ~15ull, OXIDE_ERROR_ARGUMENT);
	CALL(x.elements = -1, OXIDE_ERROR_ARGUMENT);
	CALL(x.elements = INT64_MAX, OXIDE_ERROR_ARGUMENT);
	CALL(x.elements -= 1, OXIDE_ERROR_CONTRACT);
	CALL(x.dtype = 0, OXIDE_ERROR_ARGUMENT);
	CALL(x.dtype = OXIDE_BF16, OXIDE_ERROR_CONTRACT);
	CALL(x.dtype = 77, OXIDE_ERROR_ARGUMENT);
	CALL(x.dtype = -2, OXIDE_ERROR_ARGUMENT);
	CALL(x.dtype = 258, OXIDE_ERROR_ARGUMENT);
	CALL(x.reserved = 1, OXIDE_ERROR_ARGUMENT);
	CALL(x = (oxide_tensor){0}, OXIDE_ERROR_CONTRACT);
	CALL(weight.data = 0, OXIDE_ERROR_ARGUMENT);
	CALL(weight.elements = HIDDEN - 1, OXIDE_ERROR_CONTRACT);
	CALL(weight = (oxide_tensor){0}, OXIDE_ERROR_CONTRACT);
	CALL(weight.dtype = OXIDE_F16, OXIDE_ERROR_CONTRACT);
	CALL(y = (oxide_tensor){0}, OXIDE_ERROR_CONTRACT);
	CALL(y.data = c.weight.data, OXIDE_ERROR_CONTRACT);        // the output over the weight
	CALL(y.data = c.x.data + 16, OXIDE_ERROR_CONTRACT);        // the output over a part of the input
	CALL(y.reserved = 0x80000000u, OXIDE_ERROR_ARGUMENT);
	call("null operands", NULL, OXIDE_ERROR_ARGUMENT);
	call("misaligned operands", (char *)x + 4, OXIDE_ERROR_ARGUMENT);
}

static void handles(void) {
	oxide_plan none = 0, gone;
	oxide_stream old;
	oxide_scope scope;
	oxide_completion done = 0;
	oxide_rms_norm_spec s = good_spec();
	oxide_rms_norm_operands c = good_call();
	right("plan_create", oxide_plan_create(device, &s, "", &gone));
	right("plan_destroy", oxide_plan_destroy(gone));
	right("stream_open", oxide_stream_open(device, 1, &old));
	right("stream_close", oxide_stream_close(old));
	const uint64_t bad[] = {none, gone, gone ^ 1ull << 48, gone + 1, device, stream, ~0ull, (uint64_t)&c};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (bad[i] != stream) wrong("stream handle", oxide_enqueue(plan, bad[i], &c, &done), OXIDE_ERROR_HANDLE);
		if (bad[i] != device) wrong("device handle", oxide_stream_open(bad[i], 0, &old), OXIDE_ERROR_HANDLE);
		wrong("plan handle", oxide_enqueue(bad[i], stream, &c, &done), OXIDE_ERROR_HANDLE);
		wrong("plan to destroy", oxide_plan_destroy(bad[i]), OXIDE_ERROR_HANDLE);
		wrong("scope to submit", oxide_scope_submit(bad[i], &done), OXIDE_ERROR_HANDLE);
		if (bad[i] != stream) wrong("stream to reserve for", oxide_stream_reserve_workspace(bad[i], 64), OXIDE_ERROR_HANDLE);
		wrong("scope to report", oxide_scope_report_to(bad[i], (uint64_t)x), OXIDE_ERROR_HANDLE);
		wrong("scope to drop", oxide_scope_drop(bad[i]), OXIDE_ERROR_HANDLE);
		wrong("completion to poll", oxide_completion_poll(bad[i]), OXIDE_ERROR_HANDLE);
		wrong("completion to wait for", oxide_completion_wait(bad[i], 0), OXIDE_ERROR_HANDLE);
	}
	wrong("closed stream", oxide_scope_begin(old, &scope), OXIDE_ERROR_HANDLE);
	wrong("closed stream again", oxide_stream_close(old), OXIDE_ERROR_HANDLE);
	wrong("device in use", oxide_device_close(device), OXIDE_ERROR_LEASED);
	right("enqueue", oxide_enqueue(plan, stream, &c, &done));
	right("completion_wait", oxide_completion_wait(done, -1));
	wrong("completion of another generation", oxide_completion_poll(done + 1), OXIDE_ERROR_STALE);
	wrong("completion of generation 0", oxide_completion_poll(done & ~0xffffffffull), OXIDE_ERROR_STALE);
}

static void arguments(void) {
	oxide_device d;
	oxide_rms_norm_spec s = good_spec();
	oxide_rms_norm_operands c = good_call();
	oxide_plan p;
	int32_t n;
	char endless[512];
	memset(endless, 'a', sizeof endless);
	memset(&p, 0xa5, sizeof p);
	wrong("kind 0", oxide_device_count(0, &n), OXIDE_ERROR_ARGUMENT);
	wrong("kind 3", oxide_device_open(3, 0, &d), OXIDE_ERROR_ARGUMENT);
	wrong("ordinal -1", oxide_device_open(OXIDE_EMULATED, -1, &d), OXIDE_ERROR_NO_DEVICE);
	wrong("ordinal 7", oxide_device_open(OXIDE_EMULATED, 7, &d), OXIDE_ERROR_NO_DEVICE);
	wrong("count to nowhere", oxide_device_count(OXIDE_EMULATED, NULL), OXIDE_ERROR_ARGUMENT);
	wrong("device to nowhere", oxide_device_open(OXIDE_EMULATED, 0, NULL), OXIDE_ERROR_ARGUMENT);
	wrong("stream to nowhere", oxide_stream_open(device, 0, NULL), OXIDE_ERROR_ARGUMENT);
	wrong("plan to nowhere", oxide_plan_create(device, &s, NULL, NULL), OXIDE_ERROR_ARGUMENT);
	wrong("plan to a misaligned place", oxide_plan_create(device, &s, NULL, (oxide_plan *)(endless + 1)), OXIDE_ERROR_ARGUMENT);
	wrong("scope to nowhere", oxide_scope_begin(stream, NULL), OXIDE_ERROR_ARGUMENT);
	wrong("completion to a misaligned place", oxide_enqueue(plan, stream, &c, (oxide_completion *)(endless + 1)), OXIDE_ERROR_ARGUMENT);
	wrong("unknown algorithm", oxide_plan_create(device, &s, "Fastest", &p), OXIDE_ERROR_CONTRACT);
	wrong("endless algorithm", oxide_plan_create(device, &s, endless, &p), OXIDE_ERROR_ARGUMENT);
	wrong("negative room", oxide_capability_query(device, &s, NULL, -1, &n), OXIDE_ERROR_ARGUMENT);
	wrong("answers to nowhere", oxide_capability_query(device, &s, NULL, 2, &n), OXIDE_ERROR_ARGUMENT);
	wrong("count to nowhere", oxide_capability_query(device, &s, NULL, 0, NULL), OXIDE_ERROR_ARGUMENT);
	unchanged("plan", &p, sizeof p);
	oxide_capability some[2] = {OXIDE_CAPABILITY_INIT}; // the second without a header
	wrong("answers without headers", oxide_capability_query(device, &s, some, 2, &n), OXIDE_ERROR_STRUCT);
	oxide_device_info info = OXIDE_DEVICE_INFO_INIT;
	wrong("info to nowhere", oxide_device_get_info(device, NULL), OXIDE_ERROR_ARGUMENT);
	info.struct_size--;
	wrong("info of another size", oxide_device_get_info(device, &info), OXIDE_ERROR_STRUCT);
	oxide_plan_info about = OXIDE_PLAN_INFO_INIT;
	about.struct_version++;
	wrong("plan info of another version", oxide_plan_get_info(plan, &about), OXIDE_ERROR_STRUCT);
	wrong("map of nothing", oxide_host_map(device, NULL, 8), OXIDE_ERROR_ARGUMENT);
	wrong("map of no bytes", oxide_host_map(device, endless, 0), OXIDE_ERROR_ARGUMENT);
	wrong("map past the end", oxide_host_map(device, endless, UINT64_MAX), OXIDE_ERROR_ARGUMENT);
	wrong("map twice", oxide_host_map(device, x + 4, sizeof x / 2), OXIDE_ERROR_ARGUMENT);
	wrong("unmap of what is not mapped", oxide_host_unmap(device, endless), OXIDE_ERROR_ARGUMENT);
	wrong("negative workspace", oxide_stream_reserve_workspace(stream, -1), OXIDE_ERROR_CONTRACT);
	wrong("too much workspace", oxide_stream_reserve_workspace(stream, 1ll << 50), OXIDE_ERROR_DRIVER);
	oxide_scope scope;
	right("scope_begin", oxide_scope_begin(stream, &scope));
	wrong("record at 0", oxide_scope_report_to(scope, 0), OXIDE_ERROR_ARGUMENT);
	wrong("misaligned record", oxide_scope_report_to(scope, (uint64_t)x + 4), OXIDE_ERROR_CONTRACT);
	wrong("a scope that refused", oxide_scope_enqueue(scope, plan, &c), OXIDE_ERROR_CONTRACT);
	wrong("a scope that refused", oxide_scope_submit(scope, NULL), OXIDE_ERROR_CONTRACT);
	wrong("stream 0", oxide_stream_close(0), OXIDE_ERROR_HANDLE);
	oxide_error e = OXIDE_ERROR_INIT;
	if (oxide_error_get(NULL) != OXIDE_ERROR_ARGUMENT) printf("error_get(NULL)\n"), failures++;
	e.struct_size = 8;
	if (oxide_error_get(&e) != OXIDE_ERROR_STRUCT) printf("error_get of another size\n"), failures++;
}

int main(void) {
	right("device_open", oxide_device_open(OXIDE_EMULATED, 0, &device));
	right("stream_open", oxide_stream_open(device, 0, &stream));
	right("map x", oxide_host_map(device, x, sizeof x));
	right("map w", oxide_host_map(device, w, sizeof w));
	right("map y", oxide_host_map(device, y, sizeof y));
	oxide_rms_norm_spec s = good_spec();
	right("plan_create", oxide_plan_create(device, &s, NULL, &plan));
	specs();
	call_structs();
	handles();
	arguments();
	right("plan_destroy", oxide_plan_destroy(plan));
	right("stream_close", oxide_stream_close(stream));
	right("device_close", oxide_device_close(device));
	printf("%d wrong calls, %d failures\n", calls, failures);
	return failures > 0;
}
