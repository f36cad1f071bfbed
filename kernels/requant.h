/* SPDX-License-Identifier: MIT */
/* From finished accumulators to results: zero-point corrections and, for 8-bit outputs, requantisation. The arithmetic
 * is written once, inline; requant.c compiles it for the baseline processor and i8_avx2.c for AVX2, with equal bits.
 * Any thread, no state. */
#ifndef TN_REQUANT_H
#define TN_REQUANT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TN_I8_NR_MAX = 32 }; /* widest panel of B, in columns */

/* What every tile of one column panel shares. Arrays are as wide as the panel, past the matrix's edge too. */
typedef struct tn_i8_columns {
    int32_t init[TN_I8_NR_MAX];   /* what accumulators start from: bias, and the correction for a common zero of A */
    int32_t zero[TN_I8_NR_MAX];   /* B's zero points, in the packed values' terms */
    int32_t sum[TN_I8_NR_MAX];    /* column sums of the packed values */
    float scale[TN_I8_NR_MAX];
} tn_i8_columns;

/* A block of accumulators and where its results go. */
typedef struct tn_i8_tile {
    const int32_t *acc;        /* [rows][ld], ld a multiple of 16 and at least cols */
    size_t ld, rows, cols;
    const tn_i8_columns *col;
    const int32_t *row_sum;    /* [rows], times col->sum; NULL: A has one zero point, which `init` has dealt with */
    const int32_t *row_zero;   /* [rows], times col->zero; NULL: B's zero points are all 0 */
    void *c;                   /* first element of the tile's result */
    size_t ldc;                /* elements */
    int narrow;                /* 0: 32-bit results, else 8-bit */
    int32_t c_zero;
    float lo, hi;              /* bounds before c_zero is added: integers between -255 and 255 */
} tn_i8_tile;

/* Adding and taking away 1.5 * 2^23 leaves no bits below the point, rounded to nearest even: exact for |x| < 2^22, and
 * x has been clamped to 255 by then. No libm, no SSE4.1, and compilers vectorise it. The bounds are integers, so
 * clamping before rounding gives what clamping after it would; an infinite product is clamped like any other. */
#define TN_REQUANT_MAGIC 12582912.0f

static inline __attribute__((always_inline)) int32_t tn_requant(int32_t acc, float scale, float lo, float hi, int32_t zero)
{
    float x = (float)acc * scale;
    x = x > lo ? x : lo;
    x = x < hi ? x : hi;
    return (int32_t)((x + TN_REQUANT_MAGIC) - TN_REQUANT_MAGIC) + zero;
}

/* 16 columns of one row. */
static inline __attribute__((always_inline)) void tn_finish_chunk(const tn_i8_tile *t, size_t row, size_t c0, size_t cols)
{
    enum { W = 16 };
    int32_t v[W];
    const int32_t *acc = t->acc + row * t->ld + c0;
    const uint32_t by_sum = t->row_sum ? (uint32_t)t->row_sum[row] : 0;
    const uint32_t by_zero = t->row_zero ? (uint32_t)t->row_zero[row] : 0;
    if (t->row_sum || t->row_zero)
        for (int i = 0; i < W; i++)
            v[i] = (int32_t)((uint32_t)acc[i] + by_sum * (uint32_t)t->col->sum[c0 + i] +
                             by_zero * (uint32_t)t->col->zero[c0 + i]);
    else
        memcpy(v, acc, sizeof v);
    if (!t->narrow) {
        int32_t *c = (int32_t *)t->c + row * t->ldc + c0;
        memcpy(c, v, cols == W ? sizeof v : cols * sizeof *v);
        return;
    }
    uint8_t y[W];
    for (int i = 0; i < W; i++)
        y[i] = (uint8_t)tn_requant(v[i], t->col->scale[c0 + i], t->lo, t->hi, t->c_zero);
    memcpy((uint8_t *)t->c + row * t->ldc + c0, y, cols == W ? W : cols);
}

static inline __attribute__((always_inline)) void tn_finish_tile(const tn_i8_tile *t)
{
    for (size_t row = 0; row < t->rows; row++)
        for (size_t c0 = 0; c0 < t->cols; c0 += 16)
            tn_finish_chunk(t, row, c0, t->cols - c0 < 16 ? t->cols - c0 : 16);
}

void tn_finish_baseline(const tn_i8_tile *t);

#endif
