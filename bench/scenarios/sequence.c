/* SPDX-License-Identifier: MIT */
/*
 * A transformer-like block at decode (one row) and at prefill (32 rows): four int8 products (d to 3d, d to d, d to 4d, 4d to
 * d), two elementwise regions (at prefill three), one sgemv or sgemm by OpenBLAS (256 keys), one reduction. The regions are
 * plain OpenMP, the same in every arm; with BENCH_INT8=1 the products are Tenure's int8 kernels, in the session.
 * Invariant: a block's result depends on its first input alone, and is compared, bit for bit, with the first block's.
 */
#include "../bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 256, PREFILL = 32, ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

typedef void sgemv_fn(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void sgemm_fn(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
static sgemv_fn *sgemv;
static sgemm_fn *sgemm;
static int width;

struct layer {
    int64_t n, k;
    int8_t *w;    /* [n][k] */
    void *packed; /* for Tenure's kernels, or NULL */
    int32_t *y;   /* [m][n] */
};

struct block {
    int m, d; /* rows, model width */
    struct layer qkv, out, up, down;
    uint8_t *x, *wide; /* [m][d], [m][4d]: what the next product reads */
    float *hidden, *scores, *keys; /* [m][d], [m][KEYS], [KEYS][d] */
    float norm;
};

#if defined __x86_64__
__attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
__attribute__((optimize("O3")))
#endif
static int32_t dot(const int8_t *w, const uint8_t *x, int64_t k)
{
    int32_t sum = 0;
    for (int64_t i = 0; i < k; i++)
        sum += w[i] * x[i];
    return sum;
}

static void multiply(struct layer *l, const uint8_t *x, int64_t m)
{
    if (l->packed) {
        bench_int8_gemm(l->packed, x, l->y, m, l->n, l->k);
        return;
    }
#pragma omp parallel for num_threads(width) schedule(static)
    for (int64_t j = 0; j < l->n; j++)
        for (int64_t i = 0; i < m; i++)
            l->y[i * l->n + j] = dot(l->w + j * l->k, x + i * l->k, l->k);
}

static uint8_t to_u8(float v)
{
    v = v / 64 + 128;
    return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v;
}

/* The reduction. */
static float norm_of(const int32_t *y, int n)
{
    int64_t sum = 0;
#pragma omp parallel for num_threads(width) schedule(static) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += (int64_t)y[i] * y[i] / n;
    return sqrtf((float)sum) + 1;
}

static float query(const struct block *b, int i) { return (float)b->qkv.y[i / b->d * 3 * b->d + i % b->d] / 4096; }

static void score(struct block *b)
{
    int d = b->d;
    if (b->m == 1) {
        for (int i = 0; i < d; i++) /* too short for a region */
            b->hidden[i] = query(b, i);
        sgemv(ROW_MAJOR, PLAIN, KEYS, d, 1, b->keys, d, b->hidden, 1, 0, b->scores, 1);
        return;
    }
#pragma omp parallel for num_threads(width) schedule(static)
    for (int i = 0; i < b->m * d; i++)
        b->hidden[i] = query(b, i);
    sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, b->m, KEYS, d, 1, b->hidden, d, b->keys, d, 0, b->scores, KEYS);
}

static void run_block(struct block *b)
{
    int values = b->m * b->d;
    multiply(&b->qkv, b->x, b->m);
    score(b);
    multiply(&b->out, b->x, b->m);
    b->norm = norm_of(b->out.y, values);
#pragma omp parallel for num_threads(width) schedule(static)
    for (int i = 0; i < values; i++)
        b->x[i] = to_u8((float)b->out.y[i] / b->norm * 2000 + b->hidden[i]);
    multiply(&b->up, b->x, b->m);
#pragma omp parallel for num_threads(width) schedule(static)
    for (int i = 0; i < 4 * values; i++) {
        float v = (float)b->up.y[i] / 64;
        b->wide[i] = to_u8(v / (1 + fabsf(v) / 4000));
    }
    multiply(&b->down, b->wide, b->m);
}

static void *room(size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
    if (!p)
        bench_fail("no memory");
    return memset(p, 0, bytes);
}

static void make_layer(struct layer *l, int64_t m, int64_t n, int64_t k)
{
    l->n = n;
    l->k = k;
    l->w = room((size_t)(n * k));
    l->y = room((size_t)(m * n) * sizeof *l->y);
    for (int64_t i = 0; i < n * k; i++)
        l->w[i] = (int8_t)((i * 7919 + i / k) % 255 - 127);
    l->packed = bench_int8_pack(l->w, n, k);
}

static void first_input(struct block *b)
{
    for (int i = 0; i < b->m * b->d; i++)
        b->x[i] = (uint8_t)(i * 31);
}

/* After the last product everything has gone into it but the scores, which are OpenBLAS's own. */
static uint64_t digest(const struct block *b)
{
    uint64_t sum = 0;
    for (int i = 0; i < b->m * b->d; i++)
        sum = sum * 31 + (uint32_t)b->down.y[i];
    for (int i = 0; i < b->m * KEYS; i++)
        if (!isfinite(b->scores[i]))
            bench_fail("a score is not finite");
    return sum;
}

static void model(const char *name, int m, int d)
{
    struct block b = {.m = m, .d = d};
    size_t values = (size_t)m * (size_t)d;
    if (!bench_want(name))
        return;
    make_layer(&b.qkv, m, 3 * d, d);
    make_layer(&b.out, m, d, d);
    make_layer(&b.up, m, 4 * d, d);
    make_layer(&b.down, m, d, 4 * d);
    b.x = room(values);
    b.wide = room(4 * values);
    b.hidden = room(values * sizeof *b.hidden);
    b.scores = room((size_t)m * KEYS * sizeof *b.scores);
    b.keys = room(KEYS * (size_t)d * sizeof *b.keys);
    for (int i = 0; i < KEYS * d; i++)
        b.keys[i] = (float)(i % 101) / 101 - 0.5f;
    first_input(&b);
    run_block(&b);
    uint64_t first = digest(&b);
    bench_phase("%s", name);
    bench_limits(bench_quick() ? 60 : 400, 5, 20000);
    while (bench_more()) {
        first_input(&b);
        uint64_t t = bench_now();
        run_block(&b);
        bench_add(bench_elapsed(t));
        if (digest(&b) != first)
            bench_fail("%s: another result than the first time", name);
    }
    bench_done(1);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "a transformer-like block at decode and prefill: int8 products, elementwise, sgemv or sgemm, reduction");
    const char *path = getenv("OPENBLAS");
    void *library = dlopen(path ? path : "libopenblas.so.0", RTLD_NOW);
    if (!library)
        bench_fail("%s", dlerror());
    *(void **)&sgemv = dlsym(library, "cblas_sgemv");
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    width = bench_width();
    bench_check_width(width);
    bench_session_open(width);
    model("block-256", 1, 256);
    model("block-512", 1, 512);
    model("block-2048", 1, 2048);
    model("prefill-256", PREFILL, 256);
    model("prefill-512", PREFILL, 512);
    bench_session_close();
    return 0;
}
