/* SPDX-License-Identifier: MIT */
/* int8 products over threads: whoever runs them and however they are cut, the bits are those of the definition. Packed
 * blocks through a file. Errors write nothing. On the convenience libraries; each test is a process of its own. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "i8_support.h"
#include "team.h"
#include "tenure.h"

/* --- Products, and what they should be --------------------------------------------------------------------------------- */

struct sample {
    int m, n, k, batch;
    unsigned flags;
    int c_type, a_signed, b_signed;
};

/* Small (serial), split over columns, over rows, over a batch; every output. Large enough to be worth a region. */
static const struct sample samples[] = {
    {5, 17, 33, 1, 0, TENURE_I8_OUT_S32, 0, 1},
    {1, 1600, 1200, 1, TENURE_I8_A_ZERO_PER_ROW, TENURE_I8_OUT_S32, 0, 0},
    {300, 64, 700, 1, TENURE_I8_B_ZERO_PER_COLUMN, TENURE_I8_OUT_S8, 1, 1},
    {96, 250, 501, 1, TENURE_I8_B_TRANSPOSED | TENURE_I8_RELU, TENURE_I8_OUT_U8, 1, 0},
    {40, 130, 300, 5, TENURE_I8_SCALE_PER_COLUMN, TENURE_I8_OUT_U8, 0, 1},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static struct problem {
    tenure_i8_args args;
    uint8_t *want;
    size_t bytes; /* of C */
} problem[SAMPLES];

static void build(struct problem *p, const struct sample *s)
{
    const size_t batch = (size_t)s->batch, m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    float *scale = malloc(n * sizeof *scale);
    int32_t *bias = malloc(n * sizeof *bias);
    for (size_t j = 0; j < n; j++) {
        scale[j] = (float)(i8_random() % 100 + 1) * 1e-5f;
        bias[j] = (int32_t)(i8_random() % 20000) - 10000;
    }
    p->bytes = batch * m * n * (s->c_type == TENURE_I8_OUT_S32 ? 4 : 1);
    p->want = i8_memory(p->bytes);
    p->args = (tenure_i8_args){
        .size = sizeof p->args, .m = s->m, .n = s->n, .k = s->k, .batch = s->batch, .flags = s->flags, .c_type = s->c_type,
        .a_signed = s->a_signed, .b_signed = s->b_signed, .a = i8_values(batch * m * k, 0, FILL_RANDOM, 0),
        .b = i8_values(batch * n * k, 0, FILL_RANDOM, 0), .a_zero = i8_values(m, 0, FILL_RANDOM, 0),
        .b_zero = i8_values(n, 0, FILL_RANDOM, 0), .bias = bias, .scale = s->c_type == TENURE_I8_OUT_S32 ? NULL : scale,
        .stride_a = (int64_t)(m * k), .stride_b = (int64_t)(n * k), .stride_c = (int64_t)(m * n), .c = p->want};
    tenure_i8_args full;
    cr_assert_eq(tn_i8_check(&p->args, &full), 0);
    tn_i8_ref(&full);
}

static void build_all(void)
{
    for (int i = 0; i < SAMPLES; i++)
        build(&problem[i], &samples[i]);
}

static void *pack(tenure_session s, const tenure_i8_args *args, size_t *bytes)
{
    cr_assert_eq(tenure_i8_pack_size(args, bytes), 0);
    uint8_t *block = i8_memory(*bytes + GUARD);
    cr_assert_eq(tenure_i8_pack(s, args, block, *bytes), 0);
    for (int i = 0; i < GUARD; i++)
        cr_assert_eq(block[*bytes + (size_t)i], GUARD_BYTE, "packed past the end");
    return block;
}

static void right(tenure_session s, const struct problem *p, const void *packed, const char *where)
{
    uint8_t *c = i8_memory(p->bytes + GUARD);
    tenure_i8_args args = p->args;
    args.c = c;
    args.packed = packed;
    if (packed)
        args.b = NULL;
    const int err = tenure_i8_matmul(s, &args);
    cr_assert_eq(err, 0, "%s: %d", where, err);
    cr_assert_eq(memcmp(c, p->want, p->bytes), 0, "%s: m %d n %d differs", where, (int)args.m, (int)args.n);
    for (int i = 0; i < GUARD; i++)
        cr_assert_eq(c[p->bytes + (size_t)i], GUARD_BYTE, "%s: wrote past C", where);
    free(c);
}

/* All samples, unpacked and packed, twice: kept memory serves the second round. */
static void all_right(tenure_session s, const char *where)
{
    for (int i = 0; i < 2 * SAMPLES; i++) {
        const struct problem *p = &problem[i % SAMPLES];
        size_t bytes;
        void *packed = pack(s, &p->args, &bytes);
        right(s, p, NULL, where);
        right(s, p, packed, where);
        free(packed);
    }
}

static tenure_session open_with(tenure_session_options o)
{
    tenure_session s = {0};
    o.size = sizeof o;
    cr_assert_eq(tenure_session_open(&s, &o), 0);
    return s;
}

static const tenure_session none;

/* --- Where they run ---------------------------------------------------------------------------------------------------- */

Test(gemm, plain_region, .init = build_all)
{
    all_right(none, "plain region");
}

Test(gemm, sessions_of_every_width, .init = build_all)
{
    for (unsigned width = 1; width <= 5; width++) {
        tenure_session s = open_with((tenure_session_options){.width = width});
        all_right(s, "session");
        cr_assert_eq(tenure_session_close(s), 0);
    }
}

/* A large product does use the team, a tiny one does not even make one. */
Test(gemm, threads_where_they_pay)
{
    struct problem tiny, big;
    build(&tiny, &(struct sample){2, 3, 8, 1, 0, TENURE_I8_OUT_S32, 0, 1});
    right(none, &tiny, NULL, "tiny");
    cr_expect_eq(tenure_spawned_workers(), 0);
    tenure_session s = open_with((tenure_session_options){.width = 3});
    tenure_session_figures f = {.size = sizeof f};
    tenure_session_info(s, &f);
    const uint64_t before = f.regions;
    build(&big, &(struct sample){512, 512, 512, 1, 0, TENURE_I8_OUT_S32, 0, 1});
    right(s, &big, NULL, "session of 3");
    tenure_session_info(s, &f);
    cr_expect_gt(f.regions, before);
    tenure_session_close(s);
}

static void inside(void *arg)
{
    const tenure_session *s = arg;
    all_right(none, "in a region, no session");
    if (tn_self()->cur->num == 0)
        all_right(*s, "in a region, its caller's session");
    else
        cr_assert_eq(tenure_i8_matmul(*s, &problem[0].args), -EPERM);
}

Test(gemm, inside_a_region_serial, .init = build_all)
{
    tenure_session s = open_with((tenure_session_options){.width = 3});
    const unsigned workers = tenure_spawned_workers();
    tn_region(inside, &s, 3, 0);
    cr_expect_eq(tenure_spawned_workers(), workers, "a region within started threads");
    tenure_session_close(s);
}

static void *caller(void *arg)
{
    tenure_session s = open_with((tenure_session_options){.width = 2});
    all_right(s, arg);
    all_right(none, arg);
    tenure_session_close(s);
    return NULL;
}

Test(gemm, several_callers, .init = build_all)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&t[i], NULL, caller, "one of three callers"), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}

