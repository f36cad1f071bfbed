/* SPDX-License-Identifier: MIT */
/* omp_init_allocator: which values of which trait are accepted; the default allocator of a task; alignment; sizes of
 * nothing and of everything. Pinned memory is left out: libgomp 12 has none.
 */
#include <stdint.h>

#include "conform.h"

#define ALLOCATOR(handle) ((omp_allocator_handle_t)(handle))

static omp_allocator_handle_t make(int key, uintptr_t value)
{
    omp_alloctrait_t t = {(omp_alloctrait_key_t)key, value};

    return omp_init_allocator(omp_default_mem_space, 1, &t);
}

static void accepted(void)
{
    for (int space = 0; space < 8; space++) {
        omp_allocator_handle_t a = omp_init_allocator((omp_memspace_handle_t)space, 0, NULL);

        printf("space %d: %s\n", space, a == omp_null_allocator ? "no" : "yes");
        omp_destroy_allocator(a);
    }
    for (int key = 0; key < 10; key++) {
        printf("trait %d:", key);
        for (int value = -1; value < 70; value++) {
            if (key == omp_atk_pinned && value == 1)
                continue;
            omp_allocator_handle_t a = make(key, (uintptr_t)(intptr_t)value);

            if (a != omp_null_allocator)
                printf(" %d", value);
            omp_destroy_allocator(a);
        }
        printf("\n");
    }
}

static void defaults(void)
{
    printf("default %ld\n", (long)omp_get_default_allocator());
    omp_set_default_allocator(ALLOCATOR(6));
    printf("default %ld\n", (long)omp_get_default_allocator());
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        printf("default in a region %ld\n", (long)omp_get_default_allocator());
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            omp_set_default_allocator(ALLOCATOR(4));
#pragma omp barrier
        for (int turn = 0; turn < 2; turn++) {
            if (turn == omp_get_thread_num())
                printf("default of %d: %ld\n", turn, (long)omp_get_default_allocator());
#pragma omp barrier
        }
    }
    omp_set_default_allocator(omp_null_allocator);
    printf("default %ld\n", (long)omp_get_default_allocator());
}

static void blocks(void)
{
    volatile size_t huge = SIZE_MAX, quarter = SIZE_MAX / 4, three = 3;
    omp_allocator_handle_t null_fb = make(omp_atk_fallback, omp_atv_null_fb);

    for (size_t align = 1; align <= 4096; align *= 2) {
        omp_allocator_handle_t a = make(omp_atk_alignment, align);
        char *p = omp_alloc(align + 3, a), *q = omp_aligned_alloc(2 * align, 5, a), *r = omp_calloc(align, 3, a);
        char *s = omp_aligned_calloc(align, 3, 5, omp_null_allocator);

        CHECK((uintptr_t)p % align == 0 && (uintptr_t)q % (2 * align) == 0 && (uintptr_t)r % align == 0);
        CHECK((uintptr_t)s % align == 0);
        for (size_t i = 0; i < 3 * align; i++)
            CHECK(r[i] == 0);
        memset(p, 1, align + 3);
        memset(q, 2, 5);
        p = omp_realloc(p, 3 * align + 9, a, a);
        CHECK((uintptr_t)p % align == 0 && p[0] == 1 && p[align + 2] == 1);
        q = omp_realloc(q, 1000, omp_default_mem_alloc, a);
        CHECK(q[0] == 2 && q[4] == 2);
        omp_free(p, omp_null_allocator);
        omp_free(q, omp_default_mem_alloc);
        omp_free(r, a);
        omp_free(s, omp_null_allocator);
        omp_destroy_allocator(a);
    }
    for (int a = 1; a <= 8; a++) {
        void *p = omp_alloc(33, ALLOCATOR(a));

        CHECK(p != NULL);
        omp_free(p, ALLOCATOR(a));
    }
    printf("nothing: %p %p %p %p\n", omp_alloc(0, omp_default_mem_alloc), omp_calloc(0, 3, omp_default_mem_alloc),
           omp_calloc(3, 0, null_fb), omp_realloc(NULL, 0, omp_null_allocator, omp_null_allocator));
    printf("too much: %p %p %p %p\n", omp_alloc(huge, null_fb), omp_calloc(huge, huge, null_fb),
           omp_alloc(quarter, omp_default_mem_alloc), omp_aligned_alloc(64, huge, omp_default_mem_alloc));
    printf("alignment 3: %d\n", omp_aligned_alloc(three, 100, omp_default_mem_alloc) != NULL);
    omp_free(NULL, omp_null_allocator);
    omp_destroy_allocator(null_fb);
}

int main(void)
{
    accepted();
    defaults();
    blocks();
    return conform_end();
}
