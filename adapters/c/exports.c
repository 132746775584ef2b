//go:build cgo && linux

#include "exports.h"
#include "_cgo_export.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The last error of each thread. It is no __thread variable: the Go runtime's own makes the loader put all of the library's into the
// static TLS block, where a program that has loaded much, as PyTorch, leaves a few hundred bytes.
static pthread_key_t last_key;
static int last_ready;
volatile int oxide_forked;

static void in_child(void) { oxide_forked = 1; }

__attribute__((constructor)) static void prepare(void) {
	last_ready = pthread_key_create(&last_key, free) == 0;
	pthread_atfork(NULL, NULL, in_child);
}

static oxide_error *last(void) { return last_ready ? pthread_getspecific(last_key) : NULL; }

oxide_status oxide_remember(const oxide_error *error) {
	oxide_error *mine = last();
	if (mine == NULL && last_ready) {
		mine = malloc(sizeof *mine);
		if (mine != NULL && pthread_setspecific(last_key, mine) != 0) {
			free(mine);
			mine = NULL;
		}
	}
	if (mine != NULL) *mine = *error; // without memory the status alone tells the error
	return error->status;
}

oxide_status oxide_refuse_forked(void) {
	oxide_error e = OXIDE_ERROR_INIT;
	e.status = OXIDE_ERROR_FORKED;
	strcpy(e.text, "the process was forked after the library was loaded; the child must start anew with exec (spawn)");
	return oxide_remember(&e);
}

const char *oxide_last_error(void) {
	const oxide_error *mine = last();
	return mine == NULL ? "" : mine->text;
}

oxide_status oxide_error_get(oxide_error *error) {
	const oxide_error none = OXIDE_ERROR_INIT, *mine = last();
	if (error == NULL || (uintptr_t)error % 8 != 0) return OXIDE_ERROR_ARGUMENT;
	if (error->struct_size != sizeof *error || error->struct_version != OXIDE_ERROR_VERSION) return OXIDE_ERROR_STRUCT;
	*error = mine == NULL ? none : *mine;
	return OXIDE_OK;
}

uint32_t oxide_abi_version(void) { return OXIDE_ABI_VERSION; }

const char *oxide_version(void) { return oxide_forked ? "" : oxideGoVersion(); }
