/* SPDX-License-Identifier: MIT */
/* omp_alloc and its family: predefined and own allocators, alignment, pool size, every fallback, realloc, calloc, the
 * allocate directive's clause. */
#include <stdint.h>

#include "conform.h"

static omp_allocator_handle_t make(size_t pool, omp_alloctrait_value_t fallback)
{
    omp_alloctrait_t traits[] = {{omp_atk_alignment, 128},    {omp_atk_pool_size, pool},
                                 {omp_atk_fallback, fallback}, {omp_atk_sync_hint, omp_atv_contended},
                                 {omp_atk_access, omp_atv_all}, {omp_atk_partition, omp_atv_default}};

    return omp_init_allocator(omp_default_mem_space, 6, traits);
}

int main(void)
{
    omp_allocator_handle_t bounded = make(4096, omp_atv_null_fb), falls_back = make(256, omp_atv_default_mem_fb);
    omp_alloctrait_t bad[] = {{omp_atk_alignment, 3}};
    int sum = 0, x = 3;
    volatile size_t top = SIZE_MAX;
    char *p, *q;

    CHECK(bounded != omp_null_allocator && falls_back != omp_null_allocator);
    CHECK(omp_init_allocator(omp_default_mem_space, 1, bad) == omp_null_allocator);
    for (omp_allocator_handle_t a = omp_default_mem_alloc; a <= omp_thread_mem_alloc; a++) {
        p = omp_alloc(1000, a);
        CHECK(p && (uintptr_t)p % sizeof(void *) == 0);
        memset(p, 1, 1000);
        omp_free(p, a == omp_default_mem_alloc ? a : omp_null_allocator);
    }
    p = omp_alloc(2000, bounded);
    CHECK(p && (uintptr_t)p % 128 == 0);
    q = omp_alloc(3000, bounded);
    CHECK(!q); /* the pool is spent */
    omp_free(p, bounded);
    q = omp_aligned_alloc(512, 1024, bounded);
    CHECK(q && (uintptr_t)q % 512 == 0);
    strcpy(q, "kept");
    q = omp_realloc(q, 1500, bounded, bounded);
    CHECK(q && !strcmp(q, "kept"));
    omp_free(q, omp_null_allocator);
    p = omp_alloc(100000, falls_back);
    CHECK(p);
    omp_free(p, falls_back);
    p = omp_calloc(100, 7, omp_default_mem_alloc);
    for (int i = 0; i < 700; i++)
        sum += p[i];
    CHECK(sum == 0);
    omp_free(p, omp_null_allocator);
    p = omp_aligned_calloc(256, 3, 256, omp_low_lat_mem_alloc);
    CHECK(p && (uintptr_t)p % 256 == 0 && p[767] == 0);
    omp_free(p, omp_null_allocator);
    CHECK(!omp_calloc(top / 2, 4, bounded) && !omp_alloc(0, bounded));
    omp_free(NULL, omp_default_mem_alloc);
    omp_set_default_allocator(bounded);
    CHECK(omp_get_default_allocator() == bounded);
#pragma omp parallel num_threads(4) private(x) allocate(align(128), allocator(bounded) : x) reduction(+ : sum)
    {
        x = omp_get_thread_num();
        CHECK((uintptr_t)&x % 128 == 0);
        sum += x;
        void *mine = omp_alloc(64, omp_null_allocator);
        CHECK(mine);
        omp_free(mine, omp_null_allocator);
    }
    CHECK(sum == 6 && x == 3);
    omp_set_default_allocator(omp_default_mem_alloc);
    omp_destroy_allocator(bounded);
    omp_destroy_allocator(falls_back);
    return conform_end();
}
