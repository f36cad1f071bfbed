/* SPDX-License-Identifier: MIT */
/*
 * OpenBLAS in its OpenMP build, calls in streams: gemm 32 to 1024, gemv, dot and axpy, small LAPACK. Per call. The
 * library is opened by name (OPENBLAS=path), so the same binary serves every arm and nothing is linked.
 * Invariant: every result is finite and is compared with the first one of the same process; a difference beyond
 * rounding ends the process with status 3.
 */
#include "../bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MAJOR = 101, PLAIN = 111, LARGEST = 1024, VECTOR = 65536 };

static struct {
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
    void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                  int);
    void (*sgemv)(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
    float (*sdot)(int, const float *, int, const float *, int);
    void (*saxpy)(int, float, const float *, int, float *, int);
    void (*dpotrf)(const char *, const int *, double *, const int *, int *, size_t);
    void (*dgesdd)(const char *, const int *, const int *, double *, const int *, double *, double *, const int *,
                   double *, const int *, double *, const int *, int *, int *, size_t);
    char *(*config)(void);
} blas;

static void open_library(void)
{
    const struct {
        const char *name;
        void *to;
    } wanted[] = {
        {"cblas_sgemm", &blas.sgemm}, {"cblas_dgemm", &blas.dgemm},  {"cblas_sgemv", &blas.sgemv},
        {"cblas_sdot", &blas.sdot},   {"cblas_saxpy", &blas.saxpy},  {"dpotrf_", &blas.dpotrf},
        {"dgesdd_", &blas.dgesdd},    {"openblas_get_config", &blas.config},
    };
    const char *path = getenv("OPENBLAS");
    void *library = dlopen(path ? path : "libopenblas.so.0", RTLD_NOW);
    if (!library)
        bench_fail("%s", dlerror());
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *at = dlsym(library, wanted[i].name);
        if (!at)
            bench_fail("%s lacks %s", path, wanted[i].name);
        memcpy(wanted[i].to, &at, sizeof at);
    }
    printf("info openblas=%s\n", path ? path : "libopenblas.so.0");
    printf("info openblas_config=%s\n", blas.config());
}

static float *fa, *fb, *fc;
static double *da, *db, *dc;

static void *room(size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
    if (!p)
        bench_fail("no memory");
    return memset(p, 0, bytes);
}

static void fill(void)
{
    size_t n = (size_t)LARGEST * LARGEST;
    fa = room(n * 4), fb = room(n * 4), fc = room(n * 4);
    da = room(n * 8), db = room(n * 8), dc = room(n * 8);
    for (size_t i = 0; i < n; i++) {
        fa[i] = (float)(da[i] = (double)(i * 7919 % 1009) / 1009 - 0.5);
        fb[i] = (float)(db[i] = (double)(i * 104729 % 1013) / 1013 - 0.5);
    }
}

static double sgemm(int n)
{
    blas.sgemm(ROW_MAJOR, PLAIN, PLAIN, n, n, n, 1, fa, n, fb, n, 0, fc, n);
    return fc[n * n - 1];
}

static double dgemm(int n)
{
    blas.dgemm(ROW_MAJOR, PLAIN, PLAIN, n, n, n, 1, da, n, db, n, 0, dc, n);
    return dc[n * n - 1];
}

static double sgemv(int n)
{
    blas.sgemv(ROW_MAJOR, PLAIN, n, n, 1, fa, n, fb, 1, 0, fc, 1);
    return fc[n - 1];
}

static double sdot(int n) { return blas.sdot(n, fa, 1, fb, 1); }

static double saxpy(int n)
{
    fc[n - 1] = 1;
    blas.saxpy(n, 0.5f, fa, 1, fc, 1);
    return fc[n - 1];
}

static double potrf(int n)
{
    int info;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            dc[i * n + j] = 1 + (i == j) * n;
    blas.dpotrf("L", &n, dc, &n, &info, 1);
    return info ? NAN : dc[n * n - 1];
}

static double gesdd(int n)
{
    static double s[256], work[1 << 17];
    static int iwork[8 * 256];
    int info, room_for = 1 << 17;
    memcpy(dc, da, (size_t)n * (size_t)n * sizeof *dc);
    blas.dgesdd("N", &n, &n, dc, &n, s, NULL, &n, NULL, &n, work, &room_for, iwork, &info, 1);
    return info ? NAN : s[0];
}

static void stream(const char *name, double (*call)(int), int n)
{
    char full[32];
    snprintf(full, sizeof full, "%s-%d", name, n);
    if (!bench_want(full))
        return;
    double first = call(n);
    bench_phase("%s", full);
    bench_limits(bench_quick() ? 25 : 200, 5, 20000);
    while (bench_more()) {
        uint64_t t = bench_now();
        double result = call(n);
        bench_add(bench_elapsed(t));
        if (!(fabs(result - first) <= 1e-3 * (1 + fabs(first))))
            bench_fail("%s: %.9g, but %.9g the first time", full, result, first);
    }
    bench_done(1);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "OpenBLAS (OpenMP build): streams of gemm, gemv, dot, axpy, potrf, gesdd");
    open_library();
    bench_check_width(bench_width());
    bench_session_open(bench_width());
    fill();
    for (int n = 16384; n <= VECTOR; n *= 4) {
        stream("sdot", sdot, n);
        stream("saxpy", saxpy, n);
    }
    for (int n = 256; n <= 1024; n *= 2)
        stream("sgemv", sgemv, n);
    for (int n = 32; n <= (bench_quick() ? 256 : LARGEST); n *= 2) {
        stream("sgemm", sgemm, n);
        stream("dgemm", dgemm, n);
    }
    stream("potrf", potrf, 256);
    stream("gesdd", gesdd, 64);
    stream("gesdd", gesdd, 200);
    bench_session_close();
    return 0;
}
