/* SPDX-License-Identifier: MIT */
/* The definition of the result, as plain as it can be said. Everything else must equal it, bit for bit. Tests only. */
#include "i8gemm.h"

/* An 8-bit value as its type holds it. */
static int value(const void *p, int64_t i, int is_signed)
{
    return is_signed ? ((const int8_t *)p)[i] : ((const uint8_t *)p)[i];
}

/* To the nearest integer, ties to even, for |x| < 2^31. */
static int64_t round_even(double x)
{
    int64_t down = (int64_t)x;
    if ((double)down > x)
        down--;
    const double rest = x - (double)down; /* [0, 1), exact */
    return rest > 0.5 || (rest == 0.5 && down % 2 != 0) ? down + 1 : down;
}

static int requantise(const tenure_i8_args *a, int32_t acc, float scale)
{
    int lo = a->c_type == TENURE_I8_OUT_U8 ? 0 : -128, hi = lo + 255;
    if (a->flags & TENURE_I8_CLAMP) {
        lo = a->clamp_lo;
        hi = a->clamp_hi;
    }
    if ((a->flags & TENURE_I8_RELU) && lo < a->c_zero)
        lo = a->c_zero < hi ? a->c_zero : hi;
    const float x = (float)acc * scale;
    const int64_t y = x > 1e6f ? 1000000 : x < -1e6f ? -1000000 : round_even(x);
    return y + a->c_zero < lo ? lo : y + a->c_zero > hi ? hi : (int)(y + a->c_zero);
}

static void one(const tenure_i8_args *a, int64_t item, int64_t i, int64_t j)
{
    const bool per_row = a->flags & TENURE_I8_A_ZERO_PER_ROW, per_col = a->flags & TENURE_I8_B_ZERO_PER_COLUMN;
    const bool t = a->flags & TENURE_I8_B_TRANSPOSED;
    const int za = a->a_zero ? value(a->a_zero, item * a->stride_a_zero + (per_row ? i : 0), a->a_signed) : 0;
    const int zb = a->b_zero ? value(a->b_zero, item * a->stride_b_zero + (per_col ? j : 0), a->b_signed) : 0;
    uint32_t acc = a->bias ? (uint32_t)a->bias[j] : 0;
    for (int64_t k = 0; k < a->k; k++) {
        const int x = value(a->a, item * a->stride_a + i * a->lda + k, a->a_signed) - za;
        const int y = value(a->b, item * a->stride_b + (t ? j * a->ldb + k : k * a->ldb + j), a->b_signed) - zb;
        acc += (uint32_t)(x * y);
    }
    const int64_t at = item * a->stride_c + i * a->ldc + j;
    if (a->c_type == TENURE_I8_OUT_S32)
        memcpy((char *)a->c + at * 4, &acc, 4);
    else
        ((uint8_t *)a->c)[at] =
            (uint8_t)requantise(a, (int32_t)acc, a->scale[a->flags & TENURE_I8_SCALE_PER_COLUMN ? j : 0]);
}

void tn_i8_ref(const tenure_i8_args *a)
{
    for (int64_t item = 0; item < a->batch; item++)
        for (int64_t i = 0; i < a->m; i++)
            for (int64_t j = 0; j < a->n; j++)
                one(a, item, i, j);
}