Test(gemm, after_fork, .init = build_all)
{
    tenure_session s = open_with((tenure_session_options){.width = 3});
    all_right(s, "parent");
    const pid_t child = fork();
    if (child == 0) {
        uint8_t *c = i8_memory(problem[1].bytes);
        tenure_i8_args args = problem[1].args;
        args.c = c;
        int bad = tenure_i8_matmul(s, &args) != -ECHILD;
        bad |= tenure_i8_matmul(none, &args) != 0 || memcmp(c, problem[1].want, problem[1].bytes) != 0;
        tenure_session mine;
        tenure_session_options o = {.size = sizeof o, .width = 3};
        bad |= tenure_session_open(&mine, &o) != 0 || tenure_i8_matmul(mine, &args) != 0;
        bad |= memcmp(c, problem[1].want, problem[1].bytes) != 0;
        _exit(bad);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
    all_right(s, "parent, afterwards");
}

/* --- A lent pool ------------------------------------------------------------------------------------------------------- */

struct share {
    void (*fn)(void *, size_t);
    void *ctx;
    size_t count;
    _Atomic size_t next;
};

static void *help(void *arg)
{
    struct share *s = arg;
    for (size_t i; (i = s->next++) < s->count;)
        s->fn(s->ctx, i);
    return NULL;
}

/* Threads that come and go with each call. Between indices the caller makes products of its own: a pool may. */
static void pool_for(void *pool, size_t count, void (*fn)(void *, size_t), void *ctx)
{
    struct share s = {.fn = fn, .ctx = ctx, .count = count};
    pthread_t helper[3];
    for (int i = 0; i < 3; i++)
        cr_assert_eq(pthread_create(&helper[i], NULL, help, &s), 0);
    if (pool)
        right(none, &problem[3], NULL, "within a pool");
    help(&s);
    for (int i = 0; i < 3; i++)
        pthread_join(helper[i], NULL);
}

Test(gemm, host_pool, .init = build_all)
{
    for (int busy = 0; busy < 2; busy++) {
        tenure_host_pool pool = {.parallel_for = pool_for, .pool = busy ? problem : NULL, .width = 4};
        tenure_session s = open_with((tenure_session_options){.width = 2, .host_pool = &pool});
        all_right(s, "host pool");
        tenure_session_figures f = {.size = sizeof f};
        tenure_session_info(s, &f);
        cr_expect_eq(f.latched, 1);
        cr_expect_gt(f.pool_calls, 0);
        tenure_session_close(s);
    }
}

/* --- Packed blocks ----------------------------------------------------------------------------------------------------- */

/* Written to a file, mapped read-only, used from two processes. */
Test(gemm, packed_in_a_file, .init = build_all)
{
    const struct problem *p = &problem[4];
    size_t bytes;
    void *block = pack(none, &p->args, &bytes);
    FILE *file = tmpfile();
    cr_assert(file && fwrite(block, 1, bytes, file) == bytes && fflush(file) == 0);
    free(block);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fileno(file), 0);
    cr_assert_neq(map, MAP_FAILED);
    tenure_i8_packed_info info = {.size = sizeof info};
    cr_assert_eq(tenure_i8_packed_check(map, bytes, &info), 0);
    cr_expect(info.k == p->args.k && info.n == p->args.n && info.items == 5 && info.b_signed == 1 && info.native == 1);
    cr_expect_eq(info.bytes, bytes);
    right(none, p, map, "mapped");
    cr_expect_eq(tenure_i8_packed_check(map, bytes - 1, NULL), -EINVAL, "cut short");
    cr_expect_eq(tenure_i8_packed_check((char *)map + 64, bytes - 64, NULL), -EINVAL, "not the beginning");
    fclose(file);
}

