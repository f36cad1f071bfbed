/* SPDX-License-Identifier: MIT */
/* sections and parallel sections, more and fewer sections than threads, nowait, lastprivate, reduction. */
#include "conform.h"

int main(void)
{
    int ran[8] = {0}, last = 0, sum = 0;

#pragma omp parallel num_threads(3)
    {
#pragma omp sections lastprivate(last) reduction(+ : sum)
        {
#pragma omp section
            { ran[0]++; sum += 1; last = 10; }
#pragma omp section
            { ran[1]++; sum += 2; last = 11; }
#pragma omp section
            { ran[2]++; sum += 4; last = 12; }
#pragma omp section
            { ran[3]++; sum += 8; last = 13; }
#pragma omp section
            { ran[4]++; sum += 16; last = 14; }
        }
        CHECK(last == 14 && sum == 31);
#pragma omp barrier
#pragma omp sections nowait
        {
#pragma omp section
            ran[5]++;
        }
    }
#pragma omp parallel sections num_threads(4) firstprivate(last)
    {
#pragma omp section
        { CHECK(last == 14); ran[6]++; }
#pragma omp section
        ran[7]++;
    }
    for (int i = 0; i < 8; i++)
        CHECK(ran[i] == 1);
    return conform_end();
}
