// Oxide Infer from C: operators of LLM inference on memory and streams of your own.
//
//   oxide_device device;
//   oxide_stream stream;
//   oxide_plan plan;
//   oxide_completion done;
//   oxide_rms_norm_spec spec = OXIDE_RMS_NORM_SPEC_INIT; // every default
//   spec.hidden = 4096;
//   spec.input = OXIDE_BF16;
//   oxide_device_open(OXIDE_CUDA, 0, &device);           // OXIDE_EMULATED where there is no GPU
//   oxide_stream_open(device, (uint64_t)your_stream, &stream);
//   oxide_plan_create(device, &spec, NULL, &plan);
//   oxide_rms_norm_operands call = OXIDE_RMS_NORM_OPERANDS_INIT;
//   call.rows = 3;
//   call.x = (oxide_tensor){x, 3 * 4096, OXIDE_BF16, 0}; // and weight, y
//   oxide_enqueue(plan, stream, &call, &done);
//   oxide_completion_wait(done, -1);
//
// Every function returns an oxide_status and, unless that is OXIDE_OK or OXIDE_NOT_READY, leaves its error with the calling thread:
// oxide_last_error, oxide_error_get. A call that fails has written nothing to memory of yours.
//
// Threads: every function may be called from any thread, also one that the library has never seen. The thread's current CUDA context, or
// its having none, is the same after a call as before it. A scope belongs to one thread at a time.
//
// Structs begin with their size and version; use the _INIT macros. A handle is a number; using a destroyed one is OXIDE_ERROR_HANDLE.
//
// Signals: the library holds a Go runtime. Handlers that the program installed before loading it keep working and get the flag
// SA_ONSTACK; a handler for SIGSEGV, SIGBUS, SIGFPE, SIGPIPE or SIGURG that is installed later should have SA_ONSTACK and pass signals on that
// it does not know. The library installs no handler for SIGINT, SIGTERM and the like.
//
// fork: a child that goes on without exec gets OXIDE_ERROR_FORKED from every function; spawn processes instead. Do not dlclose the library.
#ifndef OXIDE_H
#define OXIDE_H

#include "zoxide.h"

#endif