/* A block of each layout there is serves as it is, and after repacking. */
Test(gemm, packed_elsewhere, .init = build_all)
{
    tenure_session s = open_with((tenure_session_options){.width = 3});
    for (unsigned layout = 1; layout < TN_I8_LAYOUTS; layout++)
        for (int i = 0; i < SAMPLES; i++) {
            const tenure_i8_args *a = &problem[i].args;
            tn_i8_shape shape;
            size_t bytes, again;
            cr_assert_eq(tn_i8_shape_of(layout, a->k, a->n, a->batch, &shape, &bytes), 0);
            tn_i8_packed *foreign = i8_memory(bytes);
            tn_i8_pack_header(foreign, layout, a->k, a->n, a->batch, a->b_signed);
            const bool t = a->flags & TENURE_I8_B_TRANSPOSED;
            const tn_i8_source from = {a->b, (size_t)(t ? a->k : a->n), (size_t)a->stride_b, a->b_signed, t};
            tn_i8_pack_part(foreign, foreign, &from, 0, 1);
            right(s, &problem[i], foreign, "layout of another variant");
            cr_assert_eq(tenure_i8_repack_size(foreign, bytes, &again), 0);
            void *native = i8_memory(again);
            cr_assert_eq(tenure_i8_repack(s, foreign, bytes, native, again), 0);
            tenure_i8_packed_info info = {.size = sizeof info};
            cr_assert_eq(tenure_i8_packed_check(native, again, &info), 0);
            cr_expect_eq(info.native, 1);
            right(s, &problem[i], native, "repacked");
            free(foreign);
            free(native);
        }
    tenure_session_close(s);
}

/* --- Errors ------------------------------------------------------------------------------------------------------------ */

static void refused(tenure_session s, tenure_i8_args args, int want, const char *why)
{
    uint8_t *c = args.c;
    const uint8_t *untouched = i8_memory(64);
    const int err = tenure_i8_matmul(s, &args);
    cr_expect_eq(err, want, "%s: %d", why, err);
    for (size_t at = 0; c && at < 64; at++)
        cr_assert_eq(c[at], untouched[at], "%s: wrote", why);
}

