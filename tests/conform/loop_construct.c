/* SPDX-License-Identifier: MIT */
/* loop, with order(concurrent) and bind; for simd; distribute inside a host teams region. */
#include "conform.h"

int main(void)
{
    int a[256] = {0}, sum = 0, teams_sum = 0;

#pragma omp parallel num_threads(4)
    {
#pragma omp loop bind(parallel) order(concurrent) reduction(+ : sum)
        for (int i = 0; i < 256; i++) {
            a[i]++;
            sum += i;
        }
#pragma omp for simd schedule(simd : dynamic, 8)
        for (int i = 0; i < 256; i++)
            a[i] += i;
    }
#pragma omp teams distribute parallel for num_teams(2) thread_limit(3) reduction(+ : teams_sum) schedule(dynamic, 5)
    for (int i = 0; i < 256; i++)
        teams_sum += a[i];
    CHECK(sum == 255 * 128);
    CHECK(teams_sum == 256 + 255 * 128);
    return conform_end();
}
