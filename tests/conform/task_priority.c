/* SPDX-License-Identifier: MIT */
/* priority: every task runs; where one thread drains a full queue, a higher priority goes first.
 * conform: env OMP_MAX_TASK_PRIORITY=10
 */
#include "conform.h"

int main(void)
{
    int order[20], n = 0, count = 0;

    printf("max priority %d\n", omp_get_max_task_priority());
#pragma omp parallel num_threads(1)
#pragma omp single
    {
        for (int i = 0; i < 20; i++)
#pragma omp task priority(i % 10) shared(order, n) if (0)
            order[n++] = i;
    }
    CHECK(n == 20);
    for (int i = 0; i < 20; i++)
        CHECK(order[i] == i);
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 500; i++)
#pragma omp task priority(i % 37) shared(count)
#pragma omp atomic
        count++;
    CHECK(count == 500);
    return conform_end();
}
