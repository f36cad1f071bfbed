/* SPDX-License-Identifier: MIT */
/* Packing B into panels with its column sums, and the block that holds them. Packing is O(K N) beside the product's
 * O(M K N): worth it from a few rows on, and a B that stays (weights) is packed once. Any thread; see pack.h. */
#include "pack.h"

#include <errno.h>

/* FNV-1a over the header up to `check`. */
static uint32_t header_check(const tn_i8_packed *h)
{
    const uint8_t *p = (const uint8_t *)h;
    uint32_t x = 2166136261u;
    for (size_t i = 0; i < offsetof(tn_i8_packed, check); i++)
        x = (x ^ p[i]) * 16777619u;
    return x;
}

int tn_i8_shape_of(unsigned layout, int64_t k, int64_t n, int64_t items, tn_i8_shape *s, size_t *bytes)
{
    const tn_i8_layout *l = &tn_i8_layouts[layout];
    const int64_t limit = PTRDIFF_MAX / 8; /* rounding up below can't wrap */
    if (k > limit || n > limit)
        return -EOVERFLOW;
    s->kr = l->kr;
    s->nr = l->nr;
    s->groups = ((size_t)k + l->kr - 1) / l->kr;
    s->panels = ((size_t)n + l->nr - 1) / l->nr;
    s->panel_bytes = (s->groups + l->pad - 1) / l->pad * l->pad * l->nr * l->kr;
    size_t all;
    if (__builtin_mul_overflow(s->panels, s->panel_bytes + l->nr * sizeof(int32_t), &s->item_bytes) ||
        __builtin_mul_overflow(s->item_bytes, (size_t)items, &all) || all > PTRDIFF_MAX - sizeof(tn_i8_packed))
        return -EOVERFLOW;
    if (bytes)
        *bytes = all + sizeof(tn_i8_packed);
    return 0;
}

void tn_i8_pack_header(tn_i8_packed *block, unsigned layout, int64_t k, int64_t n, int64_t items, bool is_signed)
{
    tn_i8_shape s;
    size_t bytes = 0;
    tn_i8_shape_of(layout, k, n, items, &s, &bytes);
    *block = (tn_i8_packed){.magic = TN_I8_PACK_MAGIC, .version = TN_I8_PACK_VERSION, .layout = layout, .k = k, .n = n,
                            .items = items, .bytes = bytes, .is_signed = is_signed};
    block->check = header_check(block);
}

int tn_i8_packed_check(const void *block, size_t bytes)
{
    const tn_i8_packed *h = block;
    if (!h || (uintptr_t)h % 64 || bytes < sizeof *h || h->magic != TN_I8_PACK_MAGIC)
        return -EINVAL;
    if (h->version != TN_I8_PACK_VERSION)
        return -ENOTSUP;
    if (h->check != header_check(h) || h->k < 0 || h->n < 0 || h->items < 1 || h->is_signed > 1 || h->reserved || h->bytes > bytes)
        return -EINVAL;
    if (h->layout < 1 || h->layout >= TN_I8_LAYOUTS)
        return -ENOTSUP;
    tn_i8_shape s;
    size_t want;
    return tn_i8_shape_of(h->layout, h->k, h->n, h->items, &s, &want) == 0 && want == h->bytes ? 0 : -EINVAL;
}

/* ---- One panel ------------------------------------------------------------------------------------------------- */

typedef uint8_t v16 __attribute__((vector_size(16), may_alias));
typedef uint16_t v8 __attribute__((vector_size(16), may_alias));

static inline v16 load16(const uint8_t *p, uint8_t flip)
{
    v16 v;
    memcpy(&v, p, sizeof v);
    return v ^ flip;
}

