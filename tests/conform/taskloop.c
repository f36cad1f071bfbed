/* SPDX-License-Identifier: MIT */
/* taskloop: grainsize, num_tasks, strict, nogroup, collapse, if, final, priority, lastprivate, unsigned long long,
 * downward; how many tasks libgomp makes of it is printed. */
#include "conform.h"

#define N 97
static int hits[N];

static void once(int line)
{
    for (int i = 0; i < N; i++)
        if (hits[i] != 1)
            conform_fault(line, "each iteration once");
    memset(hits, 0, sizeof hits);
}

/* Counts tasks: an iteration that finds itself at the start of a chunk has another firstprivate copy. */
#define TASKS(clauses)                                                                                                 \
    do {                                                                                                               \
        int fresh = 1, tasks = 0;                                                                                      \
        _Pragma(clauses) for (int i = 0; i < N; i++)                                                                   \
        {                                                                                                              \
            if (fresh) {                                                                                               \
                _Pragma("omp atomic") tasks++;                                                                         \
                fresh = 0;                                                                                             \
            }                                                                                                          \
            hits[i]++;                                                                                                 \
        }                                                                                                              \
        printf("%-55s %d\n", clauses, tasks);                                                                          \
        once(__LINE__);                                                                                                \
    } while (0)

int main(void)
{
    int last = -1, sum = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
    {
        TASKS("omp taskloop firstprivate(fresh) shared(tasks) grainsize(10)");
        TASKS("omp taskloop firstprivate(fresh) shared(tasks) grainsize(strict: 10)");
        TASKS("omp taskloop firstprivate(fresh) shared(tasks) num_tasks(7)");
        TASKS("omp taskloop firstprivate(fresh) shared(tasks) num_tasks(strict: 7)");
        TASKS("omp taskloop firstprivate(fresh) shared(tasks) num_tasks(500)");
        TASKS("omp taskloop firstprivate(fresh) shared(tasks) if(0) num_tasks(5)");
        TASKS("omp taskloop firstprivate(fresh) shared(tasks) final(1) num_tasks(5)");
        TASKS("omp taskloop firstprivate(fresh) shared(tasks) priority(2) untied mergeable grainsize(97)");
#pragma omp taskgroup
        {
#pragma omp taskloop nogroup grainsize(3)
            for (unsigned long long i = N; i > 0; i--)
                hits[i - 1]++;
        }
        once(__LINE__);
#pragma omp taskloop collapse(2) num_tasks(9) lastprivate(last) shared(sum)
        for (int i = 0; i < 10; i++)
            for (int j = 5; j > 0; j--) {
                last = i * 10 + j;
#pragma omp atomic
                sum++;
            }
        CHECK(last == 91 && sum == 50);
#pragma omp taskloop
        for (int i = 5; i < 5; i++)
            conform_fault(__LINE__, "an empty loop runs");
    }
    return conform_end();
}
