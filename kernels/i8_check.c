/* SPDX-License-Identifier: MIT */
/* What arguments are legal, checked in one place before anything is read through them or written. Any thread; writes
 * only its output. Invariant: after 0, every offset that the kernels form fits in ptrdiff_t. */
#include "i8gemm.h"

#include <errno.h>

enum {
    ALL_FLAGS = TENURE_I8_A_ZERO_PER_ROW | TENURE_I8_B_ZERO_PER_COLUMN | TENURE_I8_SCALE_PER_COLUMN |
                TENURE_I8_B_TRANSPOSED | TENURE_I8_RELU | TENURE_I8_CLAMP
};

/* A strided batch of matrices in memory, from its first byte to past its last. */
typedef struct extent {
    const void *at;
    int64_t rows, cols, ld, batch, stride, elem;
    uintptr_t begin, end; /* equal: empty */
} extent;

static int measure(extent *e)
{
    e->begin = e->end = (uintptr_t)e->at;
    if (e->ld < e->cols || e->stride < 0)
        return -EINVAL;
    if (e->rows == 0 || e->cols == 0)
        return 0;
    int64_t rows, items, bytes;
    if (__builtin_mul_overflow(e->rows - 1, e->ld, &rows) || __builtin_mul_overflow(e->batch - 1, e->stride, &items) ||
        __builtin_add_overflow(rows, e->cols, &rows) || __builtin_add_overflow(rows, items, &items) ||
        __builtin_mul_overflow(items, e->elem, &bytes) || bytes > PTRDIFF_MAX)
        return -EOVERFLOW;
    if (!e->at)
        return -EINVAL;
    return __builtin_add_overflow(e->begin, (uintptr_t)bytes, &e->end) ? -EOVERFLOW : 0;
}

static bool overlap(const extent *x, const extent *y)
{
    return x->begin < y->end && y->begin < x->end;
}

static bool all_finite(const float *scale, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, scale + i, sizeof bits);
        if ((bits & 0x7f800000u) == 0x7f800000u)
            return false;
    }
    return true;
}

/* Scale, zero point and clamp against the type of C. */
static int check_output(const tenure_i8_args *a)
{
    if (a->c_type == TENURE_I8_OUT_S32)
        return a->scale || a->c_zero || (a->flags & (TENURE_I8_RELU | TENURE_I8_CLAMP | TENURE_I8_SCALE_PER_COLUMN))
                   ? -EINVAL
                   : 0;
    if (a->c_type != TENURE_I8_OUT_U8 && a->c_type != TENURE_I8_OUT_S8)
        return -EINVAL;
    const int lo = a->c_type == TENURE_I8_OUT_U8 ? 0 : -128, hi = lo + 255;
    if (a->c_zero < lo || a->c_zero > hi || !a->scale)
        return -EINVAL;
    if ((a->flags & TENURE_I8_CLAMP) && (a->clamp_lo < lo || a->clamp_hi > hi || a->clamp_lo > a->clamp_hi))
        return -EINVAL;
    return all_finite(a->scale, a->flags & TENURE_I8_SCALE_PER_COLUMN ? a->n : 1) ? 0 : -EINVAL;
}

static int check_packed(const tenure_i8_args *a)
{
    const tn_i8_packed *b = a->packed;
    if ((uintptr_t)b % 64 || b->magic != TN_I8_PACK_MAGIC || tn_i8_packed_check(b, b->bytes) != 0)
        return -EINVAL;
    if (b->k != a->k || b->n != a->n || (int)b->is_signed != a->b_signed || (b->items != 1 && b->items != a->batch))
        return -EINVAL;
    return 0;
}

