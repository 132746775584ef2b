// record writes what a device's special functions give: for every function one SHA-256 per 2^20 inputs over all 2^32
// bit patterns (results little-endian, in the order of the inputs), the whole table of the 16-bit functions, and the
// raw results of the octaves from which the models are fitted.
//
//	nvcc -gencode=arch=compute_90a,code=sm_90a -o record record.cu
//	record OUT_DIR
//
// The functions are PTX instructions, so ptxas adds the scaling that it always adds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                             \
  do {                                                                                          \
    cudaError_t e = (call);                                                                     \
    if (e != cudaSuccess) {                                                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));                \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)

// UNARY defines a function of 32 bits made of one PTX instruction on f32 registers.
#define UNARY(id, instruction)                                                                  \
  struct id {                                                                                   \
    static constexpr const char *name = #id;                                                    \
    static __device__ uint32_t of(uint32_t x) {                                                 \
      float y;                                                                                  \
      asm(instruction " %0, %1;" : "=f"(y) : "f"(__uint_as_float(x)));                          \
      return __float_as_uint(y);                                                                \
    }                                                                                           \
  };

UNARY(ex2_f32, "ex2.approx.f32")
UNARY(ex2_ftz_f32, "ex2.approx.ftz.f32")
UNARY(lg2_f32, "lg2.approx.f32")
UNARY(lg2_ftz_f32, "lg2.approx.ftz.f32")
UNARY(rcp_f32, "rcp.approx.f32")
UNARY(rcp_ftz_f32, "rcp.approx.ftz.f32")
UNARY(rsqrt_f32, "rsqrt.approx.f32")
UNARY(rsqrt_ftz_f32, "rsqrt.approx.ftz.f32")
UNARY(sqrt_f32, "sqrt.approx.f32")
UNARY(sqrt_ftz_f32, "sqrt.approx.ftz.f32")
UNARY(sin_f32, "sin.approx.f32")
UNARY(sin_ftz_f32, "sin.approx.ftz.f32")
UNARY(cos_f32, "cos.approx.f32")
UNARY(cos_ftz_f32, "cos.approx.ftz.f32")
UNARY(tanh_f32, "tanh.approx.f32")

__device__ uint32_t mix(uint32_t x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}

// DIVIDE is a quotient of two mixed bit patterns.
#define DIVIDE(id, instruction)                                                                 \
  struct id {                                                                                   \
    static constexpr const char *name = #id;                                                    \
    static __device__ uint32_t of(uint32_t x) {                                                 \
      float y;                                                                                  \
      asm(instruction " %0, %1, %2;" : "=f"(y) : "f"(__uint_as_float(mix(x))), "f"(__uint_as_float(mix(~x)))); \
      return __float_as_uint(y);                                                                \
    }                                                                                           \
  };

DIVIDE(div_full_f32, "div.full.f32")
DIVIDE(div_full_ftz_f32, "div.full.ftz.f32")
DIVIDE(div_approx_f32, "div.approx.f32")
DIVIDE(div_approx_ftz_f32, "div.approx.ftz.f32")

// HALF is a function of 16 bits.
#define HALF(id, instruction)                                                                   \
  struct id {                                                                                   \
    static constexpr const char *name = #id;                                                    \
    static __device__ uint32_t of(uint32_t x) {                                                 \
      uint16_t y;                                                                               \
      asm(instruction " %0, %1;" : "=h"(y) : "h"((uint16_t)x));                                 \
      return y;                                                                                 \
    }                                                                                           \
  };

HALF(ex2_f16, "ex2.approx.f16")
HALF(ex2_ftz_bf16, "ex2.approx.ftz.bf16")
HALF(tanh_f16, "tanh.approx.f16")
HALF(tanh_bf16, "tanh.approx.bf16")

