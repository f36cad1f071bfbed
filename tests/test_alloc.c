/* SPDX-License-Identifier: MIT */
/* Allocators beyond what libgomp 12 has, so that no program under libgomp can say what is right: pinned memory, the table of
 * allocatable variables, abort. The rest is in tests/conform/alloc_*.c. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "omp_abi.h"

enum { ATK_ALIGNMENT = 2, ATK_POOL_SIZE = 4, ATK_FALLBACK = 5, ATK_PINNED = 7, ATV_NULL_FB = 12, ATV_ABORT_FB = 13 };

static size_t locked_kb(void)
{
    char line[256];
    size_t kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmLck: %zu", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

static uintptr_t pinned(void)
{
    tn_omp_alloctrait t[] = {{ATK_PINNED, 1}, {ATK_FALLBACK, ATV_NULL_FB}, {ATK_ALIGNMENT, 256}};
    return omp_init_allocator(0, 3, t);
}

Test(alloc, pinned_memory_is_locked)
{
    uintptr_t a = pinned();
    cr_assert_neq(a, 0);
    size_t before = locked_kb();
    char *p = omp_alloc(100000, a);
    if (!p)
        cr_skip_test("RLIMIT_MEMLOCK does not allow it");
    cr_expect_eq((uintptr_t)p % 256, 0);
    memset(p, 7, 100000);
    cr_expect_geq(locked_kb(), before + 97);
    char *q = omp_realloc(p, 300000, a, a);
    cr_assert_not_null(q);
    cr_expect(q[0] == 7 && q[99999] == 7);
    cr_expect_geq(locked_kb(), before + 292);
    omp_free(q, 0);
    cr_expect_eq(locked_kb(), before);
    char *z = omp_calloc(10, 10, a);
    for (int i = 0; i < 100; i++)
        cr_expect_eq(z[i], 0);
    omp_free(z, a);
    omp_destroy_allocator(a);
}

Test(alloc, pinned_fails_at_the_limit)
{
    struct rlimit r = {4096, 4096};
    setrlimit(RLIMIT_MEMLOCK, &r);
    uintptr_t a = pinned();
    void *p = omp_alloc(1 << 20, a);
    if (p)
        cr_skip_test("this user may lock without limit");
    cr_expect_null(p);
}

Test(alloc, abort_fallback_stops, .exit_code = 1)
{
    tn_omp_alloctrait t[] = {{ATK_POOL_SIZE, 10}, {ATK_FALLBACK, ATV_ABORT_FB}};
    omp_alloc(1000, omp_init_allocator(0, 2, t));
}

Test(alloc, table_of_allocatables)
{
    enum { N = 5000 };
    static char at[N];
    for (int i = 0; i < N; i++)
        GOMP_add_alloc(&at[i]);
    cr_expect_not(GOMP_is_alloc((char *)((uintptr_t)at - 1)));
    for (int i = N - 1; i >= 0; i--)
        cr_expect(GOMP_is_alloc(&at[i]), "%d", i);
    cr_expect_not(GOMP_is_alloc(&at[3]), "found once, gone");
}

static void *churn(void *arg)
{
    char *base = arg;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 64; i++)
            GOMP_add_alloc(base + i);
        for (int i = 0; i < 64; i++)
            if (!GOMP_is_alloc(base + i))
                return arg;
    }
    return NULL;
}

Test(alloc, table_with_threads)
{
    static char at[4][64];
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, churn, at[i]);
    for (int i = 0; i < 4; i++) {
        void *lost;
        pthread_join(t[i], &lost);
        cr_expect_null(lost);
    }
}

Test(alloc, compiled_allocate_clause)
{
    char *p = GOMP_alloc(64, 100, 0);
    cr_expect_eq((uintptr_t)p % 64, 0);
    GOMP_free(p, 0);
    cr_expect_null(GOMP_alloc(8, 0, 0));
}
