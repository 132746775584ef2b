// Twins of LayerNormRow and its stream kernels, bf16 throughout.
#include "twin.cuh"

#define LAYER_PARAMS                                                                                                             \
  const bf16 *x, const bf16 *weight, const bf16 *bias, bf16 *y, uint64_t xs, uint64_t ys, int hidden, uint32_t hasBias,      \
      float inv, float eps, float, uint32_t prefetchBlocks, uint32_t early
#define LAYER_ARGS x, weight, bias, y, xs, ys, hidden, hasBias, inv, eps, 0, prefetchBlocks, early

template <int T, int V> __device__ __forceinline__ void row(LAYER_PARAMS) {
  SHARED_SUM(first, T);
  SHARED_SUM(second, T);
  start(early);
  x += blockIdx.x * xs, y += blockIdx.x * ys;
  const int at = threadIdx.x * 8;
  if (prefetches(blockIdx.x, prefetchBlocks)) {
#pragma unroll
    for (int i = 0; i < V; i++)
      if (at + i * T * 8 < hidden) prefetch(x + at + i * T * 8);
  }
  uint4 w[V], b[V];
#pragma unroll
  for (int i = 0; i < V; i++) {
    w[i] = b[i] = make_uint4(0, 0, 0, 0);
    if (at + i * T * 8 < hidden) w[i] = constant16(weight + at + i * T * 8);
    if (at + i * T * 8 < hidden && hasBias) b[i] = constant16(bias + at + i * T * 8);
  }
  cudaGridDependencySynchronize();

  float v[V][8], sum = 0;
#pragma unroll
  for (int i = 0; i < V; i++) {
    uint4 packet = make_uint4(0, 0, 0, 0);
    if (at + i * T * 8 < hidden) packet = stream16(x + at + i * T * 8);
    unpack(packet, v[i]);
#pragma unroll
    for (int j = 0; j < 8; j++) sum += v[i][j];
  }
  cudaTriggerProgrammaticLaunchCompletion();
  const float mean = blockSum<T>(sum, first) * inv;
  float squares = 0;
#pragma unroll
  for (int i = 0; i < V; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) {
      v[i][j] = at + i * T * 8 < hidden ? v[i][j] - mean : 0;
      squares += v[i][j] * v[i][j];
    }
  const float rstd = rsqrtf(blockSum<T>(squares, second) * inv + eps);
#pragma unroll
  for (int i = 0; i < V; i++) {
    float g[8], c[8];
    unpack(w[i], g), unpack(b[i], c);
#pragma unroll
    for (int j = 0; j < 8; j++) v[i][j] = v[i][j] * rstd * g[j] + c[j];
    if (at + i * T * 8 < hidden) evict16(y + at + i * T * 8, pack(v[i]));
  }
}

template <int N> __device__ __forceinline__ void load(const bf16 *p, float (&v)[N]) {
  if constexpr (N == 8)
    unpack(plain16(p), v);
  else
    v[0] = __bfloat162float(*p);
}
template <int N> __device__ __forceinline__ void loadConstant(const bf16 *p, float (&v)[N]) {
  if constexpr (N == 8)
    unpack(constant16(p), v);
  else
    v[0] = __bfloat162float(__ldg(p));
}

template <int N> __device__ __forceinline__ void stream(LAYER_PARAMS) {
  constexpr int T = 512;
  SHARED_SUM(first, T);
  SHARED_SUM(second, T);
  start(early);
  x += blockIdx.x * xs, y += blockIdx.x * ys;
  cudaGridDependencySynchronize();
  float v[N], sum = 0, squares = 0;
  for (int i = threadIdx.x * N; i < hidden; i += T * N) {
    load(x + i, v);
    for (int j = 0; j < N; j++) sum += v[j];
  }
  cudaTriggerProgrammaticLaunchCompletion();
  const float mean = blockSum<T>(sum, first) * inv;
  for (int i = threadIdx.x * N; i < hidden; i += T * N) {
    load(x + i, v);
    for (int j = 0; j < N; j++) squares += (v[j] - mean) * (v[j] - mean);
  }
  const float rstd = rsqrtf(blockSum<T>(squares, second) * inv + eps);
  for (int i = threadIdx.x * N; i < hidden; i += T * N) {
    float g[N], c[N] = {};
    load(x + i, v), loadConstant(weight + i, g);
    if (hasBias) loadConstant(bias + i, c);
    for (int j = 0; j < N; j++) v[j] = (v[j] - mean) * rstd * g[j] + c[j];
    if constexpr (N == 8)
      store16(y + i, pack(v));
    else
      y[i] = __float2bfloat16_rn(v[0]);
  }
}

#define ROW(T, V)                                                                                                                \
  extern "C" __global__ void __launch_bounds__(T) OxideSm90LayerNormRow_BF16_WBF16_BF16_T##T##x##V(LAYER_PARAMS) { row<T, V>(LAYER_ARGS); }
ROW(192, 1)
ROW(256, 2)
ROW(512, 2)
extern "C" __global__ void __launch_bounds__(512) OxideSm90LayerNormStreamPacket_BF16_WBF16_BF16(LAYER_PARAMS) { stream<8>(LAYER_ARGS); }
extern "C" __global__ void __launch_bounds__(512) OxideSm90LayerNormStreamElement_BF16_WBF16_BF16(LAYER_PARAMS) { stream<1>(LAYER_ARGS); }