static inline v16 zip_lo(v16 x, v16 y)
{
    return __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

static inline v16 zip_hi(v16 x, v16 y)
{
    return __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

static inline v8 zip2_lo(v16 x, v16 y)
{
    return __builtin_shufflevector((v8)x, (v8)y, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline v8 zip2_hi(v16 x, v16 y)
{
    return __builtin_shufflevector((v8)x, (v8)y, 4, 12, 5, 13, 6, 14, 7, 15);
}

/* 16 columns of one group: kr rows, `ld` apart, interleaved by byte. `sum` gains the columns' values. */
static inline void pack_16(uint8_t *dst, const uint8_t *b, size_t ld, size_t kr, uint8_t flip, int32_t *sum)
{
    const v16 r0 = load16(b, flip), r1 = load16(b + ld, flip);
    for (int c = 0; c < 16; c++)
        sum[c] += (int8_t)r0[c] + (int8_t)r1[c];
    v16 *out = (v16 *)(void *)dst;
    const v16 lo01 = zip_lo(r0, r1), hi01 = zip_hi(r0, r1);
    if (kr == 2) {
        out[0] = lo01;
        out[1] = hi01;
        return;
    }
    const v16 r2 = load16(b + 2 * ld, flip), r3 = load16(b + 3 * ld, flip);
    for (int c = 0; c < 16; c++)
        sum[c] += (int8_t)r2[c] + (int8_t)r3[c];
    const v16 lo23 = zip_lo(r2, r3), hi23 = zip_hi(r2, r3);
    out[0] = (v16)zip2_lo(lo01, lo23);
    out[1] = (v16)zip2_hi(lo01, lo23);
    out[2] = (v16)zip2_lo(hi01, hi23);
    out[3] = (v16)zip2_hi(hi01, hi23);
}

/* `cols` columns from b on. Edges go through a staging group filled with `flip`, which packs to 0. */
static void pack_panel(uint8_t *dst, const uint8_t *b, size_t ld, size_t k, size_t cols, const tn_i8_shape *s,
                       uint8_t flip, int32_t *sum)
{
    uint8_t stage[4 * TN_I8_NR_MAX];
    for (size_t k0 = 0; k0 < k; k0 += s->kr, dst += s->nr * s->kr) {
        const uint8_t *from = b + k0 * ld;
        size_t step = ld;
        if (k - k0 < s->kr || cols < s->nr) {
            memset(stage, flip, sizeof stage);
            for (size_t t = 0; t < s->kr && k0 + t < k; t++)
                memcpy(stage + t * TN_I8_NR_MAX, from + t * ld, cols);
            from = stage;
            step = TN_I8_NR_MAX;
        }
        for (size_t c0 = 0; c0 < s->nr; c0 += 16)
            pack_16(dst + c0 * s->kr, from + c0, step, s->kr, flip, sum + c0);
    }
}

/* The same from B transposed: column c is the row b + c * ld. */
static void pack_panel_transposed(uint8_t *dst, const uint8_t *b, size_t ld, size_t k, size_t cols,
                                  const tn_i8_shape *s, uint8_t flip, int32_t *sum)
{
    for (size_t c = 0; c < s->nr; c++) {
        int32_t total = 0;
        for (size_t k0 = 0; k0 < k; k0 += s->kr) {
            uint8_t group[4] = {flip, flip, flip, flip};
            if (c < cols)
                memcpy(group, b + c * ld + k0, k - k0 < s->kr ? k - k0 : s->kr);
            for (size_t t = 0; t < s->kr; t++) {
                group[t] ^= flip;
                total += (int8_t)group[t];
            }
            memcpy(dst + (k0 / s->kr * s->nr + c) * s->kr, group, s->kr);
        }
        sum[c] = total;
    }
}

/* ---- The block ------------------------------------------------------------------------------------------------- */

void tn_i8_pack_part(const tn_i8_packed *head, void *block, const tn_i8_source *from, unsigned part,
                     unsigned parts)
{
    tn_i8_shape s;
    tn_i8_shape_of(head->layout, head->k, head->n, head->items, &s, NULL);
    const size_t all = s.panels * (size_t)head->items, k = (size_t)head->k;
    const uint8_t flip = from->is_signed ? 0 : 0x80;
    for (size_t i = all * part / parts, end = all * (part + 1) / parts; i < end; i++) {
        const size_t item = i / s.panels, panel = i % s.panels, col = panel * s.nr;
        const size_t cols = (size_t)head->n - col < s.nr ? (size_t)head->n - col : s.nr;
        int32_t *sum = (int32_t *)tn_i8_packed_sums(block, &s, item) + col;
        uint8_t *dst = (uint8_t *)tn_i8_packed_panel(block, &s, item, panel);
        const size_t filled = s.groups * s.nr * s.kr;
        memset(sum, 0, s.nr * sizeof *sum);
        memset(dst + filled, 0, s.panel_bytes - filled);
        if (k == 0)
            continue;
        const uint8_t *b = from->b + item * from->stride + (from->transposed ? col * from->ld : col);
        (from->transposed ? pack_panel_transposed : pack_panel)(dst, b, from->ld, k, cols, &s, flip, sum);
    }
}

/* One column of packed B, unpacked and packed again: any layout to any other by way of a column's bytes. */
static void repack_column(const tn_i8_packed *to, const tn_i8_shape *t, const tn_i8_packed *from, const tn_i8_shape *f,
                          size_t item, size_t col)
{
    const uint8_t *src = tn_i8_packed_panel(from, f, item, col / f->nr) + col % f->nr * f->kr;
    uint8_t *dst = (uint8_t *)tn_i8_packed_panel(to, t, item, col / t->nr) + col % t->nr * t->kr;
    for (size_t k = 0; k < (size_t)from->k; k++)
        dst[k / t->kr * t->nr * t->kr + k % t->kr] = src[k / f->kr * f->nr * f->kr + k % f->kr];
    ((int32_t *)tn_i8_packed_sums(to, t, item))[col] = tn_i8_packed_sums(from, f, item)[col];
}

void tn_i8_repack_part(tn_i8_packed *to, const tn_i8_packed *from, unsigned part, unsigned parts)
{
    tn_i8_shape t, f;
    tn_i8_shape_of(to->layout, to->k, to->n, to->items, &t, NULL);
    tn_i8_shape_of(from->layout, from->k, from->n, from->items, &f, NULL);
    const size_t all = t.panels * (size_t)to->items;
    for (size_t i = all * part / parts, end = all * (part + 1) / parts; i < end; i++) {
        const size_t item = i / t.panels, panel = i % t.panels;
        memset((int32_t *)tn_i8_packed_sums(to, &t, item) + panel * t.nr, 0, t.nr * sizeof(int32_t));
        memset((uint8_t *)tn_i8_packed_panel(to, &t, item, panel), 0, t.panel_bytes);
        for (size_t col = panel * t.nr; col < (panel + 1) * t.nr && col < (size_t)to->n; col++)
            repack_column(to, &t, from, &f, item, col);
    }
}
