/* SPDX-License-Identifier: MIT */
/* task: if, final, untied, mergeable, firstprivate, shared, omp_in_final; tasks made by tasks; fib and a tree. */
#include "conform.h"

static int fib(int n)
{
    int a, b;

    if (n < 2)
        return n;
#pragma omp task shared(a) final(n < 8) mergeable
    a = fib(n - 1);
#pragma omp task shared(b) untied if (n > 5)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static int leaves;
static void tree(int depth)
{
    if (depth == 0) {
#pragma omp atomic
        leaves++;
        return;
    }
    for (int i = 0; i < 3; i++)
#pragma omp task
        tree(depth - 1); /* no taskwait: the region's end waits for all of them */
}

int main(void)
{
    int result = 0, immediate = 0;
    long sum = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
    result = fib(18);
    CHECK(result == 2584);
#pragma omp parallel num_threads(4)
#pragma omp single nowait
    tree(7);
    CHECK(leaves == 2187);
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 1000; i++) {
            int big[40];

            big[39] = i;
#pragma omp task firstprivate(big) shared(sum)
#pragma omp atomic
            sum += big[39];
        }
#pragma omp task if (0) shared(immediate)
        immediate = 1 + omp_in_final();
        CHECK(immediate == 1);
#pragma omp task final(1) shared(immediate)
        {
            CHECK(omp_in_final());
#pragma omp task shared(immediate)
            {
                CHECK(omp_in_final());
                immediate = 7;
            }
            CHECK(immediate == 7);
        }
    }
    CHECK(sum == 999 * 500 && immediate == 7 && !omp_in_final());
    fib(10);
    return conform_end();
}
