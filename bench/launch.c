// The floor of an eager call: bare cuLaunchKernel of one of our kernels, on a stream of its own, without waiting.
// cc -O2 -o launch launch.c -ldl; ./launch CUBIN ENTRY THREADS
// Prints the least host time of a launch over several rounds, alone and followed by an event record, in microseconds.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int (*fn)();
static void *lib;

static fn sym(const char *name) {
  fn f = (fn)dlsym(lib, name);
  if (!f) { fprintf(stderr, "no %s\n", name); exit(2); }
  return f;
}

static void ok(int code, const char *what) {
  if (code) { fprintf(stderr, "%s: CUDA error %d\n", what, code); exit(1); }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

int main(int argc, char **argv) {
  if (argc != 4) { fprintf(stderr, "usage: launch CUBIN ENTRY THREADS\n"); return 2; }
  lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (!lib) { fprintf(stderr, "no libcuda.so.1\n"); return 2; }
  FILE *f = fopen(argv[1], "rb");
  if (!f) { perror(argv[1]); return 2; }
  static char image[1 << 20];
  if (fread(image, 1, sizeof image, f) == 0) return 2;
  int dev; void *ctx, *mod, *func, *stream, *event; uint64_t x, w, y;
  ok(sym("cuInit")(0), "init");
  ok(sym("cuDeviceGet")(&dev, 0), "device");
  ok(sym("cuDevicePrimaryCtxRetain")(&ctx, dev), "context");
  ok(sym("cuCtxSetCurrent")(ctx), "current");
  ok(sym("cuModuleLoadData")(&mod, image), "module");
  ok(sym("cuModuleGetFunction")(&func, mod, argv[2]), "function");
  ok(sym("cuStreamCreate")(&stream, 1), "stream");
  ok(sym("cuEventCreate")(&event, 2), "event");
  fn alloc = (fn)sym("cuMemAlloc_v2"), launch = sym("cuLaunchKernel"), record = sym("cuEventRecord"), sync = sym("cuStreamSynchronize");
  ok(alloc(&x, (size_t)1 << 20), "alloc"); ok(alloc(&w, (size_t)1 << 20), "alloc"); ok(alloc(&y, (size_t)1 << 20), "alloc");
  uint64_t stride = 4096; uint32_t hidden = 4096, zero = 0; float inv = 1.f / 4096, eps = 1e-6f, none = 0, one = 1;
  void *params[] = {&x, &w, &y, &stride, &stride, &hidden, &inv, &eps, &none, &one, &zero, &zero};
  unsigned threads = (unsigned)atoi(argv[3]);
  for (int with_event = 0; with_event < 2; with_event++) {
    double best = 1e9;
    for (int round = 0; round < 15; round++) {
      double t = now();
      for (int i = 0; i < 500; i++) {
        ok(launch(func, 1, 1, 1, threads, 1, 1, 0, stream, params, NULL), "launch");
        if (with_event) ok(record(event, stream), "record");
      }
      t = (now() - t) / 500;
      if (t < best) best = t;
      ok(sync(stream), "sync");
    }
    printf("%s %.2f us\n", with_event ? "cuLaunchKernel + cuEventRecord" : "cuLaunchKernel", best);
  }
  return 0;
}
