/* SPDX-License-Identifier: MIT */
/* Static schedules fix which thread runs which iteration: the map is printed and must be libgomp's. */
#include "conform.h"

#define N 61
static int owner[N];

static void show(const char *what)
{
    printf("%-18s", what);
    for (int i = 0; i < N; i++)
        putchar(owner[i] < 0 ? '.' : '0' + owner[i]);
    putchar('\n');
    memset(owner, -1, sizeof owner);
}

int main(void)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++)
            owner[i] = omp_get_thread_num();
#pragma omp single
        show("static");
#pragma omp for schedule(static, 5)
        for (int i = 0; i < N; i++)
            owner[i] = omp_get_thread_num();
#pragma omp single
        show("static,5");
#pragma omp for schedule(static, 1)
        for (int i = N - 1; i >= 0; i -= 3)
            owner[i] = omp_get_thread_num();
#pragma omp single
        show("static,1 down by 3");
#pragma omp for schedule(monotonic : static, 100)
        for (int i = 0; i < N; i++)
            owner[i] = omp_get_thread_num();
#pragma omp single
        show("static,100");
    }
#pragma omp parallel for num_threads(3) schedule(static)
    for (unsigned long long i = 5; i < N; i += 2)
        owner[i] = omp_get_thread_num();
    show("combined, ull");
    omp_set_schedule(omp_sched_static, 4);
#pragma omp parallel for num_threads(4) schedule(runtime)
    for (int i = 0; i < N; i++)
        owner[i] = omp_get_thread_num();
    show("runtime static,4");
    omp_set_schedule(omp_sched_static, 0);
#pragma omp parallel for num_threads(4) schedule(runtime)
    for (int i = 0; i < N; i++)
        owner[i] = omp_get_thread_num();
    show("runtime static");
#pragma omp parallel for num_threads(4) ordered schedule(static, 3)
    for (int i = 0; i < N; i++) {
        owner[i] = omp_get_thread_num();
#pragma omp ordered
        owner[i] += 0;
    }
    show("ordered static,3");
    return conform_end();
}
