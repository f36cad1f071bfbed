/* SPDX-License-Identifier: MIT */
/* Tasks of taskloops that do more than compute: make tasks and wait for them or leave them to the loop's end, run taskloops
 * of their own, yield, are uneven, are cancelled; by all members at once, inside other tasks, under task reductions. */
#include "conform.h"

#define N 400
static int hits[N], inner_hits[N], left[N];

/* Every iteration is a task, with a child or two. */
static void loop_of_tasks(int base)
{
#pragma omp taskloop grainsize(1)
    for (int i = base; i < base + 100; i++) {
        int mine = 0;
        hits[i]++;
#pragma omp task shared(mine)
        mine = i;
        if (i % 7 == 0) {
#pragma omp taskyield
        }
#pragma omp taskwait
        CHECK(mine == i);
#pragma omp task
        left[i]++; /* nobody waits but the end of the loop */
        if (i % 10 == 0) {
#pragma omp taskloop num_tasks(5)
            for (int k = 0; k < 10; k++)
#pragma omp atomic
                inner_hits[i]++;
            CHECK(inner_hits[i] == 10);
        }
    }
    for (int i = base; i < base + 100; i++)
        CHECK(hits[i] == 1 && left[i] == 1);
}

static long sum_of(int width, int tasks)
{
    long sum = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
#pragma omp taskloop num_tasks(tasks) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        sum += i;
        if (i % 250 == 0) {
#pragma omp task in_reduction(+ : sum)
            sum += 1000000;
        }
    }
    return sum;
}

int main(void)
{
    for (int width = 1; width <= 5; width++) {
        memset(hits, 0, sizeof hits);
        memset(inner_hits, 0, sizeof inner_hits);
        memset(left, 0, sizeof left);
#pragma omp parallel num_threads(width)
        {
#pragma omp single
            {
#pragma omp task
                loop_of_tasks(0); /* two loops at once, by a task and by its parent */
                loop_of_tasks(100);
            }
#pragma omp for schedule(static, 1)
            for (int k = 2; k < 4; k++)
                loop_of_tasks(100 * k);
        }
        for (int tasks = 1; tasks <= 1000; tasks = 3 * tasks + 1)
            CHECK(sum_of(width, tasks) == 499500 + 4000000);

        int started = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
#pragma omp taskgroup
        {
#pragma omp taskloop grainsize(1) shared(started) nogroup
            for (int i = 0; i < 1000; i++)
#pragma omp atomic
                started++;
        }
        CHECK(started == 1000);
    }
    return conform_end();
}
