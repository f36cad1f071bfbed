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

/* Two bytes as two 16-bit values in a word; the low byte is the first (both architectures are little endian). */
static inline uint32_t widen(uint16_t pair, uint32_t sign)
{
    const uint32_t v = (pair & 0xffu) | (uint32_t)(pair & 0xff00u) << 8;
    return v | (v & sign) * 0x1feu; /* 0x80 * 0x1fe = 0xff00: the sign bit, spread upwards */
}

void tn_i8_pack_a_words(void *panel, const uint8_t *a, size_t lda, size_t rows, size_t k, size_t groups, uint8_t flip,
                        bool is_signed)
{
    (void)flip;
    const uint32_t sign = is_signed ? 0x00800080u : 0;
    uint32_t *out = panel;
    const size_t whole = k / 2;
    for (size_t g0 = 0; g0 < whole; g0 += 64)
        for (size_t r = 0; r < rows; r++)
            for (size_t g = g0; g < whole && g < g0 + 64; g++) {
                uint16_t pair;
                memcpy(&pair, a + r * lda + g * 2, sizeof pair);
                out[g * rows + r] = widen(pair, sign);
            }
    for (size_t r = 0; whole < groups && r < rows; r++)
        out[whole * rows + r] = widen(a[r * lda + k - 1], sign);
}
