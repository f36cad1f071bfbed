/* SPDX-License-Identifier: MIT */
/* scope (OpenMP 5.1): every thread runs it; private, reduction, nowait. */
#include "conform.h"

int main(void)
{
    int sum = 0, product = 1, scratch = 5;

#pragma omp parallel num_threads(4)
    {
#pragma omp scope private(scratch) reduction(+ : sum)
        {
            scratch = omp_get_thread_num() + 1;
            sum += scratch;
        }
        CHECK(sum == 10);
#pragma omp barrier
#pragma omp scope reduction(* : product) nowait
        product *= omp_get_thread_num() + 1;
#pragma omp barrier
        CHECK(product == 24 && scratch == 5);
    }
    return conform_end();
}
