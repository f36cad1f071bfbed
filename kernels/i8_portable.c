/* SPDX-License-Identifier: MIT */
/* The kernel in C, once for every packing of B, so that a handle packed on any machine can be used on any other.
 * Any thread, no state. */
#include "variants.h"

enum { MR = 4 };

/* NAME(d = init + A B) for KR values of type TA per group against NR columns. */
#define PORTABLE(NAME, TA, KR, NR)                                                                                     \
    static void NAME(int32_t *d, size_t ldd, const int32_t *init, size_t ldi, const int32_t *row, const void *a,       \
                     const void *b, size_t rows, size_t groups)                                                        \
    {                                                                                                                  \
        for (size_t r = 0; r < rows; r++) {                                                                            \
            uint32_t c[NR];                                                                                            \
            for (int j = 0; j < NR; j++)                                                                               \
                c[j] = (uint32_t)init[r * ldi + (size_t)j] + (row ? (uint32_t)row[r] : 0);                             \
            const int8_t *bg = b;                                                                                      \
            for (size_t g = 0; g < groups; g++, bg += NR * KR) {                                                       \
                const TA *ag = (const TA *)a + (g * rows + r) * KR;                                                    \
                for (int j = 0; j < NR; j++)                                                                           \
                    for (int t = 0; t < KR; t++)                                                                       \
                        c[j] += (uint32_t)(ag[t] * bg[j * KR + t]);                                                    \
            }                                                                                                          \
            memcpy(d + r * ldd, c, sizeof c);                                                                          \
        }                                                                                                              \
    }

PORTABLE(k4n16, uint8_t, 4, 16)
PORTABLE(k4n32, uint8_t, 4, 32)
PORTABLE(k2n16, int16_t, 2, 16)

#define ROW(NAME, LAYOUT, FORM, PACK, KERNEL)                                                                          \
    {                                                                                                                  \
        .name = NAME, .layout = LAYOUT, .a_form = FORM, .mr = MR, .row_unit = 1, .pack_a = PACK, .kernel = KERNEL,     \
        .finish = tn_finish_baseline, .a_block = 64 << 10, .macs_per_ns = 2, .bytes_per_ns = 8                         \
    }
const tn_i8_variant tn_i8_portable = ROW("portable", TN_I8_K4N16, TN_I8_A_U8, tn_i8_pack_a_bytes, k4n16);
const tn_i8_variant tn_i8_portable_k4n32 = ROW("portable-k4n32", TN_I8_K4N32, TN_I8_A_U8, tn_i8_pack_a_bytes, k4n32);
const tn_i8_variant tn_i8_portable_k2n16 = ROW("portable-k2n16", TN_I8_K2N16, TN_I8_A_S16, tn_i8_pack_a_words, k2n16);
