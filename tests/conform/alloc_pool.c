/* SPDX-License-Identifier: MIT */
/* Pools: how many blocks fit, what comes back when one is freed or resized, each fallback when nothing fits; and a pool
 * shared by threads, which must never give out more than it has nor lose any of it. */
#include <stdint.h>

#include "conform.h"

static omp_allocator_handle_t pool(size_t size, uintptr_t fallback, uintptr_t data, size_t align)
{
    omp_alloctrait_t t[] = {{omp_atk_pool_size, size},
                            {omp_atk_fallback, fallback},
                            {omp_atk_fb_data, data},
                            {omp_atk_alignment, align}};

    return omp_init_allocator(omp_default_mem_space, 4, t);
}

/* The smallest pool from which one block of 100 bytes can be had. */
static size_t need(size_t align, int how)
{
    for (size_t size = 0;; size++) {
        omp_allocator_handle_t a = pool(size, omp_atv_null_fb, 0, align);
        void *p = how == 0   ? omp_alloc(100, a)
                  : how == 1 ? omp_aligned_alloc(256, 100, a)
                  : how == 2 ? omp_calloc(10, 10, a)
                             : omp_realloc(NULL, 100, a, a);
        int got = p != NULL;

        omp_free(p, a);
        omp_destroy_allocator(a);
        if (got)
            return size;
    }
}

static void count(size_t size, size_t block)
{
    omp_allocator_handle_t a = pool(size, omp_atv_null_fb, 0, 1);
    void *p[64];
    int n = 0;

    while (n < 64 && (p[n] = omp_alloc(block, a)))
        n++;
    printf("%d blocks of %zu in %zu\n", n, block, size);
    for (int i = 0; i < n; i++)
        omp_free(p[i], a);
    n = 0;
    while (n < 64 && (p[n] = omp_alloc(block, a)))
        n++;
    printf("%d again\n", n);
    for (int i = 0; i < n; i++)
        omp_free(p[i], omp_null_allocator);
    omp_destroy_allocator(a);
}

static void resize(void)
{
    omp_allocator_handle_t a = pool(300, omp_atv_null_fb, 0, 1), b = pool(300, omp_atv_default_mem_fb, 0, 1);
    char *p = omp_alloc(50, a), *q;

    memset(p, 'x', 50);
    q = omp_realloc(p, 200, a, a);
    printf("to 200: %d\n", q != NULL);
    printf("another 150: %d\n", omp_alloc(150, a) != NULL);
    p = omp_realloc(q, 1000, a, a);
    printf("to 1000: %d\n", p != NULL);
    q = omp_realloc(q, 20, a, a);
    printf("to 20: %d %c%c\n", q != NULL, q[0], q[19]);
    p = omp_alloc(150, a);
    printf("another 150: %d\n", p != NULL);
    q = omp_realloc(q, 5000, b, a);
    printf("to 5000 of another: %d %c%c\n", q != NULL, q[0], q[19]);
    omp_free(p, a);
    omp_free(q, b);
}

static void fallbacks(void)
{
    omp_allocator_handle_t large = pool(10000, omp_atv_null_fb, 0, 1);
    omp_allocator_handle_t chain = pool(10, omp_atv_allocator_fb, (uintptr_t)large, 128);
    omp_allocator_handle_t plain = pool(10, omp_atv_default_mem_fb, 0, 1);
    char *p = omp_alloc(5000, chain), *q = omp_alloc(5000, chain), *r = omp_alloc(5000, plain);

    printf("by the other %d, both full %d, default %d\n", p != NULL, q != NULL, r != NULL);
    omp_free(p, omp_null_allocator);
    p = omp_alloc(5000, chain);
    printf("again %d\n", p != NULL);
    omp_free(p, chain);
    omp_free(r, plain);
}

static void threads(void)
{
    enum { BLOCK = 100, BLOCKS = 10 };
    omp_allocator_handle_t a = pool(BLOCKS * need(1, 0), omp_atv_null_fb, 0, 1);
    int out = 0, most = 0;

#pragma omp parallel num_threads(4) reduction(max : most)
    for (int i = 0; i < 1000000; i++) {
        void *p = omp_alloc(BLOCK, a);

        if (p) {
            int now;
#pragma omp atomic capture
            now = ++out;
            most = now > most ? now : most;
            memset(p, i, BLOCK);
#pragma omp atomic
            out--;
            omp_free(p, a);
        }
    }
    CHECK(most <= BLOCKS && most > 0);
    void *p[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        CHECK((p[i] = omp_alloc(BLOCK, a)) != NULL);
    CHECK(omp_alloc(BLOCK, a) == NULL);
    for (int i = 0; i < BLOCKS; i++)
        omp_free(p[i], a);
}

int main(void)
{
    for (int how = 0; how < 4; how++)
        printf("100 bytes: %zu %zu %zu\n", need(1, how), need(64, how), need(512, how));
    count(1000, 50);
    count(1000, 1);
    count(5, 1);
    resize();
    fallbacks();
    threads();
    return conform_end();
}
