/* SPDX-License-Identifier: MIT */
/* Simple and nested locks, test forms, a nested lock owned by its task, many locks at once. */
#include "conform.h"

static long counts[4];

int main(void)
{
    omp_lock_t lock, tried, many[50];
    omp_nest_lock_t nest, deep;
    int denied = 0;

    omp_init_lock(&lock);
    omp_init_lock(&tried);
    omp_init_nest_lock(&nest);
    omp_init_nest_lock(&deep);
    for (int i = 0; i < 50; i++)
        omp_init_lock(&many[i]);
    omp_set_lock(&lock);
    CHECK(!omp_test_lock(&lock));
    omp_unset_lock(&lock);
    CHECK(omp_test_nest_lock(&nest) == 1 && omp_test_nest_lock(&nest) == 2);
#pragma omp parallel num_threads(3) reduction(+ : denied)
    denied += !omp_test_nest_lock(&nest); /* an implicit task owns it no more than its neighbours do */
    CHECK(denied == 3);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 3000; i++) {
        omp_set_lock(&lock);
        counts[0]++;
        omp_unset_lock(&lock);
        while (!omp_test_lock(&tried))
            ;
        counts[1]++;
        omp_unset_lock(&tried);
        omp_set_nest_lock(&deep);
        counts[2]++;
        omp_set_nest_lock(&deep);
        CHECK(omp_test_nest_lock(&deep) == 3);
        counts[2]++;
        omp_unset_nest_lock(&deep);
        omp_unset_nest_lock(&deep);
        omp_unset_nest_lock(&deep);
        omp_set_lock(&many[i % 50]);
        omp_unset_lock(&many[i % 50]);
    }
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 100; i++)
#pragma omp task
        {
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            counts[3]++;
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
        }
    CHECK(counts[0] == 12000 && counts[1] == 12000 && counts[2] == 24000 && counts[3] == 100);
    omp_destroy_lock(&lock);
    omp_destroy_lock(&tried);
    omp_destroy_nest_lock(&nest);
    omp_destroy_nest_lock(&deep);
    for (int i = 0; i < 50; i++)
        omp_destroy_lock(&many[i]);
    return conform_end();
}
