// Pieces shared by the CUDA C++ twins of the Go kernels: 8 bf16 elements a packet, reductions over a block, programmatic
// dependent launch. Parameters, block shapes, access widths, cache operators and roundings are those of the Go kernels.
#pragma once
#include <cuda_bf16.h>
#include <stdint.h>

using bf16 = __nv_bfloat16;

__device__ __forceinline__ void start(uint32_t early) {
  if (early) cudaTriggerProgrammaticLaunchCompletion();
}

// prefetch asks L2 for the line of p: there is no intrinsic for it.
__device__ __forceinline__ void prefetch(const void *p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }

__device__ __forceinline__ bool prefetches(uint32_t block, uint32_t blocks) { return block < blocks && threadIdx.x % 8 == 0; }

// stream16 reads past L1, which no intrinsic does. It is never .nc: an earlier launch may have written the data.
__device__ __forceinline__ uint4 stream16(const bf16 *p) {
  uint4 v;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ bf16 stream2(const bf16 *p) {
  unsigned short v;
  asm volatile("ld.global.L1::no_allocate.u16 %0, [%1];" : "=h"(v) : "l"(p) : "memory");
  return __ushort_as_bfloat16(v);
}

__device__ __forceinline__ uint4 plain16(const bf16 *p) { return *reinterpret_cast<const uint4 *>(p); }
__device__ __forceinline__ uint4 constant16(const bf16 *p) { return __ldg(reinterpret_cast<const uint4 *>(p)); }
__device__ __forceinline__ void store16(bf16 *p, uint4 v) { *reinterpret_cast<uint4 *>(p) = v; }
__device__ __forceinline__ void evict16(bf16 *p, uint4 v) { __stcs(reinterpret_cast<uint4 *>(p), v); }

__device__ __forceinline__ void unpack(uint4 v, float (&x)[8]) {
  const uint32_t w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    x[2 * i] = __uint_as_float(w[i] << 16);
    x[2 * i + 1] = __uint_as_float(w[i] & 0xffff0000u);
  }
}

__device__ __forceinline__ uint32_t pair(float lo, float hi) {
  const __nv_bfloat162 v = __floats2bfloat162_rn(lo, hi);
  return *reinterpret_cast<const uint32_t *>(&v);
}
__device__ __forceinline__ uint4 pack(const float (&x)[8]) {
  return make_uint4(pair(x[0], x[1]), pair(x[2], x[3]), pair(x[4], x[5]), pair(x[6], x[7]));
}

template <int N> __device__ __forceinline__ float pairwise(const float *x) {
  if constexpr (N == 1)
    return x[0];
  else
    return pairwise<(N + 1) / 2>(x) + pairwise<N - (N + 1) / 2>(x + (N + 1) / 2);
}

template <int LANES> __device__ __forceinline__ float laneSum(float v) {
#pragma unroll
  for (int d = LANES / 2; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

// blockSum adds v over T threads with one barrier; part holds T/32 floats, rounded up to a multiple of 4.
template <int T> __device__ __forceinline__ float blockSum(float v, float *part) {
  constexpr int warps = T / 32, width = warps % 4 == 0 ? 4 : warps % 2 == 0 ? 2 : 1;
  v = laneSum<32>(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  float all[warps];
#pragma unroll
  for (int i = 0; i < warps; i += width) {
    if constexpr (width == 4)
      *reinterpret_cast<float4 *>(all + i) = *reinterpret_cast<const float4 *>(part + i);
    else if constexpr (width == 2)
      *reinterpret_cast<float2 *>(all + i) = *reinterpret_cast<const float2 *>(part + i);
    else
      all[i] = part[i];
  }
  return pairwise<warps>(all);
}
#define SHARED_SUM(name, T) __shared__ __align__(16) float name[((T) / 32 + 3) / 4 * 4]
