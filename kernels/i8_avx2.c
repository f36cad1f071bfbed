/* SPDX-License-Identifier: MIT */
/* AVX2 (Haswell, Zen and later): vpmaddwd on values widened to 16 bits. vpmaddubsw would do twice the work per
 * instruction, but it saturates (2 * 255 * 127 > 32767), so it is not used. A is widened when packed; B, which memory
 * bandwidth limits, stays in bytes and is widened on load. Also the finish of requant.h for AVX2. */
#include "cpu.h"
#include "variants.h"

#ifndef TN_I8_EMULATE
#include <immintrin.h>
#define TN_TARGET(x) __attribute__((target(x)))
#endif

/* Tied in place by assembly: left to itself, GCC 12 copies and spills accumulators (52 against 124 G operations/s at M = 128, K = N = 2048). */
static inline __attribute__((always_inline)) TN_TARGET("avx2") __m256i dot(__m256i c, __m256i b, __m256i a)
{
#ifdef __clang__ /* does well by itself, and worse with assembly */
    return _mm256_add_epi32(c, _mm256_madd_epi16(b, a));
#else
    __m256i product;
    __asm__("vpmaddwd %2, %3, %1\n\tvpaddd %1, %0, %0" : "+x"(c), "=&x"(product) : "x"(b), "x"(a));
    return c;
#endif
}

/* 6 x 2 accumulators, 2 of B, 1 of A, 1 product: the 16 registers. */
#define KERNEL tn_i8_kernel_avx2
#define ATTRIBUTES TN_TARGET("avx2")
#define MR 6
#define NV 2
#define LANES 8
#define B_BYTES 16
#define AHEAD 0
#define VEC __m256i
#define ZERO() _mm256_setzero_si256()
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define SPREAD(i) _mm256_set1_epi32(i)
#define STORE(p, c) _mm256_storeu_si256((__m256i *)(p), c)
#define ADD(x, y) _mm256_add_epi32(x, y)
#define VB __m256i
#define LOAD_B(p) _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(p)))
#define VA __m256i
#define SET_A(p) _mm256_set1_epi32(*(const int32_t *)(const void *)(p))
#define DOT(c, b, a) dot(c, b, a)
static tn_i8_kernel tn_i8_kernel_avx2;
#include "i8_tmpl.h"

TN_TARGET("avx2") void tn_finish_avx2(const tn_i8_tile *t)
{
    tn_finish_tile(t);
}

const tn_i8_variant tn_i8_avx2 = {
    .name = "avx2",
    .needs = TN_CPU_AVX2,
    .layout = TN_I8_K2N16,
    .a_form = TN_I8_A_S16,
    .mr = 6,
    .row_unit = 1,
    .pack_a = tn_i8_pack_a_words,
    .kernel = tn_i8_kernel_avx2,
    .finish = tn_finish_avx2,
    .a_block = 192 << 10,
    .macs_per_ns = 62,
    .bytes_per_ns = 36,
};
