/* SPDX-License-Identifier: MIT */
/* depend(in, out, inout): chains keep their order, readers come between writers, a wavefront over an array. */
#include "conform.h"

#define N 24
static int grid[N + 1][N + 1];

int main(void)
{
    int value = 0, readers = 0, x = 0, list[100];

#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 100; i++)
#pragma omp task depend(inout : value) shared(value)
            {
                CHECK(value == i);
                value = i + 1;
            }
        for (int round = 0; round < 20; round++) {
#pragma omp task depend(out : x) shared(x, readers)
            {
                CHECK(readers == round * 5);
                x = round;
            }
            for (int i = 0; i < 5; i++)
#pragma omp task depend(in : x) shared(x, readers)
                {
                    CHECK(x == round);
#pragma omp atomic
                    readers++;
                }
        }
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++)
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
                grid[i][j] = 1 + (grid[i - 1][j] > grid[i][j - 1] ? grid[i - 1][j] : grid[i][j - 1]);
        for (int i = 0; i < 100; i++)
#pragma omp task depend(out : list[i]) shared(list)
            list[i] = i;
        for (int i = 1; i < 100; i++)
#pragma omp task depend(in : list[i - 1], list[i]) depend(inout : value) shared(list, value)
            value += list[i] - list[i - 1];
    }
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            CHECK(grid[i][j] == i + j - 1);
    CHECK(value == 199 && readers == 100);
    return conform_end();
}
