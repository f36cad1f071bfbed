/* SPDX-License-Identifier: MIT */
/* task_reduction on a taskgroup and reduction(task, …) on parallel, for and sections, with in_reduction by tasks
 * that any thread may run; nested participating tasks. */
#include "conform.h"

struct range {
    int low, high;
};
static void widen(struct range *out, const struct range *in)
{
    if (in->low < out->low)
        out->low = in->low;
    if (in->high > out->high)
        out->high = in->high;
}
#pragma omp declare reduction(widen : struct range : widen(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct range){1 << 30, -1})

static void deep(int depth, long *p)
{
    long *v = p;
    if (depth == 0)
        return;
#pragma omp task in_reduction(+ : v[0])
    {
        v[0] += depth;
        deep(depth - 1, v);
    }
#pragma omp taskwait
}

int main(void)
{
    long sum = 0, team = 0, loop = 0, total = 0, parts = 0;
    struct range range = {1 << 30, -1};

#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(widen : range)
        for (int i = 0; i < 300; i++)
#pragma omp task in_reduction(+ : sum) in_reduction(widen : range)
            {
                sum += i;
                widen(&range, &(struct range){i, i});
            }
        CHECK(sum == 44850 && range.low == 0 && range.high == 299);
    }
#pragma omp parallel num_threads(4) reduction(task, + : team)
    {
        team += 1;
#pragma omp single nowait
        for (int i = 0; i < 100; i++)
#pragma omp task in_reduction(+ : team)
            team += 2;
    }
    CHECK(team == 204);
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(task, + : loop) schedule(dynamic)
        for (int i = 0; i < 50; i++)
#pragma omp task in_reduction(+ : loop)
            loop += i;
#pragma omp sections reduction(task, + : parts)
        {
#pragma omp section
#pragma omp task in_reduction(+ : parts)
            parts += 5;
#pragma omp section
            parts += 6;
        }
#pragma omp single
#pragma omp taskgroup task_reduction(+ : total)
        deep(20, &total);
    }
    CHECK(loop == 1225 && parts == 11 && total == 210);
    return conform_end();
}
