// The floor of an eager call: bare cuLaunchKernel of one of our kernels, on a stream of its own, without waiting.
// cc -O2 -o launch launch.c -ldl; ./launch CUBIN ENTRY THREADS
// Prints the least host time of a launch over several rounds, in microseconds: bare; with an event record behind it; and both with
// the attribute of programmatic dependent launch.
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
  struct { int id; char pad[4]; union { int allowed; char room[64]; } value; } attr = {6, {0}, {1}};
  struct { unsigned gx, gy, gz, bx, by, bz, shared; void *stream; void *attrs; unsigned count; } config =
      {1, 1, 1, threads, 1, 1, 0, stream, &attr, 1};
  fn launch_ex = sym("cuLaunchKernelEx");
  const char *names[] = {"cuLaunchKernel", "cuLaunchKernel + cuEventRecord", "cuLaunchKernelEx, programmatic",
                         "cuLaunchKernelEx, programmatic + cuEventRecord"};
  for (int mode = 0; mode < 4; mode++) {
    double best = 1e9;
    for (int round = 0; round < 15; round++) {
      double t = now();
      for (int i = 0; i < 500; i++) {
        if (mode < 2) ok(launch(func, 1, 1, 1, threads, 1, 1, 0, stream, params, NULL), "launch");
        else ok(launch_ex(&config, func, params, NULL), "launch");
        if (mode & 1) ok(record(event, stream), "record");
      }
      t = (now() - t) / 500;
      if (t < best) best = t;
      ok(sync(stream), "sync");
    }
    printf("%s %.2f us\n", names[mode], best);
  }
  return 0;
}
