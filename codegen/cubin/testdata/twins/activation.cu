// Twins of the gated and plain activations: y = f(x)·up or f(x), rows over grid y.
#include "twin.cuh"

// The Go kernels ask for these two approximations with denormals; CUDA C++ has no intrinsic for either.
__device__ __forceinline__ float ex2(float x) {
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
__device__ __forceinline__ float rcp(float x) {
  float r;
  asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

__device__ __forceinline__ float sigmoid(float x) { return rcp(ex2(x * -1.4426950408889634f) + 1); }

struct SiLU {
  static __device__ __forceinline__ float f(float x) { return x * sigmoid(x); }
};
struct GELUTanh {
  static __device__ __forceinline__ float f(float x) {
    constexpr double scale = 2 * 0.7978845608028654;
    return x * sigmoid(x * (x * x * float(0.044715 * scale) + float(scale)));
  }
};
struct GELU {
  static __device__ __forceinline__ float f(float x) {
    constexpr float c[] = {0.17087277f, -0.82215223f, 1.48851587f, -1.13520398f, 0.27886807f,
                           -0.18628806f, 0.09678418f, 0.37409196f, 1.00002368f, -1.26551223f};
    const float z = fabsf(x) * 0.70710678118654752f, t = rcp(z * 0.5f + 1);
    float p = c[0];
#pragma unroll
    for (int i = 1; i < 10; i++) p = p * t + c[i];
    const float tail = ex2((-z * z + p) * 1.4426950408889634f) * t * 0.5f;
    return x * (x < 0 ? tail : 1 - tail);
  }
};

template <class F, int N, bool GATED>
__device__ __forceinline__ void activation(const bf16 *x, uint64_t xs, const bf16 *up, uint64_t us, bf16 *y, uint64_t ys,
                                           uint32_t rows, uint32_t size, uint32_t prefetchBlocks, uint32_t early) {
  start(early);
  const uint32_t at = (blockIdx.x * 256 + threadIdx.x) * N;
  if (N == 8 && prefetches(blockIdx.y * gridDim.x + blockIdx.x, prefetchBlocks) && at < size) {
    prefetch(x + blockIdx.y * xs + at);
    if (GATED) prefetch(up + blockIdx.y * us + at);
  }
  cudaGridDependencySynchronize();
#pragma unroll 1
  for (uint32_t row = blockIdx.y; row < rows; row += gridDim.y) {
    if (at >= size) continue;
    float v[N], u[N];
    if constexpr (N == 8) {
      unpack(stream16(x + row * xs + at), v);
      if (GATED) unpack(stream16(up + row * us + at), u);
    } else {
      v[0] = __bfloat162float(stream2(x + row * xs + at));
      if (GATED) u[0] = __bfloat162float(stream2(up + row * us + at));
    }
    cudaTriggerProgrammaticLaunchCompletion();
    for (int j = 0; j < N; j++) {
      v[j] = F::f(v[j]);
      if (GATED) v[j] *= u[j];
    }
    if constexpr (N == 8)
      evict16(y + row * ys + at, pack(v));
    else
      __stcs(y + row * ys + at, __float2bfloat16_rn(v[0]));
  }
}

#define TAIL uint32_t rows, uint32_t size, float, uint32_t prefetchBlocks, uint32_t early
#define KERNELS(F, N, WIDTH)                                                                                                     \
  extern "C" __global__ void __launch_bounds__(256)                                                                              \
      OxideSm90GatedActivation##WIDTH##_##F##_BF16_BF16(const bf16 *x, uint64_t xs, const bf16 *up, uint64_t us, bf16 *y, uint64_t ys, TAIL) {         \
    activation<F, N, true>(x, xs, up, us, y, ys, rows, size, prefetchBlocks, early);                                             \
  }                                                                                                                              \
  extern "C" __global__ void __launch_bounds__(256)                                                                              \
      OxideSm90Activation##WIDTH##_##F##_BF16_BF16(const bf16 *x, uint64_t xs, bf16 *y, uint64_t ys, TAIL) {                                          \
    activation<F, N, false>(x, xs, nullptr, 0, y, ys, rows, size, prefetchBlocks, early);                                        \
  }

KERNELS(SiLU, 8, Packet)
KERNELS(GELU, 8, Packet)
KERNELS(GELUTanh, 8, Packet)
KERNELS(SiLU, 1, Element)
KERNELS(GELU, 1, Element)
KERNELS(GELUTanh, 1, Element)
