/* SPDX-License-Identifier: MIT */
/* The walk over a part of a product: rows in blocks whose packed A stays in cache, panels of B passing by, K in blocks
 * that keep a panel's slice in L1. The only caller of kernels; edges are handled here and nowhere else. Any thread; all
 * state is in the caller's scratch. */
#include "i8gemm.h"

enum { SLICE = 16 << 10 }; /* bytes of a B panel that stay in L1 while A passes: half of a usual one.
                              AVX2 on Zen 3, M = 128: 0.88 of the peak, 0.83 with half as much */

/* One part at work. Pointers are to the current item of the batch. */
typedef struct walk {
    const tn_i8_plan *p;
    const uint8_t *a, *a_zero, *b_zero;
    uint8_t *c;
    const tn_i8_packed *block;
    size_t item;
    int a_shift;         /* what packing adds to A's values, and so to its zero points */
    uint8_t a_flip;      /* how: XORed to its bytes */
    tn_i8_tile tile;     /* what all tiles have in common */
    tn_i8_columns *col;  /* scratch, from here on */
    int32_t *row_sum, *row_zero, *acc;
    int32_t *row_add;    /* where B has one zero point: all that a row has beside its products. NULL: nothing */
    uint8_t *panels;
} walk;

static int32_t wrap_mul(int32_t x, int32_t y)
{
    return (int32_t)((uint32_t)x * (uint32_t)y);
}

/* Sum of k bytes, s8 or u8: even and odd bytes in 16-bit lanes, which hold 128 pairs of them. */
static uint32_t byte_sum(const uint8_t *p, size_t k, bool is_signed)
{
    typedef uint16_t words __attribute__((vector_size(16)));
    typedef uint32_t pairs __attribute__((vector_size(16)));
    pairs wide = {0};
    enum { STEP = sizeof(words), PAIRS = 128 };
    const uint8_t flip = is_signed ? 0x80 : 0; /* makes s8 read as u8, 128 more each */
    const uint16_t flips = (uint16_t)(flip << 8 | flip);
    uint32_t sum = is_signed ? (uint32_t)k * -128u : 0;
    while (k >= STEP) {
        words lanes = {0};
        const size_t bytes = k < PAIRS * STEP ? k / STEP * STEP : PAIRS * STEP;
        for (size_t i = 0; i < bytes; i += STEP) {
            words w;
            memcpy(&w, p + i, STEP);
            w ^= flips;
            lanes += (w & 0xff) + (w >> 8);
        }
        wide += ((pairs)lanes & 0xffff) + ((pairs)lanes >> 16);
        p += bytes;
        k -= bytes;
    }
    for (size_t i = 0; i < k; i++)
        sum += (uint8_t)(p[i] ^ flip);
    return sum + wide[0] + wide[1] + wide[2] + wide[3];
}

/* The zero point of row i in packed terms. */
static int32_t row_zero_point(const walk *w, size_t i)
{
    const tenure_i8_args *a = &w->p->args;
    if (!w->a_zero)
        return w->a_shift;
    const uint8_t z = w->a_zero[a->flags & TENURE_I8_A_ZERO_PER_ROW ? i : 0];
    return (a->a_signed ? (int8_t)z : z) + w->a_shift;
}

/* The same of column j. */
static int32_t col_zero_point(const walk *w, size_t j)
{
    const tenure_i8_args *a = &w->p->args;
    const uint8_t z = w->b_zero ? w->b_zero[a->flags & TENURE_I8_B_ZERO_PER_COLUMN ? j : 0] : 0;
    return a->b_signed ? (int8_t)z : z - 128;
}

/* Packs rows [r0, r0 + rows) and works out what each contributes beside the product of packed values:
 *   (A - za)(B - zb) = A B - za sum(B) - zb (sum(A) - K za), each sum over k, A and B in packed terms. */
static void pack_rows(walk *w, size_t r0, size_t rows)
{
    const tn_i8_plan *p = w->p;
    const tenure_i8_args *a = &p->args;
    const tn_i8_variant *v = p->v;
    const size_t k = (size_t)a->k, row_bytes = tn_i8_a_groups(p) * 4;
    for (size_t r = 0; k && r < rows; r += v->mr) {
        const size_t some = rows - r < v->mr ? rows - r : v->mr;
        v->pack_a(w->panels + r * row_bytes, w->a + (r0 + r) * (size_t)a->lda, (size_t)a->lda, some, k, p->b.groups,
                  w->a_flip, a->a_signed);
    }
    for (size_t r = 0; w->tile.row_sum && r < rows; r++)
        w->row_sum[r] = -row_zero_point(w, r0 + r);
    const int32_t common = w->row_add ? col_zero_point(w, 0) : 1;
    for (size_t r = 0; p->b_shifted && r < rows; r++) {
        /* sum(A) - K za in raw terms: the shift cancels. */
        const uint32_t zeros = (uint32_t)wrap_mul((int32_t)k, row_zero_point(w, r0 + r) - w->a_shift);
        const uint32_t sum = k ? byte_sum(w->a + (r0 + r) * (size_t)a->lda, k, a->a_signed) : 0;
        w->row_zero[r] = wrap_mul(common, (int32_t)(zeros - sum));
    }
}

