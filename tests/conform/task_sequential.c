/* SPDX-License-Identifier: MIT */
/* Orphaned tasks and worksharing outside any region: everything runs in the calling thread, at once. */
#include "conform.h"

int main(void)
{
    int order[6], n = 0, x = 0, count = 0;

    for (int i = 0; i < 3; i++)
#pragma omp task shared(order, n) depend(inout : x)
        order[n++] = i;
#pragma omp taskwait
    CHECK(n == 3 && order[0] == 0 && order[1] == 1 && order[2] == 2);
#pragma omp taskloop num_tasks(4) shared(count)
    for (int i = 0; i < 10; i++)
        count++;
#pragma omp taskgroup
    {
#pragma omp task shared(count) priority(3)
        count++;
    }
#pragma omp taskyield
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; i++)
        count++;
#pragma omp sections
    {
#pragma omp section
        count++;
#pragma omp section
        count++;
    }
#pragma omp single
    count++;
#pragma omp master
    count++;
#pragma omp barrier
#pragma omp critical
    count++;
    CHECK(count == 10 + 1 + 10 + 2 + 3);
    CHECK(omp_get_thread_num() == 0 && omp_get_num_threads() == 1 && omp_get_level() == 0);
    return conform_end();
}