Test(gemm, errors_write_nothing, .init = build_all)
{
    tenure_i8_args ok = problem[0].args;
    ok.c = i8_memory(problem[0].bytes);
    tenure_session stale = open_with((tenure_session_options){.width = 2});
    tenure_session_close(stale);
    cr_expect_eq(tenure_i8_matmul(none, NULL), -EINVAL);
    refused(stale, ok, -EINVAL, "closed session");
#define REFUSED(err, ...)                                                                                              \
    do {                                                                                                               \
        tenure_i8_args bad = ok;                                                                                       \
        __VA_ARGS__;                                                                                                   \
        refused(none, bad, err, #__VA_ARGS__);                                                                         \
    } while (0)
    REFUSED(-EINVAL, bad.size = 8);
    REFUSED(-EINVAL, bad.m = -1);
    REFUSED(-EINVAL, bad.a = NULL);
    REFUSED(-EINVAL, bad.b = NULL);
    REFUSED(-EINVAL, bad.ldb = 3);
    REFUSED(-EINVAL, bad.packed = ok.b);
    REFUSED(-EINVAL, bad.a = ok.c);
    REFUSED(-EOVERFLOW, bad.m = INT64_MAX / 2);

    size_t bytes = 77;
    tenure_i8_args bad = ok;
    bad.k = -1;
    cr_expect_eq(tenure_i8_pack_size(&bad, &bytes), -EINVAL);
    bad.k = INT64_MAX;
    cr_expect_eq(tenure_i8_pack_size(&bad, &bytes), -EOVERFLOW);
    cr_expect_eq(bytes, 77);
    cr_expect_eq(tenure_i8_pack_size(&ok, NULL), -EINVAL);
    cr_assert_eq(tenure_i8_pack_size(&ok, &bytes), 0);
    uint8_t *block = i8_memory(bytes + 64);
    cr_expect_eq(tenure_i8_pack(none, &ok, block, bytes - 1), -EINVAL, "too small");
    cr_expect_eq(tenure_i8_pack(none, &ok, block + 4, bytes), -EINVAL, "misaligned");
    cr_expect_eq(tenure_i8_pack(none, &ok, NULL, bytes), -EINVAL);
    cr_expect_eq(tenure_i8_pack(stale, &ok, block, bytes), -EINVAL);
    bad = ok;
    bad.b = block + bytes - 8;
    cr_expect_eq(tenure_i8_pack(none, &bad, block, bytes), -EINVAL, "over B");
    bad.b = NULL;
    cr_expect_eq(tenure_i8_pack(none, &bad, block, bytes), -EINVAL);
    cr_expect_eq(tenure_i8_repack(none, block, bytes, block, bytes), -EINVAL, "not packed");
    for (size_t i = 0; i < bytes; i++)
        cr_assert_eq(block[i], GUARD_BYTE);
    cr_assert_eq(tenure_i8_pack(none, &ok, block, bytes), 0);
    cr_expect_eq(tenure_i8_repack(none, block, bytes, block, bytes), -EINVAL, "onto itself");
}

/* --- The example of tenure.h ------------------------------------------------------------------------------------------- */

Test(gemm, example, .init = build_all)
{
    enum { rows = 3, out = 40, in = 50 };
    uint8_t *x = i8_values(rows * in, 0, FILL_RANDOM, 0), x_zero = 113, y[rows * out];
    int8_t *weights = (int8_t *)i8_values(in * out, 0, FILL_RANDOM, 0);
    const float scale = 0.01f;
    tenure_session s = open_with((tenure_session_options){.width = 2});

    tenure_i8_args g = {.size = sizeof g, .m = rows, .n = out, .k = in, .a_signed = 0, .b_signed = 1, .b = weights};
    size_t bytes;
    if (tenure_i8_pack_size(&g, &bytes) == 0) {
        void *packed = aligned_alloc(64, (bytes + 63) / 64 * 64);
        tenure_i8_pack(s, &g, packed, bytes);
        g.packed = packed, g.a = x, g.a_zero = &x_zero;
        g.c = y, g.c_type = TENURE_I8_OUT_U8, g.scale = &scale;
        tenure_i8_matmul(s, &g);
        free(packed);
    }
    for (int i = 0; i < rows * out; i++) {
        int32_t sum = 0;
        for (int k = 0; k < in; k++)
            sum += (x[i / out * in + k] - x_zero) * weights[k * out + i % out];
        const float f = __builtin_rintf((float)sum * scale);
        cr_assert_eq(y[i], f < 0 ? 0 : f > 255 ? 255 : (uint8_t)f);
    }
    cr_expect_not_null(tenure_i8_variant());
}
