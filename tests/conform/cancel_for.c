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

int main(void)
{
    printf("cancellation %d\n", omp_get_cancellation());
    CANCELLED("omp for");
    CANCELLED("omp for schedule(static, 2)");
    CANCELLED("omp for schedule(dynamic)");
    CANCELLED("omp for schedule(guided)");
    CANCELLED("omp for schedule(runtime)");
    return conform_end();
}
