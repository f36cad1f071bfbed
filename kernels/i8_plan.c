/* SPDX-License-Identifier: MIT */
/* How a product is cut: variant, blocks, and a grid of parts over rows and column panels, chosen by a small model of
 * what a part costs. Any thread, no state. Invariant: the grid covers every row and panel once; no part is empty. */
#include "i8gemm.h"

#include <errno.h>

enum {
    BLOCK_ROWS_MAX = 256, /* accumulators of a column panel stay within 32 KiB */
};
/* Costs that do not depend much on the variant, Zen 3, one thread; they decide close calls only. */
static const float pack_a_ns = 0.4f;  /* per byte of A; measured 0.15 to 0.2 as bytes, 0.7 to 0.8 widened */
static const float pack_b_ns = 0.25f; /* per byte of B; measured 0.2 to 0.45 */
static const float finish_ns = 0.15f; /* per element of C; an estimate */

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

static size_t least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* Time of the largest part of a row_parts x col_parts grid. */
static float part_ns(const tn_i8_plan *p, size_t row_parts, size_t col_parts)
{
    const tn_i8_variant *v = p->v;
    const size_t panels = p->b.panels * (size_t)p->args.batch;
    const size_t rows = round_up(((size_t)p->args.m + row_parts - 1) / row_parts, v->row_unit);
    const size_t cols = (panels + col_parts - 1) / col_parts * p->b.nr;
    const float k = (float)(p->b.groups * p->b.kr);
    const float work = (float)rows * (float)cols * k / v->macs_per_ns;
    const float reading = (float)cols * k / v->bytes_per_ns;
    const float items = (float)(panels / col_parts / (p->b.panels ? p->b.panels : 1) + 1);
    return (work > reading ? work : reading) + (float)rows * k * items * pack_a_ns + (float)(rows * cols) * finish_ns;
}

/* The best grid for `width` threads, or one part if `dispatch_ns` would not be earned back. Row parts are few where
 * each would read all of B again; the model sees that by itself. */
static void choose_grid(tn_i8_plan *p, unsigned width, double dispatch_ns)
{
    const size_t panels = p->b.panels * (size_t)p->args.batch;
    const size_t units = round_up((size_t)p->args.m, p->v->row_unit) / p->v->row_unit;
    const float packing = p->pack_bytes ? (float)p->pack_bytes * pack_b_ns : 0;
    const float serial = part_ns(p, 1, 1) + packing;
    float best = serial - (float)dispatch_ns - packing / (float)least(width, p->b.panels); /* packed by panels */
    p->parts = p->row_parts = p->col_parts = 1;
    if (dispatch_ns <= 0)
        best = __builtin_inff();
    else if (best <= 0 || width == 1)
        return;
    for (size_t rows = 1; rows <= least(width, units); rows++) {
        const size_t cols = least(width / rows, panels);
        const float ns = part_ns(p, rows, cols);
        /* Where the model sees no difference, more parts: it may be wrong, and nobody should stand idle. */
        const bool same = ns == best && rows * cols > (size_t)p->row_parts * p->col_parts;
        if (rows * cols > 1 && (ns < best || same)) {
            best = ns;
            p->row_parts = (unsigned)rows;
            p->col_parts = (unsigned)cols;
        }
    }
    p->parts = p->row_parts * p->col_parts;
}

/* Is any zero point of B other than 0 once u8 values have had 128 taken away? */
static bool b_shifted(const tenure_i8_args *a)
{
    const uint8_t zero = a->b_signed ? 0 : 0x80, *z = a->b_zero;
    if (!z)
        return !a->b_signed;
    const size_t n = a->flags & TENURE_I8_B_ZERO_PER_COLUMN ? (size_t)a->n : 1;
    for (size_t item = 0; item < (a->stride_b_zero ? (size_t)a->batch : 1); item++)
        for (size_t j = 0; j < n; j++)
            if (z[item * (size_t)a->stride_b_zero + j] != zero)
                return true;
    return false;
}

/* Rows of A to keep packed, and the memory that a part needs: columns' data, rows' terms, accumulators, A. */
static int size_scratch(tn_i8_plan *p)
{
    const tn_i8_variant *v = p->v;
    const size_t row_bytes = tn_i8_a_groups(p) * 4;
    const size_t fit = row_bytes ? v->a_block / row_bytes / v->mr * v->mr : BLOCK_ROWS_MAX;
    size_t rows = least(least(fit, BLOCK_ROWS_MAX / v->mr * v->mr), round_up((size_t)p->args.m, v->mr));
    if (rows < v->mr)
        rows = v->mr;
    p->block_rows = rows;
    size_t a;
    if (__builtin_mul_overflow(rows, row_bytes, &a) || a > PTRDIFF_MAX / 2)
        return -EOVERFLOW;
    p->scratch_bytes = round_up(sizeof(tn_i8_columns), 64) + 2 * round_up(rows * sizeof(int32_t), 64) +
                       rows * p->b.nr * sizeof(int32_t) + round_up(a, 64);
    return 0;
}

int tn_i8_plan_make(tn_i8_plan *out, const tenure_i8_args *args, unsigned width, double dispatch_ns,
                    const tn_i8_variant *v)
{
    tn_i8_plan p = {0};
    int err = tn_i8_check(args, &p.args);
    if (err == 0 && !v)
        err = tn_i8_variant_choose(&v);
    if (err)
        return err;
    const tenure_i8_args *a = &p.args;
    const tn_i8_packed *packed = a->packed;
    if (packed)
        v = tn_i8_variant_for(packed->layout, v);
    if (v->narrow && a->m <= v->narrow_rows)
        v = v->narrow;
    p.v = v;
    p.b_items = packed ? packed->items > 1 : a->stride_b != 0 && a->batch > 1;
    err = tn_i8_shape_of(v->layout, a->k, a->n, p.b_items ? a->batch : 1, &p.b, packed ? NULL : &p.pack_bytes);
    if (err == 0)
        err = size_scratch(&p);
    if (err)
        return err;
    p.b_shifted = b_shifted(a);
    if (a->m == 0 || a->n == 0)
        p.pack_bytes = 0;
    else
        choose_grid(&p, width ? width : 1, dispatch_ns);
    *out = p;
    return 0;
}

void tn_i8_plan_pack(const tn_i8_plan *p, void *block, unsigned part, unsigned parts)
{
    const tenure_i8_args *a = &p->args;
    tn_i8_packed header;
    tn_i8_pack_header(&header, p->v->layout, a->k, a->n, p->b_items ? a->batch : 1, a->b_signed);
    if (part == 0)
        memcpy(block, &header, sizeof header);
    const tn_i8_source from = {.b = a->b, .ld = (size_t)a->ldb, .stride = (size_t)a->stride_b,
                               .is_signed = a->b_signed, .transposed = a->flags & TENURE_I8_B_TRANSPOSED};
    tn_i8_pack_part(&header, block, &from, part, parts);
}

void tn_i8_thread_warm(void)
{
    const tn_i8_variant *v;
    if (tn_i8_variant_choose(&v) == 0 && v->enter) {
        v->enter();
        v->leave();
    }
}
