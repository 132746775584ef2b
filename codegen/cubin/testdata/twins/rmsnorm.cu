// Twins of RMSNormRow, AddRMSNormRow and their stream kernels, bf16 throughout.
#include "twin.cuh"

__device__ __forceinline__ float scaled(float x, float rstd, float weight, float offset) { return x * rstd * (weight + offset); }

// prefetchRun asks for bytes to be brought to L2.
__device__ __forceinline__ void prefetchRun(const void *p, uint32_t bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(p), "r"(bytes));
}

// T threads a row, V packets a thread; the row stays in registers. AHEAD: a block asks for the row of the block that takes its place.
template <int T, int V, bool ADD, bool AHEAD>
__device__ __forceinline__ void row(const bf16 *x, const bf16 *weight, bf16 *y, uint64_t xs, uint64_t ys, const bf16 *residual,
                                    bf16 *sum, uint64_t rs, uint64_t ss, int hidden, float inv, float eps, float offset,
                                    uint32_t prefetchBlocks, uint32_t early) {
  SHARED_SUM(part, T);
  start(early);
  x += blockIdx.x * xs, y += blockIdx.x * ys;
  if (ADD) residual += blockIdx.x * rs, sum += blockIdx.x * ss;
  const int at = threadIdx.x * 8;
  if ((!AHEAD || gridDim.x <= prefetchBlocks) && prefetches(blockIdx.x, prefetchBlocks)) {
#pragma unroll
    for (int i = 0; i < V; i++)
      if (at + i * T * 8 < hidden) {
        prefetch(x + at + i * T * 8);
        if (ADD) prefetch(residual + at + i * T * 8);
      }
  }
  uint4 w[V];
#pragma unroll
  for (int i = 0; i < V; i++) {
    w[i] = make_uint4(0, 0, 0, 0);
    if (at + i * T * 8 < hidden) w[i] = constant16(weight + at + i * T * 8);
  }
  cudaGridDependencySynchronize();

  float v[V][8], even = 0, odd = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    uint4 packet = make_uint4(0, 0, 0, 0), more = make_uint4(0, 0, 0, 0);
    if (at + i * T * 8 < hidden) packet = stream16(x + at + i * T * 8);
    if (ADD) {
      if (at + i * T * 8 < hidden) more = stream16(residual + at + i * T * 8);
      float a[8], b[8];
      unpack(packet, a), unpack(more, b);
#pragma unroll
      for (int j = 0; j < 8; j++) a[j] += b[j];
      packet = pack(a);
      if (at + i * T * 8 < hidden) evict16(sum + at + i * T * 8, packet);
    }
    unpack(packet, v[i]);
  }
  cudaTriggerProgrammaticLaunchCompletion();
  if (AHEAD && blockIdx.x + prefetchBlocks < gridDim.x && threadIdx.x == 0) {
    prefetchRun(x + prefetchBlocks * xs, hidden * 2);
    if (ADD) prefetchRun(residual + prefetchBlocks * rs, hidden * 2);
  }
#pragma unroll
  for (int i = 0; i < V; i++)
#pragma unroll
    for (int j = 0; j < 8; j += 2) even += v[i][j] * v[i][j], odd += v[i][j + 1] * v[i][j + 1];
  const float rstd = rsqrtf(blockSum<T>(even + odd, part) * inv + eps);
#pragma unroll
  for (int i = 0; i < V; i++) {
    float g[8];
    unpack(w[i], g);
#pragma unroll
    for (int j = 0; j < 8; j++) v[i][j] = scaled(v[i][j], rstd, g[j], offset);
    if (at + i * T * 8 < hidden) evict16(y + at + i * T * 8, pack(v[i]));
  }
}

