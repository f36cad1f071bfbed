/* SPDX-License-Identifier: MIT */
/* omp_get_wtime grows and agrees with the monotonic clock; omp_get_wtick is its positive resolution. */
#include <time.h>

#include "conform.h"

int main(void)
{
    double a = omp_get_wtime(), b;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    b = omp_get_wtime();
    CHECK(a <= (double)t.tv_sec + (double)t.tv_nsec * 1e-9 + 1e-6);
    CHECK(b >= (double)t.tv_sec + (double)t.tv_nsec * 1e-9 - 1e-6);
    CHECK(omp_get_wtick() > 0 && omp_get_wtick() <= 0.001);
#pragma omp parallel num_threads(3)
    CHECK(omp_get_wtime() >= b);
    return conform_end();
}
