/* SPDX-License-Identifier: MIT */
/* vpdpbusd: 4 products of u8 and s8 per 32-bit lane, added without saturation. 256 bits wide in its VEX coding (AVX-VNNI:
 * Alder Lake and later client parts, without AVX-512), 512 bits wide in AVX512-VNNI (Cascade Lake, Ice Lake, Zen 4 and
 * later). AMX parts use the wide one for few rows: same packing of B. */
#include "cpu.h"
#include "variants.h"

#ifndef TN_I8_EMULATE
#include <immintrin.h>
#define TN_TARGET(x) __attribute__((target(x)))
#endif

#define KERNEL tn_i8_kernel_avxvnni
#define ATTRIBUTES TN_TARGET("avx2,avxvnni")
#define MR 6
#define NV 2
#define LANES 8
#define B_BYTES 32
#define AHEAD 0
#define VEC __m256i
#define ZERO() _mm256_setzero_si256()
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define SPREAD(i) _mm256_set1_epi32(i)
#define STORE(p, c) _mm256_storeu_si256((__m256i *)(p), c)
#define ADD(x, y) _mm256_add_epi32(x, y)
#define VB __m256i
#define LOAD_B(p) _mm256_loadu_si256((const __m256i *)(p))
#define VA __m256i
#define SET_A(p) _mm256_set1_epi32(*(const int32_t *)(const void *)(p))
#define DOT(c, b, a) _mm256_dpbusd_avx_epi32(c, a, b)
static tn_i8_kernel tn_i8_kernel_avxvnni;
#include "i8_tmpl.h"

/* 12 x 2 accumulators, 2 of B, 1 of A: 27 of 32 registers. */
#define KERNEL tn_i8_kernel_avx512vnni
#define ATTRIBUTES TN_TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#define MR 12
#define NV 2
#define LANES 16
#define B_BYTES 64
#define AHEAD 8192 /* half a slice (i8gemm.c). 0: a tenth slower at M = 1; 2048: a third at M = 16 where B is beyond L2 (Zen 5) */
#define VEC __m512i
#define ZERO() _mm512_setzero_si512()
#define LOAD(p) _mm512_loadu_si512(p)
#define SPREAD(i) _mm512_set1_epi32(i)
#define STORE(p, c) _mm512_storeu_si512(p, c)
#define ADD(x, y) _mm512_add_epi32(x, y)
#define VB __m512i
#define LOAD_B(p) _mm512_loadu_si512(p)
#define VA __m512i
#define SET_A(p) _mm512_set1_epi32(*(const int32_t *)(const void *)(p))
#define DOT(c, b, a) _mm512_dpbusd_epi32(c, a, b)
static tn_i8_kernel tn_i8_kernel_avx512vnni;
#include "i8_tmpl.h"

const tn_i8_variant tn_i8_avxvnni = {
    .name = "avxvnni",
    .needs = TN_CPU_AVX2 | TN_CPU_AVX_VNNI,
    .layout = TN_I8_K4N16,
    .a_form = TN_I8_A_U8,
    .mr = 6,
    .row_unit = 1,
    .pack_a = tn_i8_pack_a_bytes,
    .kernel = tn_i8_kernel_avxvnni,
    .finish = tn_finish_avx2,
    .a_block = 256 << 10,
    .macs_per_ns = 180,
    .bytes_per_ns = 28,
};

const tn_i8_variant tn_i8_avx512vnni = {
    .name = "avx512vnni",
    .needs = TN_CPU_AVX2 | TN_CPU_AVX512_VNNI,
    .layout = TN_I8_K4N32,
    .a_form = TN_I8_A_U8,
    .mr = 12,
    .row_unit = 1,
    .pack_a = tn_i8_pack_a_bytes,
    .kernel = tn_i8_kernel_avx512vnni,
    .finish = tn_finish_avx2,
    .a_block = 512 << 10,
    .macs_per_ns = 350,
    .bytes_per_ns = 28,
};
