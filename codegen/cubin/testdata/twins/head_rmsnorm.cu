// Twins of HeadRMSNorm: D/8 lanes a head, heads of Q first and then of K.
#include "twin.cuh"

#define SIDE(P)                                                                                                                  \
  const bf16 *P, const bf16 *P##Weight, bf16 *P##Out, uint64_t P##Token, uint64_t P##Head, uint64_t P##OutToken,                  \
      uint64_t P##OutHead, uint32_t P##Heads
#define HEAD_PARAMS SIDE(q), SIDE(k), float eps, float offset, uint32_t prefetchBlocks, uint32_t early
#define SIDE_ARGS(P) P, P##Weight, P##Out, P##Token, P##Head, P##OutToken, P##OutHead, P##Heads

template <int D> __device__ __forceinline__ void heads(HEAD_PARAMS) {
  constexpr uint32_t lanes = D / 8;
  start(early);
  const uint32_t head = blockIdx.y * (128 / lanes) + threadIdx.x / lanes;
  const int at = threadIdx.x % lanes * 8;
  const bool isQ = head < qHeads, inside = head < qHeads + kHeads;
  const uint64_t local = isQ ? head : head - qHeads, token = blockIdx.x;
  uint4 w = make_uint4(0, 0, 0, 0), packet = w;
  if (inside) w = constant16((isQ ? qWeight : kWeight) + at);
  const bf16 *in = (isQ ? q : k) + token * (isQ ? qToken : kToken) + local * (isQ ? qHead : kHead) + at;
  bf16 *out = (isQ ? qOut : kOut) + token * (isQ ? qOutToken : kOutToken) + local * (isQ ? qOutHead : kOutHead) + at;
  if (prefetches(blockIdx.y * gridDim.x + blockIdx.x, prefetchBlocks) && inside) prefetch(in);
  cudaGridDependencySynchronize();

  if (inside) packet = stream16(in);
  cudaTriggerProgrammaticLaunchCompletion();
  float v[8], g[8], squares = 0;
  unpack(packet, v), unpack(w, g);
#pragma unroll
  for (int j = 0; j < 8; j++) squares += v[j] * v[j];
  const float rstd = rsqrtf(laneSum<lanes>(squares) * (1.0f / D) + eps);
#pragma unroll
  for (int j = 0; j < 8; j++) v[j] = v[j] * rstd * (g[j] + offset);
  if (inside) evict16(out, pack(v));
}

#define HEAD(D)                                                                                                                  \
  extern "C" __global__ void __launch_bounds__(128) OxideSm90HeadRMSNorm_BF16_WBF16_D##D(HEAD_PARAMS) {                                               \
    heads<D>(SIDE_ARGS(q), SIDE_ARGS(k), eps, offset, prefetchBlocks, early);                                                    \
  }
HEAD(64)
HEAD(128)
HEAD(256)
