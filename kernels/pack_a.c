/* SPDX-License-Identifier: MIT */
/* Packing rows of A for the kernels of i8_tmpl.h and i8_portable.c: 4 bytes per row and group, groups outermost, so that
 * a kernel walks its panel from end to end. Any thread, no state. */
#include "variants.h"

typedef uint32_t v4 __attribute__((vector_size(16)));

static inline v4 load4(const uint8_t *p, uint32_t flips)
{
    v4 v;
    memcpy(&v, p, sizeof v);
    return v ^ flips;
}

static inline void store4(uint32_t *p, v4 v)
{
    memcpy(p, &v, sizeof v);
}

/* 4 groups of 4 rows: read by row, written by group. */
static inline void transpose_4x4(uint32_t *out, size_t rows, const uint8_t *a, size_t lda, uint32_t flips)
{
    const v4 r0 = load4(a, flips), r1 = load4(a + lda, flips), r2 = load4(a + 2 * lda, flips), r3 = load4(a + 3 * lda, flips);
    const v4 lo01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), hi01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    const v4 lo23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5), hi23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    store4(out, __builtin_shufflevector(lo01, lo23, 0, 1, 4, 5));
    store4(out + rows, __builtin_shufflevector(lo01, lo23, 2, 3, 6, 7));
    store4(out + 2 * rows, __builtin_shufflevector(hi01, hi23, 0, 1, 4, 5));
    store4(out + 3 * rows, __builtin_shufflevector(hi01, hi23, 2, 3, 6, 7));
}

/* Groups [g, end) of rows [r, last) of a panel of `rows`, one at a time. */
static inline void copy_groups(uint32_t *out, size_t rows, const uint8_t *a, size_t lda, size_t r, size_t last, size_t g,
                               size_t end, uint32_t flips)
{
    for (; r < last; r++)
        for (size_t i = g; i < end; i++) {
            uint32_t v;
            memcpy(&v, a + r * lda + i * 4, sizeof v);
            out[i * rows + r] = v ^ flips;
        }
}

void tn_i8_pack_a_bytes(void *panel, const uint8_t *a, size_t lda, size_t rows, size_t k, size_t groups, uint8_t flip,
                        bool is_signed)
{
    enum { LINE = 16 }; /* groups in 64 bytes: whole lines of a row are read before the next, whatever lda is */
    (void)is_signed;
    const uint32_t flips = 0x01010101u * flip;
    uint32_t *out = panel;
    const size_t whole = k / 4, quads = rows / 4 * 4;
    for (size_t g0 = 0; g0 < whole; g0 += LINE) {
        const size_t end = whole - g0 < LINE ? whole : g0 + LINE;
        for (size_t r = 0; r < quads; r += 4) {
            size_t g = g0;
            for (; g + 4 <= end; g += 4)
                transpose_4x4(out + g * rows + r, rows, a + r * lda + g * 4, lda, flips);
            copy_groups(out, rows, a, lda, r, r + 4, g, end, flips);
        }
        copy_groups(out, rows, a, lda, quads, rows, g0, end, flips);
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
