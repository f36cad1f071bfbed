/* SPDX-License-Identifier: MIT */
/* What the int8 tests share: a product described by a few numbers, built at random between guard bytes, run by a variant
 * in a number of parts, and compared to the definition bit for bit. Each test process seeds its own generator. */
#ifndef I8_SUPPORT_H
#define I8_SUPPORT_H

#include "i8gemm.h"

#include <stdio.h>
#include <stdlib.h>

enum { GUARD = 192, GUARD_BYTE = 0xa5 };
enum i8_fill { FILL_RANDOM, FILL_EXTREME, FILL_LARGEST }; /* any; only the ends of the range; 255 (127) x 128 (-128) */

typedef struct i8_spec {
    int m, n, k, a_signed, b_signed, c_type;
    unsigned flags;
    int zeros;    /* 0: none given, 1: random, 2: ends of the range */
    int bias;
    int batch, broadcast; /* broadcast: bit 0 A, bit 1 B */
    int pad;      /* added to leading dimensions, and to addresses */
    unsigned width;
    int packed;   /* B through a handle */
    enum i8_fill fill;
} i8_spec;

static uint64_t i8_seed = 88172645463325252u;

static inline uint32_t i8_random(void)
{
    i8_seed ^= i8_seed << 13;
    i8_seed ^= i8_seed >> 7;
    i8_seed ^= i8_seed << 17;
    return (uint32_t)(i8_seed >> 16);
}

/* `make check` has a minute: without TN_TEST_LONG=1 one case of `one_in` is tried, a fixed but irregular choice. */
static inline int i8_left_out(unsigned one_in)
{
    static int is_long = -1;
    static uint32_t turn;
    if (is_long < 0) {
        const char *value = getenv("TN_TEST_LONG");
        is_long = value && *value == '1';
    }
    return !is_long && (++turn * 2654435761u >> 8) % one_in != 0;
}

static inline size_t i8_up(size_t x)
{
    return (x + 63) / 64 * 64;
}

static inline void *i8_memory(size_t bytes)
{
    void *p = aligned_alloc(64, i8_up(bytes) + 64);
    if (!p)
        abort();
    memset(p, GUARD_BYTE, i8_up(bytes) + 64);
    return p;
}

static inline uint8_t *i8_values(size_t n, int pad, enum i8_fill fill, int largest)
{
    uint8_t *p = (uint8_t *)i8_memory(n + (size_t)pad + 64) + pad;
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = i8_random();
        p[i] = fill == FILL_RANDOM ? (uint8_t)r : fill == FILL_LARGEST ? (uint8_t)largest : r & 1 ? 0x80 : r & 2 ? 0x7f : r & 4 ? 0xff : 0;
    }
    return p;
}

/* Runs all parts of a plan, last first: their order may not matter. Scratch and block end in guards, checked. */
static inline int i8_run(const tenure_i8_args *args, unsigned width, const tn_i8_variant *v)
{
    tn_i8_plan p;
    int err = tn_i8_plan_make(&p, args, width, 0, v);
    if (err)
        return err;
    uint8_t *block = i8_memory(p.pack_bytes + GUARD), *scratch = i8_memory(p.scratch_bytes + GUARD);
    for (unsigned i = width; p.pack_bytes && i-- > 0;)
        tn_i8_plan_pack(&p, block, i, width);
    for (unsigned i = p.parts; i-- > 0;) {
        memset(scratch, 0xff, p.scratch_bytes);
        tn_i8_plan_run(&p, block, i, scratch);
    }
    for (int i = 0; i < GUARD; i++)
        if (block[p.pack_bytes + (size_t)i] != GUARD_BYTE || scratch[p.scratch_bytes + (size_t)i] != GUARD_BYTE)
            err = -1000;
    free(block);
    free(scratch);
    return err;
}

