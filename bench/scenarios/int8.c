/* SPDX-License-Identifier: MIT */
/*
 * Exact int8 products beside their peers, K = N = 2048 unless said, B packed beforehand: Tenure (under an arm that has it;
 * in a session of the width), oneDNN (matmul primitive with weights of its own choosing, and its gemm), ONNX Runtime
 * (bench/get-int8-peers), OpenBLAS sgemm on floats. One contender after the other, many times, in one process.
 * Each is compared with the definition first; who deviates is named in an info line, and Tenure may not.
 *
 * Rows: tTHREADS/mM/PAIR/hot|rot/CONTENDER per product (rot: 12 different B in turn), …/floor, and two ratios:
 * …/x-floor and …/x-best-peer (unit x; the best peer for the same types, exact or not).
 */
#include "../bench.h"
#include "../int8floor.h"
#include "../ortshim.h"

#include <glob.h>
#include <math.h>

#include "tenure.h"
#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#endif

enum { ROTATE = 12, ROUNDS_MAX = 64, CHECK_ROWS = 2, ZERO_A = 113 };

static struct problem {
    int m, n, k, a_signed, b_signed, narrow, blocks, threads;
    void *a, *b[ROTATE], *c;
    float *fa, *fb[ROTATE], *fc;
    float scale;
} p;

static struct contender {
    const char *name;
    void (*run)(int block);
    int per_call;       /* products of a call of run */
    bool is_peer, out;
    double ns[ROUNDS_MAX];
    int count;
} contender[8];
static int contenders;

static void *room(size_t bytes)
{
    void *at = aligned_alloc(4096, (bytes + 8191) & ~(size_t)4095);
    if (!at)
        bench_fail("no memory");
    return memset(at, 0, bytes);
}

static int value_of(const void *x, size_t i, int is_signed)
{
    return is_signed ? ((const int8_t *)x)[i] : ((const uint8_t *)x)[i];
}

/* --- Tenure --------------------------------------------------------------------------------------------------------- */

static struct {
    __typeof__(tenure_session_open) *open;
    __typeof__(tenure_session_close) *close;
    __typeof__(tenure_i8_matmul) *matmul;
    __typeof__(tenure_i8_pack_size) *pack_size;
    __typeof__(tenure_i8_pack) *pack;
    __typeof__(tenure_i8_variant) *variant;
    tenure_session session;
    tenure_i8_args args;
    void *packed[ROTATE];
} ours;

static bool ours_found(void)
{
    *(void **)&ours.open = dlsym(RTLD_DEFAULT, "tenure_session_open");
    *(void **)&ours.close = dlsym(RTLD_DEFAULT, "tenure_session_close");
    *(void **)&ours.matmul = dlsym(RTLD_DEFAULT, "tenure_i8_matmul");
    *(void **)&ours.pack_size = dlsym(RTLD_DEFAULT, "tenure_i8_pack_size");
    *(void **)&ours.pack = dlsym(RTLD_DEFAULT, "tenure_i8_pack");
    *(void **)&ours.variant = dlsym(RTLD_DEFAULT, "tenure_i8_variant");
    return ours.matmul && ours.open;
}

static void run_ours(int block)
{
    ours.args.packed = ours.packed[block];
    if (ours.matmul(ours.session, &ours.args) != 0)
        bench_fail("tenure_i8_matmul");
}

static bool make_ours(void)
{
    static uint8_t zero = ZERO_A;
    size_t bytes;
    tenure_session_options o = {.size = sizeof o, .width = (unsigned)p.threads};
    if (!ours.matmul)
        return false;
    if (ours.open(&ours.session, &o) != 0)
        bench_fail("tenure_session_open");
    ours.args = (tenure_i8_args){.size = sizeof ours.args, .m = p.m, .n = p.n, .k = p.k, .a = p.a, .c = p.c, .a_zero = &zero,
                                 .a_signed = p.a_signed, .b_signed = p.b_signed,
                                 .c_type = p.narrow ? TENURE_I8_OUT_U8 : TENURE_I8_OUT_S32,
                                 .scale = p.narrow ? &p.scale : NULL};
    for (int i = 0; i < p.blocks; i++) {
        ours.args.b = p.b[i];
        if (ours.pack_size(&ours.args, &bytes) != 0)
            bench_fail("tenure_i8_pack_size");
        ours.packed[i] = room(bytes);
        if (ours.pack(ours.session, &ours.args, ours.packed[i], bytes) != 0)
            bench_fail("tenure_i8_pack");
    }
    return true;
}

