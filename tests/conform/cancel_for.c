/* SPDX-License-Identifier: MIT */
/* cancel for: the loop ends early in all threads, whatever its schedule; the next loop is whole again.
 * conform: env OMP_CANCELLATION=true
 */
#include "conform.h"

#define CANCELLED(clause)                                                                                              \
    do {                                                                                                               \
        int before = 0, after = 0;                                                                                     \
        _Pragma("omp parallel num_threads(4)")                                                                         \
        {                                                                                                              \
            _Pragma(clause) for (int i = 0; i < 100000; i++)                                                           \
            {                                                                                                          \
                _Pragma("omp cancellation point for") _Pragma("omp atomic") before++;                                  \
                if (i == 3) {                                                                                          \
                    _Pragma("omp cancel for")                                                                          \
                }                                                                                                      \
            }                                                                                                          \
            _Pragma(clause) for (int i = 0; i < 1000; i++)                                                             \
            {                                                                                                          \
                if (i > 100000) {                                                                                      \
                    _Pragma("omp cancel for")                                                                          \
                }                                                                                                      \
                _Pragma("omp atomic") after++;                                                                         \
            }                                                                                                          \
        }                                                                                                              \
        CHECK(before >= 1 && (omp_get_cancellation() ? before <= 100000 : before == 100000) && after == 1000);         \
    } while (0)

/* A condition from memory: GCC then writes the low byte of the argument only. */
__attribute__((noinline)) static int not_cancelled(const int *never)
{
    int count = 0;

#pragma omp parallel num_threads(4)
#pragma omp for
    for (int i = 0; i < 1000; i++) {
#pragma omp cancel for if (*never)
#pragma omp atomic
        count++;
    }
    return count;
}

int main(void)
{
    int never = 0;

    CHECK(not_cancelled(&never) == 1000);
    printf("cancellation %d\n", omp_get_cancellation());
    CANCELLED("omp for");
    CANCELLED("omp for schedule(static, 2)");
    CANCELLED("omp for schedule(dynamic)");
    CANCELLED("omp for schedule(guided)");
    CANCELLED("omp for schedule(runtime)");
    return conform_end();
}