// The row is read twice, N elements an access.
template <int N, bool ADD>
__device__ __forceinline__ void stream(const bf16 *x, const bf16 *weight, bf16 *y, uint64_t xs, uint64_t ys, const bf16 *residual,
                                       bf16 *sum, uint64_t rs, uint64_t ss, int hidden, float inv, float eps, float offset,
                                       uint32_t early) {
  constexpr int T = 512;
  SHARED_SUM(part, T);
  start(early);
  x += blockIdx.x * xs, y += blockIdx.x * ys;
  if (ADD) residual += blockIdx.x * rs, sum += blockIdx.x * ss;
  cudaGridDependencySynchronize();
  float squares = 0;
  for (int i = threadIdx.x * N; i < hidden; i += T * N) {
    if constexpr (N == 8) {
      uint4 packet = plain16(x + i);
      float v[8], r[8];
      unpack(packet, v);
      if (ADD) {
        unpack(plain16(residual + i), r);
        for (int j = 0; j < 8; j++) v[j] += r[j];
        packet = pack(v);
        store16(sum + i, packet);
        unpack(packet, v);
      }
      for (int j = 0; j < 8; j++) squares += v[j] * v[j];
    } else {
      float v = __bfloat162float(x[i]);
      if (ADD) {
        const bf16 rounded = __float2bfloat16_rn(v + __bfloat162float(residual[i]));
        sum[i] = rounded;
        v = __bfloat162float(rounded);
      }
      squares += v * v;
    }
  }
  cudaTriggerProgrammaticLaunchCompletion();
  const float rstd = rsqrtf(blockSum<T>(squares, part) * inv + eps);
  const bf16 *again = ADD ? sum : x;
  for (int i = threadIdx.x * N; i < hidden; i += T * N) {
    if constexpr (N == 8) {
      float v[8], g[8];
      unpack(plain16(again + i), v), unpack(constant16(weight + i), g);
      for (int j = 0; j < 8; j++) v[j] = scaled(v[j], rstd, g[j], offset);
      store16(y + i, pack(v));
    } else {
      y[i] = __float2bfloat16_rn(scaled(__bfloat162float(again[i]), rstd, __bfloat162float(__ldg(weight + i)), offset));
    }
  }
}

#define RMS_PARAMS const bf16 *x, const bf16 *weight, bf16 *y, uint64_t xs, uint64_t ys
#define ADD_PARAMS const bf16 *residual, bf16 *sum, uint64_t rs, uint64_t ss
#define TAIL int hidden, float inv, float eps, float offset, float, uint32_t prefetchBlocks, uint32_t early
#define RMS_ROW(T, V, BLOCKS, AHEAD, NAME)                                                                                        \
  extern "C" __global__ void __launch_bounds__(T, BLOCKS) OxideSm90RMSNormRow_BF16_WBF16_BF16_T##NAME(RMS_PARAMS, TAIL) {                                  \
    row<T, V, false, AHEAD>(x, weight, y, xs, ys, nullptr, nullptr, 0, 0, hidden, inv, eps, offset, prefetchBlocks, early);       \
  }
#define ADD_ROW(T, V, BLOCKS, AHEAD, NAME)                                                                                        \
  extern "C" __global__ void __launch_bounds__(T, BLOCKS) OxideSm90AddRMSNormRow_BF16_WBF16_BF16_T##NAME(RMS_PARAMS, ADD_PARAMS, TAIL) {                   \
    row<T, V, true, AHEAD>(x, weight, y, xs, ys, residual, sum, rs, ss, hidden, inv, eps, offset, prefetchBlocks, early);         \
  }
#define ROW(T, V, BLOCKS)                    \
  RMS_ROW(T, V, BLOCKS, false, T##x##V)      \
  ADD_ROW(T, V, BLOCKS, false, T##x##V)
#define STREAM(N, NAME)                                                                                                          \
  extern "C" __global__ void __launch_bounds__(512) OxideSm90RMSNormStream##NAME##_BF16_WBF16_BF16(RMS_PARAMS, TAIL) {                                       \
    stream<N, false>(x, weight, y, xs, ys, nullptr, nullptr, 0, 0, hidden, inv, eps, offset, early);                             \
  }                                                                                                                              \
  extern "C" __global__ void __launch_bounds__(512) OxideSm90AddRMSNormStream##NAME##_BF16_WBF16_BF16(RMS_PARAMS, ADD_PARAMS, TAIL) {                        \
    stream<N, true>(x, weight, y, xs, ys, residual, sum, rs, ss, hidden, inv, eps, offset, early);                               \
  }

ROW(64, 1, 1)
ROW(128, 1, 1)
ROW(96, 2, 1)
ROW(192, 1, 1)
ROW(256, 1, 1)
ROW(256, 2, 6)
RMS_ROW(256, 4, 4, true, 256x4_Ahead)
ROW(512, 2, 2)
ADD_ROW(512, 2, 2, true, 512x2_Ahead)
ROW(1024, 2, 1)
STREAM(8, Packet)
STREAM(1, Element)