/* What the tiles of a column panel share. Past the edge: zeros. */
static void stage_columns(walk *w, size_t col, size_t cols, const int32_t *sums)
{
    const tenure_i8_args *a = &w->p->args;
    tn_i8_columns *s = w->col;
    const size_t nr = w->p->b.nr;
    const bool per_row = a->flags & TENURE_I8_A_ZERO_PER_ROW;
    const int32_t za = per_row ? 0 : row_zero_point(w, 0);
    if (w->tile.row_sum)
        memcpy(s->sum, sums, nr * sizeof *sums);
    for (size_t j0 = 0; j0 < nr; j0 += 16) /* nr is 16 or 32; a constant length is vectorised at -O2 */
        for (size_t j = j0; j < j0 + 16; j++)
            s->init[j] = wrap_mul(-za, sums[j]);
    if (a->bias)
        for (size_t j = 0; j < cols; j++)
            s->init[j] = (int32_t)((uint32_t)s->init[j] + (uint32_t)a->bias[col + j]);
    for (size_t j = 0; w->tile.row_zero && j < nr; j++)
        s->zero[j] = j < cols ? col_zero_point(w, col + j) : 0;
    if (w->tile.narrow && (a->flags & TENURE_I8_SCALE_PER_COLUMN)) {
        memset(s->scale, 0, sizeof s->scale);
        memcpy(s->scale, a->scale + col, cols * sizeof *s->scale);
    } else if (w->tile.narrow) {
        for (size_t j = 0; j < TN_I8_NR_MAX; j++)
            s->scale[j] = a->scale[0];
    }
}

/* All rows of a block against one panel of B. Whole tiles that need nothing more are accumulated in C itself. */
static void run_panel(walk *w, size_t r0, size_t rows, size_t panel)
{
    const tn_i8_plan *p = w->p;
    const tn_i8_variant *v = p->v;
    const size_t nr = p->b.nr, col = panel * nr, ldc = (size_t)p->args.ldc;
    const size_t cols = (size_t)p->args.n - col < nr ? (size_t)p->args.n - col : nr;
    const size_t elem = w->tile.narrow ? 1 : sizeof(int32_t), row_bytes = tn_i8_a_groups(p) * 4;
    const uint8_t *b = tn_i8_packed_panel(w->block, &p->b, w->item, panel);
    uint8_t *c = w->c + (r0 * ldc + col) * elem;
    stage_columns(w, col, cols, tn_i8_packed_sums(w->block, &p->b, w->item) + col);

    size_t direct = 0; /* rows accumulated in C */
    if (!w->tile.narrow && !w->tile.row_sum && !w->tile.row_zero && cols == nr)
        direct = rows % v->row_unit == 0 ? rows : rows / v->mr * v->mr;
    const size_t step = rows <= v->mr ? p->b.groups : SLICE / (p->b.kr * nr);
    size_t g = 0;
    do { /* once at least: K = 0 has accumulators too */
        const size_t groups = p->b.groups - g < step ? p->b.groups - g : step;
        for (size_t r = 0; r < rows; r += v->mr) {
            const size_t some = rows - r < v->mr ? rows - r : v->mr;
            const size_t padded = (some + v->row_unit - 1) / v->row_unit * v->row_unit;
            int32_t *d = r < direct ? (int32_t *)(void *)(c + r * ldc * elem) : w->acc + r * nr;
            const size_t ldd = r < direct ? ldc : nr;
            v->kernel(d, ldd, g ? d : w->col->init, g ? ldd : 0, w->row_add && !g ? w->row_add + r : NULL,
                      w->panels + r * row_bytes + g * padded * 4, b + g * nr * p->b.kr, some, groups);
        }
        g += step;
    } while (g < p->b.groups);
    if (direct < rows) {
        tn_i8_tile t = w->tile;
        t.acc = w->acc + direct * nr;
        t.rows = rows - direct;
        t.cols = cols;
        t.row_sum = t.row_sum ? t.row_sum + direct : NULL;
        t.row_zero = t.row_zero ? t.row_zero + direct : NULL;
        t.c = c + direct * ldc * elem;
        v->finish(&t);
    }
}