/* Builds the product of `s`, computes it by `v` and by definition. NULL, or what went wrong. */
static inline const char *i8_try(const i8_spec *s, const tn_i8_variant *v)
{
    static char text[300];
    static float scale[4096];
    static int32_t bias[4096];
    const size_t batch = s->batch ? (size_t)s->batch : 1, pad = (size_t)s->pad;
    const bool t = s->flags & TENURE_I8_B_TRANSPOSED;
    const size_t lda = (size_t)s->k + pad, ldb = (size_t)(t ? s->k : s->n) + pad, ldc = (size_t)s->n + pad;
    const size_t one_a = (size_t)s->m * lda, one_b = (size_t)(t ? s->n : s->k) * ldb, one_c = (size_t)s->m * ldc;
    uint8_t *a = i8_values(batch * one_a, s->pad, s->fill, s->a_signed ? 0x7f : 0xff);
    uint8_t *b = i8_values(batch * one_b, s->pad, s->fill, 0x80);
    uint8_t *za = i8_values((size_t)s->m + 1, 0, s->zeros == 2 ? FILL_EXTREME : FILL_RANDOM, 0);
    uint8_t *zb = i8_values((size_t)s->n + 1, 0, s->zeros == 2 ? FILL_EXTREME : FILL_RANDOM, 0);
    const size_t elem = s->c_type == TENURE_I8_OUT_S32 ? 4 : 1, bytes = batch * one_c * elem;
    uint8_t *got = i8_memory(bytes + 2 * GUARD + 64), *want = i8_memory(bytes + 2 * GUARD + 64);
    const size_t at = GUARD + (elem == 1 ? pad : pad % 16 * 4);
    for (int j = 0; j < s->n && j < 4096; j++) {
        bias[j] = (int32_t)i8_random() >> (i8_random() & 31);
        scale[j] = (float)(i8_random() % 1000 + 1) / (float)(1u << (i8_random() % 24));
    }
    tenure_i8_args args = {.size = sizeof args, .m = s->m, .n = s->n, .k = s->k, .a = a, .lda = (int64_t)lda, .b = b,
                           .ldb = (int64_t)ldb, .c = got + at, .ldc = (int64_t)ldc, .a_signed = s->a_signed,
                           .b_signed = s->b_signed, .c_type = s->c_type, .flags = s->flags, .batch = s->batch,
                           .a_zero = s->zeros ? za : NULL, .b_zero = s->zeros ? zb : NULL,
                           .bias = s->bias ? bias : NULL, .scale = elem == 1 ? scale : NULL,
                           .stride_a = s->broadcast & 1 ? 0 : (int64_t)one_a,
                           .stride_b = s->broadcast & 2 ? 0 : (int64_t)one_b, .stride_c = (int64_t)one_c};
    if (elem == 1) {
        args.c_zero = s->c_type == TENURE_I8_OUT_U8 ? 113 : -17;
        args.clamp_lo = s->c_type == TENURE_I8_OUT_U8 ? 3 : -100;
        args.clamp_hi = args.clamp_lo + 190;
    }
    tenure_i8_args ref;
    int err = tn_i8_check(&args, &ref);
    ref.c = want + at;
    if (err == 0)
        tn_i8_ref(&ref);
    uint8_t *handle = NULL;
    if (err == 0 && s->packed) {
        tn_i8_plan p;
        err = tn_i8_plan_make(&p, &args, 1, 0, v);
        if (err == 0 && p.pack_bytes) {
            handle = i8_memory(p.pack_bytes);
            tn_i8_plan_pack(&p, handle, 0, 1);
            args.packed = handle;
            args.b = NULL;
        }
    }
    if (err == 0)
        err = i8_run(&args, s->width ? s->width : 1, v);
    const int same = memcmp(got, want, bytes + 2 * GUARD) == 0;
    snprintf(text, sizeof text,
             "%s: error %d, m %d n %d k %d a_signed %d b_signed %d c_type %d flags %u zeros %d bias %d batch %d broadcast "
             "%d pad %d width %u packed %d fill %d",
             v->name, err, s->m, s->n, s->k, s->a_signed, s->b_signed, s->c_type, s->flags, s->zeros, s->bias, s->batch,
             s->broadcast, s->pad, s->width, s->packed, (int)s->fill);
    free(a - s->pad);
    free(b - s->pad);
    free(za);
    free(zb);
    free(got);
    free(want);
    free(handle);
    return err == 0 && same ? NULL : text;
}

/* ---- The cases, for every variant, real or emulated ------------------------------------------------------------ */

#define I8_TRY(v, ...)                                                                                                 \
    do {                                                                                                               \
        const i8_spec spec_ = {__VA_ARGS__};                                                                           \
        const char *wrong_ = i8_try(&spec_, v);                                                                        \
        cr_assert(!wrong_, "%s", wrong_);                                                                              \
    } while (0)