// PAIR is the packed form, fed with x below and its complement above; it gives the lower half, or the upper half where
// Upper is set.
#define PAIR(id, instruction)                                                                   \
  struct id {                                                                                   \
    static constexpr const char *name = #id;                                                    \
    static __device__ uint32_t of(uint32_t x) {                                                 \
      uint32_t y, z, both = (x & 0xffff) | (~x << 16);                                          \
      asm(instruction " %0, %1;" : "=r"(y) : "r"(both));                                        \
      asm(instruction " %0, %1;" : "=r"(z) : "r"(__byte_perm(both, 0, 0x1032)));                \
      return (y & 0xffff) | (z & 0xffff0000) * ((y & 0xffff) != z >> 16);                       \
    }                                                                                           \
  };

PAIR(ex2_f16x2, "ex2.approx.f16x2")
PAIR(ex2_ftz_bf16x2, "ex2.approx.ftz.bf16x2")
PAIR(tanh_f16x2, "tanh.approx.f16x2")
PAIR(tanh_bf16x2, "tanh.approx.bf16x2")

__constant__ uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ uint32_t rotr(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

// compress is one block of SHA-256 (FIPS 180-4, section 6.2.2).
__device__ void compress(uint32_t h[8], uint32_t w[16]) {
  uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
#pragma unroll
  for (int i = 0; i < 64; i++) {
    uint32_t m = w[i & 15];
    if (i >= 16) {
      uint32_t p = w[(i + 1) & 15], q = w[(i + 14) & 15];
      m += w[(i + 9) & 15] + (rotr(p, 7) ^ rotr(p, 18) ^ (p >> 3)) + (rotr(q, 17) ^ rotr(q, 19) ^ (q >> 10));
      w[i & 15] = m;
    }
    uint32_t t = k + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + m;
    uint32_t u = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    k = g; g = f; f = e; e = d + t; d = c; c = b; b = a; a = t + u;
  }
  h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e; h[5] += f; h[6] += g; h[7] += k;
}

constexpr int blockBits = 20;

// hashes gives one SHA-256 a thread, over 2^20 results of 4 bytes.
template <class F> __global__ void hashes(uint32_t *out) {
  uint32_t block = blockIdx.x * blockDim.x + threadIdx.x, x = block << blockBits, w[16];
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll 1
  for (uint32_t i = 0; i < 1u << (blockBits - 4); i++) {
#pragma unroll
    for (int j = 0; j < 16; j++) w[j] = __byte_perm(F::of(x++), 0, 0x0123);
    compress(h, w);
  }
#pragma unroll
  for (int j = 0; j < 16; j++) w[j] = 0;
  w[0] = 0x80000000;
  w[15] = 32u << blockBits;
  compress(h, w);
  for (int j = 0; j < 8; j++) out[block * 8 + j] = __byte_perm(h[j], 0, 0x0123);
}

template <class F> __global__ void results(uint32_t *out, uint32_t first, uint32_t step, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = F::of(first + i * step);
}

std::string dir;

void save(const std::string &name, const void *data, size_t bytes) {
  FILE *f = fopen((dir + "/" + name).c_str(), "wb");
  if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f)) { perror(name.c_str()); exit(1); }
}

struct Hashed { std::string name; uint32_t *on; size_t bytes; };
std::vector<Hashed> hashed;

// hash starts the hashing of the first `blocks` blocks.
template <class F> void hash(int blocks = 4096) {
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  Hashed h{std::string(F::name) + ".sha256", nullptr, size_t(blocks) * 32};
  CHECK(cudaMalloc(&h.on, h.bytes));
  hashes<F><<<(blocks + 31) / 32, blocks < 32 ? blocks : 32, 0, s>>>(h.on);
  CHECK(cudaGetLastError());
  hashed.push_back(h);
}

