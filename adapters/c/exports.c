//go:build cgo && linux

#include "exports.h"
#include "_cgo_export.h"

#include <pthread.h>
#include <string.h>

static __thread oxide_error last; // status 0: the thread had no error
volatile int oxide_forked;

static void in_child(void) { oxide_forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

oxide_status oxide_remember(const oxide_error *error) {
	last = *error;
	return last.status;
}

oxide_status oxide_refuse_forked(void) {
	oxide_error e = OXIDE_ERROR_INIT;
	e.status = OXIDE_ERROR_FORKED;
	strcpy(e.text, "the process was forked after the library was loaded; load it in the child");
	return oxide_remember(&e);
}

const char *oxide_last_error(void) { return last.text; }

oxide_status oxide_error_get(oxide_error *error) {
	oxide_error none = OXIDE_ERROR_INIT;
	if (error == NULL || (uintptr_t)error % 8 != 0) return OXIDE_ERROR_ARGUMENT;
	if (error->struct_size != sizeof *error || error->struct_version != OXIDE_ERROR_VERSION) return OXIDE_ERROR_STRUCT;
	*error = last.status == 0 ? none : last;
	return OXIDE_OK;
}

uint32_t oxide_abi_version(void) { return OXIDE_ABI_VERSION; }

const char *oxide_version(void) { return oxide_forked ? "" : oxideGoVersion(); }
