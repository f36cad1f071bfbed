/* SPDX-License-Identifier: MIT */
/* ordered: the ordered parts run in iteration order whatever the schedule, also when some iterations have none. */
#include "conform.h"

#define IN_ORDER(clauses)                                                                                              \
    do {                                                                                                               \
        long next = 0;                                                                                                 \
        _Pragma("omp parallel num_threads(4)")                                                                         \
        {                                                                                                              \
            _Pragma(clauses) for (long i = 0; i < 300; i++)                                                            \
            {                                                                                                          \
                if (i % 10 != 9) {                                                                                     \
                    _Pragma("omp ordered")                                                                             \
                    {                                                                                                  \
                        CHECK(next == i);                                                                              \
                        next = i % 10 == 8 ? i + 2 : i + 1;                                                            \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        CHECK(next == 300);                                                                                            \
    } while (0)

int main(void)
{
    unsigned long long place = 0;

    IN_ORDER("omp for ordered");
    IN_ORDER("omp for ordered schedule(static, 1)");
    IN_ORDER("omp for ordered schedule(static, 7)");
    IN_ORDER("omp for ordered schedule(dynamic)");
    IN_ORDER("omp for ordered schedule(dynamic, 4)");
    IN_ORDER("omp for ordered schedule(guided)");
    IN_ORDER("omp for ordered schedule(guided, 3)");
    IN_ORDER("omp for ordered schedule(auto)");
    omp_set_schedule(omp_sched_dynamic, 2);
    IN_ORDER("omp for ordered schedule(runtime)");
    omp_set_schedule(omp_sched_guided, 2);
    IN_ORDER("omp for ordered schedule(runtime) nowait");
#pragma omp parallel for ordered schedule(dynamic, 3) num_threads(3)
    for (unsigned long long i = 100; i > 0; i--)
#pragma omp ordered
        CHECK(place++ == 100 - i);
    CHECK(place == 100);
    return conform_end();
}