// raw saves n results from the bit pattern first on, 16-bit functions as 16 bits.
template <class F> void raw(uint32_t first, uint32_t n, uint32_t step = 1, bool half = false) {
  uint32_t *on;
  std::vector<uint32_t> out(n);
  CHECK(cudaMalloc(&on, size_t(n) * 4));
  results<F><<<(n + 255) / 256, 256>>>(on, first, step, n);
  CHECK(cudaMemcpy(out.data(), on, size_t(n) * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(on));
  char name[64];
  snprintf(name, sizeof name, "%s_%08x_%u.raw", F::name, first, step);
  if (half) for (uint32_t i = 0; i < n; i++) ((uint16_t *)out.data())[i] = out[i];
  save(name, out.data(), size_t(n) * (half ? 2 : 4));
}

template <class F> void pair() {
  uint32_t *on;
  std::vector<uint32_t> out(1 << 16);
  CHECK(cudaMalloc(&on, 4 << 16));
  results<F><<<256, 256>>>(on, 0, 1, 1 << 16);
  CHECK(cudaMemcpy(out.data(), on, 4 << 16, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(on));
  for (uint32_t &v : out) {
    if (v >> 16) printf("%s: halves differ at %zx: %08x\n", F::name, &v - out.data(), v);
    ((uint16_t *)out.data())[&v - out.data()] = v;
  }
  save(std::string(F::name) + "_00000000_1.raw", out.data(), 2 << 16);
}

int main(int argc, char **argv) {
  if (argc != 2) { fprintf(stderr, "usage: record OUT_DIR\n"); return 2; }
  dir = argv[1];
  constexpr uint32_t octave = 1 << 23, one = 127;
  hash<ex2_f32>(); hash<ex2_ftz_f32>(); hash<lg2_f32>(); hash<lg2_ftz_f32>(); hash<rcp_f32>(); hash<rcp_ftz_f32>();
  hash<rsqrt_f32>(); hash<rsqrt_ftz_f32>(); hash<sqrt_f32>(); hash<sqrt_ftz_f32>(); hash<sin_f32>(); hash<sin_ftz_f32>();
  hash<cos_f32>(); hash<cos_ftz_f32>(); hash<tanh_f32>();
  hash<div_full_f32>(64); hash<div_full_ftz_f32>(64); hash<div_approx_f32>(64); hash<div_approx_ftz_f32>(64);
  CHECK(cudaDeviceSynchronize());
  for (auto &h : hashed) {
    std::vector<char> host(h.bytes);
    CHECK(cudaMemcpy(host.data(), h.on, h.bytes, cudaMemcpyDeviceToHost));
    save(h.name, host.data(), h.bytes);
  }
  raw<ex2_ftz_f32>(one << 23, octave);                     // every fraction of 23 bits
  raw<ex2_ftz_f32>(0x80000000u | one << 23, octave, 8);
  raw<lg2_ftz_f32>((one - 1) << 23, 2 * octave);           // on both sides of 1, where the result is normalised
  raw<rcp_ftz_f32>(one << 23, octave);
  raw<rsqrt_ftz_f32>(one << 23, 2 * octave);
  raw<sqrt_ftz_f32>(one << 23, 2 * octave);
  raw<sin_ftz_f32>(one << 23, 2 * octave);                 // [1, 4): the denser half of the second quadrant and the third
  raw<sin_ftz_f32>((one - 3) << 23, 3 * octave, 4);
  raw<cos_ftz_f32>(one << 23, octave, 2);
  raw<tanh_f32>((one - 4) << 23, 8 * octave);
  raw<tanh_f32>((one - 16) << 23, 12 * octave, 16);
  raw<ex2_f16>(0, 1 << 16, 1, true);
  raw<ex2_ftz_bf16>(0, 1 << 16, 1, true);
  raw<tanh_f16>(0, 1 << 16, 1, true);
  raw<tanh_bf16>(0, 1 << 16, 1, true);
  pair<ex2_f16x2>(); pair<ex2_ftz_bf16x2>(); pair<tanh_f16x2>(); pair<tanh_bf16x2>();
  return 0;
}
