/* SPDX-License-Identifier: MIT */
/* OMP_SCHEDULE: what omp_get_schedule answers for each accepted form, and that schedule(runtime) obeys.
 * conform: env OMP_SCHEDULE=static
 * conform: env OMP_SCHEDULE=static,4
 * conform: env OMP_SCHEDULE=dynamic
 * conform: env OMP_SCHEDULE=DYNAMIC,8
 * conform: env OMP_SCHEDULE=guided,3
 * conform: env OMP_SCHEDULE=auto
 * conform: env OMP_SCHEDULE=monotonic:dynamic,2
 * conform: env OMP_SCHEDULE=nonmonotonic:guided
 * conform: env OMP_SCHEDULE=dynamic,0
 * conform: env OMP_SCHEDULE=sideways
 * conform: env OMP_SCHEDULE=
 */
#include "conform.h"

int main(void)
{
    omp_sched_t kind;
    int chunk, count = 0;

    omp_get_schedule(&kind, &chunk);
    printf("%#x %d\n", (unsigned)kind, chunk);
#pragma omp parallel num_threads(4) reduction(+ : count)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 333; i++)
            count++;
#pragma omp for schedule(runtime)
        for (unsigned long long i = 333; i > 0; i -= 3)
            count++;
    }
    CHECK(count == 444);
    return conform_end();
}