/* A batch's results must not meet: items one after the other, or side by side within a leading dimension. */
static bool items_apart(const tenure_i8_args *a)
{
    int64_t item, width;
    if (a->batch == 1 || a->m == 0 || a->n == 0)
        return true;
    if (__builtin_mul_overflow(a->m - 1, a->ldc, &item) || __builtin_add_overflow(item, a->n, &item))
        return false;
    if (a->stride_c >= item)
        return true;
    return a->stride_c >= a->n && !__builtin_mul_overflow(a->batch - 1, a->stride_c, &width) &&
           !__builtin_add_overflow(width, a->n, &width) && width <= a->ldc;
}

static void fill_defaults(tenure_i8_args *a)
{
    if (!a->lda)
        a->lda = a->k;
    if (!a->ldb)
        a->ldb = a->flags & TENURE_I8_B_TRANSPOSED ? a->k : a->n;
    if (!a->ldc)
        a->ldc = a->n;
    if (!a->batch)
        a->batch = 1;
}

/* Every array that is read; none may meet C. */
static int check_memory(const tenure_i8_args *a)
{
    const bool t = a->flags & TENURE_I8_B_TRANSPOSED;
    const int64_t az = a->flags & TENURE_I8_A_ZERO_PER_ROW ? a->m : 1, bz = a->flags & TENURE_I8_B_ZERO_PER_COLUMN ? a->n : 1;
    const int64_t scales = a->flags & TENURE_I8_SCALE_PER_COLUMN ? a->n : 1;
    extent c = {.at = a->c, .rows = a->m, .cols = a->n, .ld = a->ldc, .batch = a->batch, .stride = a->stride_c,
                .elem = a->c_type == TENURE_I8_OUT_S32 ? 4 : 1};
    extent in[] = {
        {.at = a->a, .rows = a->m, .cols = a->k, .ld = a->lda, .batch = a->batch, .stride = a->stride_a, .elem = 1},
        {.at = a->b, .rows = t ? a->n : a->k, .cols = t ? a->k : a->n, .ld = a->ldb, .batch = a->batch,
         .stride = a->stride_b, .elem = 1},
        {.at = a->a_zero, .rows = 1, .cols = az, .ld = az, .batch = a->batch, .stride = a->stride_a_zero, .elem = 1},
        {.at = a->b_zero, .rows = 1, .cols = bz, .ld = bz, .batch = a->batch, .stride = a->stride_b_zero, .elem = 1},
        {.at = a->bias, .rows = 1, .cols = a->n, .ld = a->n, .batch = 1, .elem = 4},
        {.at = a->scale, .rows = 1, .cols = scales, .ld = scales, .batch = 1, .elem = 4},
    };
    if (a->packed)
        in[1] = (extent){.at = a->packed, .rows = 1, .cols = (int64_t)((const tn_i8_packed *)a->packed)->bytes,
                         .ld = INT64_MAX, .batch = 1, .elem = 1};
    int err = measure(&c);
    for (size_t i = 0; err == 0 && i < sizeof in / sizeof *in; i++) {
        if (i >= 2 && !in[i].at)
            continue; /* optional, absent */
        err = measure(&in[i]);
        if (err == 0 && overlap(&c, &in[i]))
            err = -EINVAL;
    }
    return err;
}

int tn_i8_check(const tenure_i8_args *args, tenure_i8_args *full)
{
    if (!args || args->size != sizeof *args)
        return -EINVAL;
    tenure_i8_args a = *args;
    if (a.m < 0 || a.n < 0 || a.k < 0 || a.batch < 0 || a.lda < 0 || a.ldb < 0 || a.ldc < 0)
        return -EINVAL;
    if ((a.a_signed | a.b_signed) & ~1 || a.flags & ~(unsigned)ALL_FLAGS)
        return -EINVAL;
    fill_defaults(&a);
    int err = check_output(&a);
    if (err == 0 && a.packed)
        err = check_packed(&a);
    if (err == 0)
        err = check_memory(&a);
    if (err == 0 && !items_apart(&a))
        err = -EINVAL;
    if (err == 0)
        *full = a;
    return err;
}
