/* SPDX-License-Identifier: MIT */
/* taskloop reduction and in_reduction, with simd, and a reduction over the default group of the construct. */
#include "conform.h"

int main(void)
{
    int sum = 0, max = -1, list[3] = {0, 0, 0};
    long product = 1;

#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum, list[0 : 3]) reduction(max : max) grainsize(5)
        for (int i = 0; i < 200; i++) {
            sum += i;
            list[i % 3]++;
            if (i > max)
                max = i;
        }
        CHECK(sum == 19900 && max == 199 && list[0] == 67 && list[1] == 67 && list[2] == 66);
#pragma omp taskgroup task_reduction(* : product)
        {
#pragma omp taskloop in_reduction(* : product) nogroup num_tasks(6)
            for (int i = 0; i < 12; i++)
                product *= 2;
#pragma omp task in_reduction(* : product)
            product *= 3;
        }
        CHECK(product == 3 * 4096);
#pragma omp taskloop simd reduction(+ : sum)
        for (int i = 0; i < 100; i++)
            sum++;
    }
#pragma omp parallel master taskloop simd reduction(+ : sum) num_threads(3)
    for (int i = 0; i < 100; i++)
        sum++;
    CHECK(sum == 20100);
    return conform_end();
}
