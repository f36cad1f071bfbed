/* SPDX-License-Identifier: MIT */
/* Packing rows of A for the kernels of i8_tmpl.h and i8_portable.c: 4 bytes per row and group, groups outermost, so that
 * a kernel walks its panel from end to end. Any thread, no state. */
#include "variants.h"

void tn_i8_pack_a_bytes(void *panel, const uint8_t *a, size_t lda, size_t rows, size_t k, size_t groups, uint8_t flip,
                        bool is_signed)
{
    (void)is_signed;
    const uint32_t flips = 0x01010101u * flip;
    uint32_t *out = panel;
    const size_t whole = k / 4;
    /* Row by row within blocks of groups: reads run along a row, and a block of the panel stays in L1. */
    for (size_t g0 = 0; g0 < whole; g0 += 64)
        for (size_t r = 0; r < rows; r++)
            for (size_t g = g0; g < whole && g < g0 + 64; g++) {
                uint32_t v;
                memcpy(&v, a + r * lda + g * 4, sizeof v);
                out[g * rows + r] = v ^ flips;
            }
    for (size_t g = whole; g < groups; g++)
        for (size_t r = 0; r < rows; r++) {
            uint32_t v = 0;
            if (g == whole)
                memcpy(&v, a + r * lda + g * 4, k % 4);
            out[g * rows + r] = v ^ flips; /* past k: against zeros of B */
        }
}

static inline __attribute__((always_inline)) void pack_words(int16_t *out, const uint8_t *a, size_t lda, size_t rows,
                                                             size_t k, size_t groups, bool is_signed)
{
    for (size_t g0 = 0; g0 < groups; g0 += 64)
        for (size_t r = 0; r < rows; r++)
            for (size_t g = g0; g < groups && g < g0 + 64; g++) {
                const uint8_t *p = a + r * lda + g * 2;
                const uint8_t second = g * 2 + 1 < k ? p[1] : 0;
                int16_t *o = out + (g * rows + r) * 2;
                o[0] = is_signed ? (int8_t)p[0] : p[0];
                o[1] = is_signed ? (int8_t)second : second;
            }
}

void tn_i8_pack_a_words(void *panel, const uint8_t *a, size_t lda, size_t rows, size_t k, size_t groups, uint8_t flip,
                        bool is_signed)
{
    (void)flip;
    if (is_signed)
        pack_words(panel, a, lda, rows, k, groups, true);
    else
        pack_words(panel, a, lda, rows, k, groups, false);
}