static void drop_ours(void)
{
    for (int i = 0; i < p.blocks && ours.matmul; i++)
        free(ours.packed[i]);
    if (ours.matmul)
        ours.close(ours.session);
}

#include "../int8dnnl.h"

/* --- ONNX Runtime: one session of as many nodes as there are B ------------------------------------------------------- */

static struct {
    void *session, *a, *c, *spare;
    const char *version;
} onnx;

static void open_ort(void)
{
#if defined __x86_64__
    const char *machine = "x64";
#else
    const char *machine = "arm64";
#endif
    const char *peers = getenv("PEERS");
    char pattern[512];
    glob_t g;
    snprintf(pattern, sizeof pattern, "%s/int8/node_modules/onnxruntime-node/bin/*/linux/%s/libonnxruntime.so.1",
             peers ? peers : "/var/tmp/tenure-peers", machine);
    for (size_t i = 0; glob(pattern, 0, NULL, &g) == 0 && i < g.gl_pathc && !onnx.version; i++)
        onnx.version = ort_open(g.gl_pathv[i]);
    printf("info onnxruntime=%s\n", onnx.version ? onnx.version : "missing (bench/get-int8-peers)");
}

static void run_ort(int block)
{
    (void)block;
    ort_run(onnx.session, onnx.a, onnx.c, onnx.spare, p.blocks);
}

static bool make_ort(void)
{
    if (!onnx.version)
        return false;
    const ort_kind kind = {p.narrow, p.a_signed, p.b_signed, p.scale, 0};
    const size_t bytes = (size_t)p.m * (size_t)p.n * (p.narrow ? 1 : 4);
    const int type = p.narrow ? p.a_signed ? DT_S8 : DT_U8 : DT_S32;
    pbuf model = onnx_model(p.m, p.n, p.k, kind, (const void *const *)p.b, p.blocks, ZERO_A, 0);
    onnx.session = ort_session(&model, p.threads);
    free(model.p);
    onnx.a = ort_tensor(p.a, (size_t)p.m * (size_t)p.k, p.m, p.k, p.a_signed ? DT_S8 : DT_U8);
    onnx.c = ort_tensor(p.c, bytes, p.m, p.n, type);
    onnx.spare = ort_tensor(room(bytes), bytes, p.m, p.n, type);
    return true;
}

/* --- OpenBLAS --------------------------------------------------------------------------------------------------------- */

static void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);

static bool make_sgemm(void)
{
    const char *path = getenv("OPENBLAS");
    void *library = dlopen(path ? path : "libopenblas.so.0", RTLD_NOW);
    *(void **)&sgemm = library ? dlsym(library, "cblas_sgemm") : NULL;
    return sgemm != NULL;
}

static void run_sgemm(int block)
{
    enum { ROW_MAJOR = 101, PLAIN = 111 };
    sgemm(ROW_MAJOR, PLAIN, PLAIN, p.m, p.n, p.k, 1, p.fa, p.k, p.fb[block], p.n, 0, p.fc, p.n);
}

/* --- Exactness ---------------------------------------------------------------------------------------------------------- */