/* Rows [r0, r1) against panels [p0, p1) of one product of the batch. */
static void run_item(walk *w, size_t r0, size_t r1, size_t p0, size_t p1)
{
    for (; r0 < r1; r0 += w->p->block_rows) {
        const size_t rows = r1 - r0 < w->p->block_rows ? r1 - r0 : w->p->block_rows;
        pack_rows(w, r0, rows);
        for (size_t panel = p0; panel < p1; panel++)
            run_panel(w, r0, rows, panel);
    }
}

static void point_at(walk *w, size_t item)
{
    const tenure_i8_args *a = &w->p->args;
    w->a = (const uint8_t *)a->a + item * (size_t)a->stride_a;
    w->a_zero = a->a_zero ? (const uint8_t *)a->a_zero + item * (size_t)a->stride_a_zero : NULL;
    w->b_zero = a->b_zero ? (const uint8_t *)a->b_zero + item * (size_t)a->stride_b_zero : NULL;
    w->c = (uint8_t *)a->c + item * (size_t)a->stride_c * (w->tile.narrow ? 1 : sizeof(int32_t));
    w->item = w->p->b_items ? item : 0;
}

static void set_bounds(tn_i8_tile *t, const tenure_i8_args *a)
{
    int lo = a->c_type == TENURE_I8_OUT_U8 ? 0 : -128, hi = lo + 255;
    if (a->flags & TENURE_I8_CLAMP) {
        lo = a->clamp_lo;
        hi = a->clamp_hi;
    }
    if ((a->flags & TENURE_I8_RELU) && lo < a->c_zero)
        lo = a->c_zero < hi ? a->c_zero : hi;
    t->c_zero = a->c_zero;
    t->lo = (float)(lo - a->c_zero);
    t->hi = (float)(hi - a->c_zero);
}

static void start_walk(walk *w, const tn_i8_plan *p, const void *block, void *scratch)
{
    const tenure_i8_args *a = &p->args;
    *w = (walk){.p = p, .block = a->packed ? a->packed : block};
    w->a_shift = p->v->a_form == TN_I8_A_U8 && a->a_signed ? 128 : p->v->a_form == TN_I8_A_S8 && !a->a_signed ? -128 : 0;
    w->a_flip = w->a_shift ? 0x80 : 0;
    char *at = scratch;
    const bool by_column = a->flags & TENURE_I8_B_ZERO_PER_COLUMN;
    const size_t terms = (p->block_rows * sizeof(int32_t) + 63) / 64 * 64;
    w->col = (tn_i8_columns *)(void *)at;
    at += (sizeof(tn_i8_columns) + 63) / 64 * 64;
    w->row_sum = (int32_t *)(void *)at;
    w->row_zero = (int32_t *)(void *)(at + terms);
    at += 2 * terms;
    w->acc = (int32_t *)(void *)at;
    w->panels = (uint8_t *)at + p->block_rows * p->b.nr * sizeof(int32_t);
    w->tile = (tn_i8_tile){.ld = p->b.nr, .ldc = (size_t)a->ldc, .col = w->col, .narrow = a->c_type != TENURE_I8_OUT_S32,
                           .row_sum = a->flags & TENURE_I8_A_ZERO_PER_ROW ? w->row_sum : NULL,
                           .row_zero = p->b_shifted && by_column ? w->row_zero : NULL};
    w->row_add = p->b_shifted && !by_column ? w->row_zero : NULL;
    if (w->tile.narrow)
        set_bounds(&w->tile, a);
}

/* Where part `i` of `parts` of m rows begins: on whole kernel tiles if there are plenty, else on the smallest unit. */
static size_t row_split(const tn_i8_plan *p, size_t i, size_t parts)
{
    const size_t m = (size_t)p->args.m, unit = m / parts >= 4u * p->v->mr ? p->v->mr : p->v->row_unit;
    const size_t at = (m + unit - 1) / unit * i / parts * unit;
    return at < m ? at : m;
}

void tn_i8_plan_run(const tn_i8_plan *p, const void *block, unsigned part, void *scratch)
{
    walk w;
    start_walk(&w, p, block, scratch);
    const size_t row_part = part % p->row_parts, col_part = part / p->row_parts;
    const size_t r0 = row_split(p, row_part, p->row_parts), r1 = row_split(p, row_part + 1, p->row_parts);
    const size_t each = p->b.panels, all = each * (size_t)p->args.batch;
    if (p->v->enter)
        p->v->enter();
    /* The column part is a range of the batch's panels, laid end to end. */
    for (size_t i = all * col_part / p->col_parts, end = all * (col_part + 1) / p->col_parts; i < end;) {
        const size_t item = i / each, first = i % each;
        const size_t last = end - item * each < each ? end - item * each : each;
        point_at(&w, item);
        run_item(&w, r0, r1, first, last);
        i += last - first;
    }
    if (p->v->leave)
        p->v->leave();
}
