/* SPDX-License-Identifier: MIT */
/* Loops at the ends of their type and without iterations, which end arithmetic by overflow must not run. */
#include <limits.h>

#include "conform.h"

int main(void)
{
    unsigned long long top = ULLONG_MAX, count = 0, sum = 0;
    long least = LONG_MIN, n = 0;
    volatile long none = 0;

#pragma omp parallel num_threads(4) reduction(+ : count, sum, n)
    {
#pragma omp for schedule(dynamic, 3)
        for (unsigned long long i = top - 100; i < top; i += 5)
            count++, sum += top - i;
#pragma omp for schedule(guided)
        for (unsigned long long i = top; i > top - 50; i -= 3)
            count++;
#pragma omp for schedule(dynamic)
        for (long i = least; i < least + 40; i += 9)
            n++;
#pragma omp for schedule(nonmonotonic : dynamic, 4000000000)
        for (unsigned long long i = 0; i < 10; i++)
            count++;
#pragma omp for schedule(dynamic, 3)
        for (long i = LONG_MAX - 10; i < LONG_MAX - 1; i += 2)
            n++;
#pragma omp for schedule(guided, 1)
        for (unsigned long long i = 1ull << 63; i < (1ull << 63) + 20; i++)
            count++;
#pragma omp for schedule(dynamic)
        for (long i = 5; i < none; i++)
            n += 1000;
#pragma omp for schedule(guided)
        for (unsigned long long i = 5; i < (unsigned long long)none; i++)
            n += 1000;
#pragma omp for schedule(static, 2)
        for (long i = none; i > 5; i--)
            n += 1000;
    }
    printf("%llu %llu %ld\n", count, sum, n);
    CHECK(count == 20 + 17 + 10 + 20 && n == 5 + 5);
    return conform_end();
}
