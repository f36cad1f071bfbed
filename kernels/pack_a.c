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

void tn_i8_pack_a_words(void *panel, const uint8_t *a, size_t lda, size_t rows, size_t k, size_t groups, uint8_t flip,
                        bool is_signed)
{
    enum { CHUNK = 64 }; /* values widened at a time: a constant, so that the loop is vectorised at -O2 */
    (void)flip;
    const uint16_t sign = is_signed ? 0x80 : 0; /* (v ^ 0x80) - 0x80 extends the sign, (v ^ 0) - 0 leaves u8 alone */
    uint32_t *out = panel;
    for (size_t g0 = 0; g0 < groups; g0 += CHUNK / 2)
        for (size_t r = 0; r < rows; r++) {
            const size_t some = groups - g0 < CHUNK / 2 ? groups - g0 : CHUNK / 2;
            const uint8_t *from = a + r * lda + 2 * g0;
            uint8_t edge[CHUNK];
            uint32_t pairs[CHUNK / 2]; /* of 16-bit values; both architectures are little endian: the low one is first */
            if (k - 2 * g0 < CHUNK) {
                memset(edge, 0, sizeof edge);
                from = memcpy(edge, from, k - 2 * g0);
            }
            for (int i = 0; i < CHUNK / 16; i++) {
                typedef uint8_t bytes __attribute__((vector_size(16)));
                typedef uint16_t words __attribute__((vector_size(32)));
                bytes b;
                memcpy(&b, from + 16 * i, sizeof b);
                const words w = (__builtin_convertvector(b, words) ^ sign) - sign;
                memcpy(&pairs[8 * i], &w, sizeof w);
            }
            for (size_t g = 0; g < some; g++)
                out[(g0 + g) * rows + r] = pairs[g];
        }
}
