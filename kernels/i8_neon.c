/* SPDX-License-Identifier: MIT */
/* aarch64 with the dot-product instructions (Armv8.2 option, always from Armv8.4): sdot, 4 products of s8 per 32-bit
 * lane, added without saturation. */
#include "cpu.h"
#include "variants.h"

#include <arm_neon.h>

/* Clang 14's arm_neon.h has vdotq_s32 only in a file built for the extension, GCC 12's assembler accepts sdot only in a
 * function built for it: one gets the instruction, the other the intrinsic. */
#ifdef __clang__
#define ATTRIBUTES __attribute__((target("dotprod")))
static inline __attribute__((always_inline)) ATTRIBUTES int32x4_t dot(int32x4_t c, int8x16_t b, int8x16_t a)
{
    __asm__("sdot %0.4s, %1.16b, %2.16b" : "+w"(c) : "w"(b), "w"(a));
    return c;
}
#else
#define ATTRIBUTES __attribute__((target("arch=armv8.2-a+dotprod")))
#define dot vdotq_s32
#endif

/* 6 x 4 accumulators, 4 of B, 1 of A: 29 of 32 registers. */
#define KERNEL tn_i8_kernel_neon
#define MR 6
#define NV 4
#define LANES 4
#define B_BYTES 16
#define AHEAD 0
#define VEC int32x4_t
#define ZERO() vdupq_n_s32(0)
#define LOAD(p) vld1q_s32(p)
#define SPREAD(i) vdupq_n_s32(i)
#define STORE(p, c) vst1q_s32(p, c)
#define ADD(x, y) vaddq_s32(x, y)
#define VB int8x16_t
#define LOAD_B(p) vld1q_s8((const int8_t *)(p))
#define VA int8x16_t
#define SET_A(p) vreinterpretq_s8_s32(vld1q_dup_s32((const int32_t *)(const void *)(p)))
#define DOT(c, b, a) dot(c, b, a)
static tn_i8_kernel tn_i8_kernel_neon;
#include "i8_tmpl.h"

const tn_i8_variant tn_i8_neon = {
    .name = "neon",
    .needs = TN_CPU_DOTPROD,
    .layout = TN_I8_K4N16,
    .a_form = TN_I8_A_S8,
    .mr = 6,
    .row_unit = 1,
    .pack_a = tn_i8_pack_a_bytes,
    .kernel = tn_i8_kernel_neon,
    .finish = tn_finish_baseline,
    .a_block = 128 << 10,
    .macs_per_ns = 80,
    .bytes_per_ns = 16,
};
