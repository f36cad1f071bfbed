/* SPDX-License-Identifier: MIT */
/* tenure_i8.h - the arguments of Tenure's exact int8 matrix products, MatMulInteger and QLinearMatMul as ONNX defines
 * them (MatMulInteger-10; QLinearMatMul-10 and -21 with 8-bit types). Types only; tenure.h includes this file and has
 * the functions. C99, C11, C++.
 *
 *   acc[i][j] = sum over k of (A[i][k] - a_zero[i]) * (B[k][j] - b_zero[j]) + bias[j]      modulo 2^32, two's complement
 *   c_type S32:     C[i][j] = acc[i][j]
 *   c_type U8, S8:  C[i][j] = min(max(round((float)acc[i][j] * scale[j]), lo - c_zero), hi - c_zero) + c_zero
 *
 * The product with `scale` is one float multiplication, `round` goes to nearest with ties to even, [lo, hi] is the range
 * of the output type narrowed by TENURE_I8_RELU and TENURE_I8_CLAMP. Every bit of the result is the same for every
 * processor, variant, thread count and packing. (The calling thread's floating-point rounding mode must be the default.) */
#ifndef TENURE_I8_H
#define TENURE_I8_H

#include <stddef.h>
#include <stdint.h>

enum { /* c_type */
    TENURE_I8_OUT_S32 = 0,
    TENURE_I8_OUT_U8 = 1,
    TENURE_I8_OUT_S8 = 2
};

enum { /* flags */
    TENURE_I8_A_ZERO_PER_ROW = 1,    /* a_zero has m entries, not one */
    TENURE_I8_B_ZERO_PER_COLUMN = 2, /* b_zero has n entries, not one */
    TENURE_I8_SCALE_PER_COLUMN = 4,  /* scale has n entries, not one */
    TENURE_I8_B_TRANSPOSED = 8,      /* b is [n][k], ldb at least k */
    TENURE_I8_RELU = 16,             /* 8-bit output: nothing below c_zero */
    TENURE_I8_CLAMP = 32             /* 8-bit output: nothing outside [clamp_lo, clamp_hi], in output units */
};

/* Zero the struct, set `size`, set what you want. All matrices are row major; leading dimensions and strides count
 * elements; 0 for a leading dimension means tight (k, n or, transposed, k; n for C). C may overlap no input.
 * m, n or k may be 0: without rows or columns nothing is done; with k = 0 the sum is 0 and C is written. Pointers to
 * matrices of no elements may be NULL. */
typedef struct tenure_i8_args {
    size_t size;            /* sizeof(tenure_i8_args) */
    int64_t m, n, k;        /* at least 0 */
    const void *a;          /* [m][k], u8 or s8 */
    int64_t lda;            /* at least k */
    const void *b;          /* [k][n], u8 or s8; not looked at if `packed` is set */
    int64_t ldb;            /* at least n (B_TRANSPOSED: k) */
    const void *packed;     /* B packed before, 64-byte aligned; its k, n and signedness must be those given here */
    void *c;                /* [m][n], int32_t, or 8 bits by c_type */
    int64_t ldc;            /* at least n */
    int a_signed, b_signed; /* 0: u8, 1: s8 */
    int c_type;             /* TENURE_I8_OUT_* */
    unsigned flags;         /* TENURE_I8_* */
    const void *a_zero;     /* one entry or, A_ZERO_PER_ROW, m; of A's type; NULL: 0 */
    const void *b_zero;     /* one entry or, B_ZERO_PER_COLUMN, n; of B's type; NULL: 0 */
    const int32_t *bias;    /* [n], in units of the accumulator; NULL: none */
    const float *scale;     /* 8-bit output only, needed there: a_scale * b_scale / y_scale, finite; one entry or,
                               SCALE_PER_COLUMN, n */
    int c_zero;             /* 8-bit output: in the range of c_type */
    int clamp_lo, clamp_hi; /* with CLAMP: in the range of c_type, lo at most hi */
    int64_t batch;          /* products; 0 means 1 */
    int64_t stride_a;       /* from one product's A to the next one's; 0: the same A for all */
    int64_t stride_b;       /* the same for B; with `packed`, ignored: one packed item serves all, or `batch` of them */
    int64_t stride_c;       /* results must not overlap */
    int64_t stride_a_zero;  /* 0: the same zero points for all products */
    int64_t stride_b_zero;
} tenure_i8_args;

#endif
