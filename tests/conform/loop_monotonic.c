/* SPDX-License-Identifier: MIT */
/* monotonic: a thread sees its iterations in increasing order. */
#include "conform.h"

#define ORDERED_IN_THREAD(clause)                                                                                      \
    _Pragma("omp parallel num_threads(4)")                                                                             \
    {                                                                                                                  \
        long last = -1;                                                                                                \
        _Pragma(clause) for (long i = 0; i < 2000; i++)                                                                \
        {                                                                                                              \
            CHECK(i > last);                                                                                           \
            last = i;                                                                                                  \
        }                                                                                                              \
    }

int main(void)
{
    ORDERED_IN_THREAD("omp for schedule(monotonic: dynamic)")
    ORDERED_IN_THREAD("omp for schedule(monotonic: dynamic, 5)")
    ORDERED_IN_THREAD("omp for schedule(monotonic: guided)")
    ORDERED_IN_THREAD("omp for schedule(monotonic: static, 3)")
    omp_set_schedule(omp_sched_monotonic | omp_sched_dynamic, 1);
    ORDERED_IN_THREAD("omp for schedule(runtime)")
    ORDERED_IN_THREAD("omp for schedule(monotonic: runtime)")
    return conform_end();
}