/* Shapes on both sides of every edge of a tile, a panel and a group. */
static inline void i8_edges(const tn_i8_variant *v)
{
    static const int ms[] = {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 15, 16, 17, 31, 32, 33, 49, 65};
    static const int ns[] = {1, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65};
    static const int ks[] = {0, 1, 2, 3, 4, 5, 31, 63, 64, 65, 129};
    unsigned turn = 0;
    for (size_t i = 0; i < sizeof ms / sizeof *ms; i++)
        for (size_t j = 0; j < sizeof ns / sizeof *ns; j++)
            for (size_t l = 0; l < sizeof ks / sizeof *ks; l++, turn++) {
                if (i8_left_out(3))
                    continue;
                I8_TRY(v, .m = ms[i], .n = ns[j], .k = ks[l], .a_signed = turn & 1, .b_signed = turn >> 1 & 1,
                       .c_type = (int)(turn % 3), .zeros = (int)(turn / 2 % 3), .bias = (int)(turn / 5 % 2),
                       .pad = (int)(turn % 7), .width = 1 + turn % 5,
                       .flags = (turn % 11 < 5 ? TENURE_I8_A_ZERO_PER_ROW : 0u) |
                                (turn % 13 < 6 ? TENURE_I8_B_ZERO_PER_COLUMN : 0u) |
                                (turn % 4 == 3 ? TENURE_I8_B_TRANSPOSED : 0u) |
                                (turn % 3 ? turn % 8 * 4 & (TENURE_I8_SCALE_PER_COLUMN | TENURE_I8_RELU) : 0u) |
                                (turn % 3 && turn % 5 == 1 ? TENURE_I8_CLAMP : 0u));
            }
}

/* Every signedness, every kind of zero point, every fill; as 32 bits (direct and corrected) and as 8. */
static inline void i8_types(const tn_i8_variant *v)
{
    for (int i = 0; i < 4 * 4 * 3 * 3 * 3; i++) {
        const unsigned zero_flags = (unsigned)i / 4 % 4;
        if (i8_left_out(4))
            continue;
        I8_TRY(v, .m = 37, .n = 70, .k = 200, .a_signed = i & 1, .b_signed = i >> 1 & 1, .flags = zero_flags,
               .zeros = i / 16 % 3, .fill = (enum i8_fill)(i / 48 % 3), .c_type = i / 144, .bias = i % 5 == 0,
               .packed = i % 3 == 0, .width = 3);
    }
}

/* K past block after block, and past the point where 32 bits wrap. */
static inline void i8_deep(const tn_i8_variant *v, int deepest)
{
    static const int ks[] = {511, 513, 1023, 1025, 2050, 4099, 65793, 65794, 66000};
    for (size_t i = 0; i < sizeof ks / sizeof *ks && ks[i] <= deepest; i++)
        for (int pair = 0; pair < 4; pair++)
            for (int fill = 0; fill < 3; fill++) {
                const int wraps = ks[i] > 65793 && pair == 2 && fill == FILL_LARGEST;
                if (!wraps && i8_left_out(6))
                    continue;
                I8_TRY(v, .m = ks[i] > 5000 ? 3 + 4 * pair : 39, .n = ks[i] > 5000 ? 17 : 50, .k = ks[i],
                       .a_signed = pair & 1, .b_signed = pair >> 1, .fill = (enum i8_fill)fill, .zeros = fill,
                       .c_type = (pair + fill) % 3, .width = 2, .flags = fill & 1 ? TENURE_I8_A_ZERO_PER_ROW : 0u);
            }
}

/* Batches, broadcast, widths: the same bits whatever the cut. */
static inline void i8_splits(const tn_i8_variant *v)
{
    for (unsigned width = 1; width <= 17; width++)
        for (int batch = 1; batch <= 3; batch++)
            for (int broadcast = 0; broadcast < 4; broadcast++) {
                if (i8_left_out(3))
                    continue;
                I8_TRY(v, .m = 5 + 11 * (int)(width % 4), .n = 100, .k = 70, .batch = batch, .broadcast = broadcast,
                       .width = width, .packed = width & 1, .b_signed = batch & 1, .zeros = 1, .c_type = broadcast % 3);
            }
}

#endif
