/* SPDX-License-Identifier: MIT */
/* ordered(n) with depend(sink) and depend(source), one and two deep, every schedule, long and unsigned long long. */
#include "conform.h"

#define N 64
static long line[N + 1], grid[N + 1][N + 1];

#define ONE_DEEP(type, clause)                                                                                         \
    do {                                                                                                               \
        memset(line, 0, sizeof line);                                                                                  \
        line[0] = 1;                                                                                                   \
        _Pragma("omp parallel num_threads(4)")                                                                         \
        {                                                                                                              \
            _Pragma(clause) for (type i = 1; i <= N; i++)                                                              \
            {                                                                                                          \
                _Pragma("omp ordered depend(sink: i - 1)") line[i] = line[i - 1] * 3 + (long)i;                        \
                _Pragma("omp ordered depend(source)")                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        CHECK(line[N] == expected);                                                                                    \
    } while (0)

int main(void)
{
    long expected = 1;

    for (long i = 1; i <= N; i++)
        expected = (long)((unsigned long)expected * 3 + (unsigned long)i);
    ONE_DEEP(long, "omp for ordered(1)");
    ONE_DEEP(long, "omp for ordered(1) schedule(static, 1)");
    ONE_DEEP(long, "omp for ordered(1) schedule(static, 5)");
    ONE_DEEP(long, "omp for ordered(1) schedule(dynamic)");
    ONE_DEEP(long, "omp for ordered(1) schedule(guided, 2)");
    ONE_DEEP(long, "omp for ordered(1) schedule(runtime)");
    ONE_DEEP(unsigned long long, "omp for ordered(1) schedule(static, 1)");
    ONE_DEEP(unsigned long long, "omp for ordered(1) schedule(dynamic, 2)");
    ONE_DEEP(unsigned long long, "omp for ordered(1) schedule(guided)");
    for (int i = 0; i <= N; i++)
        grid[i][0] = grid[0][i] = 1;
#pragma omp parallel for num_threads(4) ordered(2) schedule(dynamic, 1)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000003;
#pragma omp ordered depend(source)
        }
    printf("%ld\n", grid[N][N]);
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            CHECK(grid[i][j] == (grid[i - 1][j] + grid[i][j - 1]) % 1000003);
    return conform_end();
}