/* The first rows against the definition; returns how many elements differ. */
static int deviations(void)
{
    int bad = 0;
    int32_t *sum = room((size_t)p.n * sizeof *sum);
    for (int i = 0; i < p.m && i < CHECK_ROWS; i++) {
        memset(sum, 0, (size_t)p.n * sizeof *sum);
        for (int l = 0; l < p.k; l++) {
            const int a = value_of(p.a, (size_t)i * (size_t)p.k + (size_t)l, p.a_signed) - ZERO_A;
            for (int j = 0; j < p.n; j++)
                sum[j] += a * value_of(p.b[0], (size_t)l * (size_t)p.n + (size_t)j, p.b_signed);
        }
        for (int j = 0; j < p.n; j++) {
            const size_t at = (size_t)i * (size_t)p.n + (size_t)j;
            const float f = rintf((float)sum[j] * p.scale);
            const int narrow = f < 0 ? 0 : f > 255 ? 255 : (int)f;
            bad += p.narrow ? ((uint8_t *)p.c)[at] != narrow : ((int32_t *)p.c)[at] != sum[j];
        }
    }
    free(sum);
    return bad;
}

/* Enters a contender after one call. Who takes longer than 60 ms for it is told and left out of the rounds. */
static void enter(const char *name, void (*run)(int), int per_call, bool is_peer)
{
    memset(p.c, 0x55, (size_t)p.m * (size_t)p.n * 4);
    run(0);
    const int bad = run == run_sgemm ? 0 : deviations();
    if (bad)
        printf("info int8_inexact=%s:m%d:%s%s (%d elements)\n", name, p.m, p.a_signed ? "s8" : "u8",
               p.b_signed ? "s8" : "u8", bad);
    if (bad && !is_peer)
        bench_fail("%s is wrong in %d elements", name, bad);
    uint64_t t = bench_now();
    run(0);
    const double ns = (double)(bench_now() - t) / per_call;
    if (ns > 6e7) {
        printf("info int8_slow=%s:m%d (%.0f ms, left out)\n", name, p.m, ns / 1e6);
        return;
    }
    contender[contenders++] = (struct contender){.name = name, .run = run, .per_call = per_call, .is_peer = is_peer};
}

/* --- Rounds ------------------------------------------------------------------------------------------------------------- */

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* A pause lets the other contenders' threads go to sleep; then warm-up, then calls for a few milliseconds. */
static void burst(struct contender *c)
{
    double ns[512];
    int n = 0, block = 0;
    bench_sleep(4e6);
    for (uint64_t t = bench_now(); n < 2 || bench_now() - t < 2000000; n++)
        c->run(block = (block + 1) % p.blocks);
    n = 0;
    for (uint64_t begun = bench_now(); n < 512 && (n < 2 || bench_now() - begun < 5000000); n++) {
        uint64_t t = bench_now();
        c->run(block = (block + 1) % p.blocks);
        ns[n] = bench_elapsed(t) / c->per_call;
    }
    qsort(ns, (size_t)n, sizeof *ns, by_value);
    bench_add_to(c->name, ns[n / 2], "ns");
    if (bench_measuring() && c->count < ROUNDS_MAX)
        c->ns[c->count++] = ns[n / 2];
}

static double middle(struct contender *c)
{
    qsort(c->ns, (size_t)c->count, sizeof *c->ns, by_value);
    return c->ns[c->count / 2];
}

static void compare(const char *name)
{
    double best = INFINITY, mine = 0;
    char row[96];
    for (int i = 0; i < contenders; i++) {
        const double ns = middle(&contender[i]);
        if (contender[i].is_peer)
            best = ns < best ? ns : best;
        else
            mine = ns;
    }
    const double peak = int8_peak_measure(ours.variant ? ours.variant() : "avx2", p.threads);
    const double reading = int8_read_ns(p.b, p.blocks, (size_t)p.n * (size_t)p.k, p.threads);
    const double work = peak > 0 ? (double)p.m * p.n * p.k / peak : 0;
    const double floor = work > reading ? work : reading;
    snprintf(row, sizeof row, "%s/floor", name);
    bench_value(row, floor, "ns");
    if (mine > 0 && peak > 0) {
        snprintf(row, sizeof row, "%s/x-floor", name);
        bench_value(row, mine / floor, "x");
    }
    if (mine > 0 && best < INFINITY) {
        snprintf(row, sizeof row, "%s/x-best-peer", name);
        bench_value(row, mine / best, "x");
    }
}

