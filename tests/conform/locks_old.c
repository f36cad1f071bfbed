/* SPDX-License-Identifier: MIT */
/* The lock routines of programs built before OpenMP 3.0: the OMP_1.0 version nodes, with their own lock types (a simple
 * lock is an int, a nested one an int and a count). */
#include "conform.h"

typedef int old_lock;
typedef struct {
    int owner, count;
} old_nest_lock;

#define OLD(result, name, type)                                                                                        \
    extern result old_##name(type *);                                                                                  \
    __asm__(".symver old_" #name ", " #name "@OMP_1.0")

OLD(void, omp_init_lock, old_lock);
OLD(void, omp_destroy_lock, old_lock);
OLD(void, omp_set_lock, old_lock);
OLD(void, omp_unset_lock, old_lock);
OLD(int, omp_test_lock, old_lock);
OLD(void, omp_init_nest_lock, old_nest_lock);
OLD(void, omp_destroy_nest_lock, old_nest_lock);
OLD(void, omp_set_nest_lock, old_nest_lock);
OLD(void, omp_unset_nest_lock, old_nest_lock);
OLD(int, omp_test_nest_lock, old_nest_lock);

int main(void)
{
    struct {
        long before;
        old_lock lock;
        int after;
    } a = {.before = -1, .after = -1};
    struct {
        old_nest_lock lock;
        long after;
    } b = {.after = -1};
    long n = 0, m = 0;

    old_omp_init_lock(&a.lock);
    old_omp_init_nest_lock(&b.lock);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 2000; i++) {
        old_omp_set_lock(&a.lock);
        n++;
        old_omp_unset_lock(&a.lock);
        old_omp_set_nest_lock(&b.lock);
        CHECK(old_omp_test_nest_lock(&b.lock) == 2);
        m++;
        old_omp_unset_nest_lock(&b.lock);
        old_omp_unset_nest_lock(&b.lock);
    }
    CHECK(n == 8000 && m == 8000);
    CHECK(old_omp_test_lock(&a.lock) && !old_omp_test_lock(&a.lock));
    old_omp_unset_lock(&a.lock);
    CHECK(a.before == -1 && a.after == -1 && b.after == -1);
    old_omp_destroy_lock(&a.lock);
    old_omp_destroy_nest_lock(&b.lock);
    return conform_end();
}
