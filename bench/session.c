/* SPDX-License-Identifier: MIT */
/*
 * Where scenarios touch Tenure's own API (int8 has its own calls), found at run time so that one binary serves every arm.
 * Main thread only. Invariant: without BENCH_SESSION=1, or under another runtime, nothing happens.
 */
#include "bench.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Asked once: the environment is searched outside what acquire and sweep time, but for the first call. */
static bool is_asked(void)
{
    static int asked = -1;
    if (asked < 0) {
        const char *value = getenv("BENCH_SESSION");
        asked = value && *value == '1';
    }
    return asked;
}

#if __has_include("tenure.h")
#include <dlfcn.h>
#include "tenure.h"

static tenure_session held;
static bool is_held;

static void *named(const char *name)
{
    void *at = dlsym(RTLD_DEFAULT, name);
    if (!at)
        bench_fail("the runtime has no %s", name);
    return at;
}

static tenure_i8_args gemm_args(int64_t m, int64_t n, int64_t k)
{
    return (tenure_i8_args){.size = sizeof(tenure_i8_args), .m = m, .n = n, .k = k, .b_signed = 1,
                            .flags = TENURE_I8_B_TRANSPOSED};
}

void *bench_int8_pack(const int8_t *w, int64_t n, int64_t k)
{
    const char *asked = getenv("BENCH_INT8");
    if (!asked || *asked != '1')
        return NULL;
    __typeof__(tenure_i8_pack_size) *pack_size = (__typeof__(pack_size))(uintptr_t)named("tenure_i8_pack_size");
    __typeof__(tenure_i8_pack) *pack = (__typeof__(pack))(uintptr_t)named("tenure_i8_pack");
    tenure_i8_args g = gemm_args(1, n, k); /* a block serves any m */
    size_t bytes;
    g.b = w;
    int status = pack_size(&g, &bytes);
    void *block = status ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!block || (status = pack(held, &g, block, bytes)) != 0)
        bench_fail("packing int8 weights: %s", strerror(-status));
    return block;
}

void bench_int8_gemm(const void *packed, const uint8_t *x, int32_t *y, int64_t m, int64_t n, int64_t k)
{
    static __typeof__(tenure_i8_matmul) *matmul;
    if (!matmul)
        matmul = (__typeof__(matmul))(uintptr_t)named("tenure_i8_matmul");
    tenure_i8_args g = gemm_args(m, n, k);
    g.packed = packed;
    g.a = x;
    g.c = y;
    int status = matmul(held, &g);
    if (status != 0)
        bench_fail("tenure_i8_matmul: %s", strerror(-status));
}

bool bench_session_open(int width)
{
    static __typeof__(tenure_session_open) *open;
    if (!is_asked())
        return false;
    if (!open)
        *(void **)&open = dlsym(RTLD_DEFAULT, "tenure_session_open");
    if (!open)
        bench_fail("BENCH_SESSION=1, but the runtime has no sessions");
    tenure_session_options options = {.size = sizeof options, .width = (unsigned)width};
    int status = open(&held, &options);
    if (status != 0)
        bench_fail("tenure_session_open: %s", strerror(-status));
    return is_held = true;
}

void bench_session_close(void)
{
    static __typeof__(tenure_session_close) *shut;
    if (!is_held)
        return;
    if (!shut)
        *(void **)&shut = dlsym(RTLD_DEFAULT, "tenure_session_close");
    shut(held);
    is_held = false;
}
#else
bool bench_session_open(int width)
{
    (void)width;
    if (is_asked())
        bench_fail("built without tenure.h: no sessions");
    return false;
}

void bench_session_close(void) {}

void *bench_int8_pack(const int8_t *w, int64_t n, int64_t k)
{
    (void)w, (void)n, (void)k;
    return NULL;
}

void bench_int8_gemm(const void *packed, const uint8_t *x, int32_t *y, int64_t m, int64_t n, int64_t k)
{
    (void)packed, (void)x, (void)y, (void)m, (void)n, (void)k;
}
#endif