static void fill(void)
{
    const size_t na = (size_t)p.m * (size_t)p.k, nb = (size_t)p.n * (size_t)p.k, nc = (size_t)p.m * (size_t)p.n;
    uint32_t seed = 12345;
    p.scale = 1.0f / (74.0f * 74.0f * sqrtf((float)p.k) / 40);
    p.a = room(na), p.fa = room(na * 4), p.c = room(nc * 4), p.fc = room(nc * 4);
    for (size_t i = 0; i < na; i++) {
        ((uint8_t *)p.a)[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
        p.fa[i] = (float)(value_of(p.a, i, p.a_signed) - ZERO_A);
    }
    for (int b = 0; b < p.blocks; b++) {
        p.b[b] = room(nb), p.fb[b] = room(nb * 4);
        for (size_t i = 0; i < nb; i++) {
            ((uint8_t *)p.b[b])[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
            p.fb[b][i] = (float)value_of(p.b[b], i, p.b_signed);
        }
    }
}

static void empty(void)
{
    free(p.a), free(p.fa), free(p.c), free(p.fc);
    for (int b = 0; b < p.blocks; b++)
        free(p.b[b]), free(p.fb[b]);
}

static void product(int threads, int m, int size, const char *pair, bool narrow, int blocks)
{
    char name[64], label[16];
    snprintf(label, sizeof label, "-%d", size);
    snprintf(name, sizeof name, "t%d/m%d%s/%s%s/%s", threads, m, size == 2048 ? "" : label, pair,
             narrow ? "-u8" : "", blocks > 1 ? "rot" : "hot");
    if (!bench_want(name))
        return;
    p = (struct problem){.m = m, .n = size, .k = size, .a_signed = pair[0] == 's', .b_signed = pair[2] == 's',
                         .narrow = narrow, .blocks = blocks, .threads = threads};
    contenders = 0;
    omp_set_num_threads(threads);
    fill();
    if (make_ours())
        enter("tenure", run_ours, 1, false);
    if (make_dnnl()) {
        enter("dnnl", run_dnnl, 1, true);
        if (!narrow)
            enter("dnnl-gemm", run_dnnl_gemm, 1, true);
    }
    if (!(narrow && p.a_signed) && make_ort())
        enter("ort", run_ort, blocks, true);
    if (make_sgemm())
        enter("sgemm", run_sgemm, 1, true);
    bench_phase("%s", name);
    bench_limits(bench_quick() ? 250 : 600, 3, ROUNDS_MAX);
    while (bench_more())
        for (int i = 0; i < contenders; i++)
            burst(&contender[i]);
    bench_done(1);
    compare(name);
    drop_ours();
    drop_dnnl();
    empty();
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "exact int8 products beside oneDNN, ONNX Runtime and OpenBLAS");
    static const int ms[] = {1, 4, 16, 128};
    open_ort(); /* its threads inherit the set we have now */
    printf("info int8_variant=%s\n", ours_found() ? ours.variant() : "none: the runtime is not Tenure");
    for (int threads = 1; threads <= bench_width(); threads += bench_width() - 1 ? bench_width() - 1 : 1) {
        for (size_t i = 0; i < sizeof ms / sizeof *ms; i++) {
            product(threads, ms[i], 2048, "u8s8", false, 1);
            product(threads, ms[i], 2048, "u8u8", false, 1);
            product(threads, ms[i], 2048, "s8s8", false, 1);
            if (ms[i] <= 16)
                product(threads, ms[i], 2048, "u8s8", false, ROTATE);
        }
        product(threads, 512, 2048, "u8s8", true, 1);
        product(threads, 64, 64, "u8s8", false, 1);
        product(threads, 1, 256, "u8s8", false, 1);
        product(threads, 1, 512, "u8s8", false, 1);
        if (!bench_quick())
            product(threads, 128, 5120, "u8s8", false, 1);
    }
    return 0;
}
