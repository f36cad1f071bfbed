/* SPDX-License-Identifier: MIT */
/* collapse, also of a loop nest that is not a rectangle; lastprivate takes the sequentially last iteration's value,
 * lastprivate(conditional) the last one that assigned; linear. */
#include "conform.h"

int main(void)
{
    int cells[20][30] = {{0}}, last_i = 0, last_j = 0, conditional = -1, triangle = 0, n = 0;

#pragma omp parallel num_threads(4)
    {
#pragma omp for collapse(2) schedule(dynamic, 7) lastprivate(last_i, last_j)
        for (int i = 0; i < 20; i++)
            for (int j = 29; j >= 0; j--) {
                cells[i][j]++;
                last_i = i;
                last_j = j;
            }
#pragma omp for collapse(2) reduction(+ : triangle)
        for (int i = 0; i < 25; i++)
            for (int j = 0; j <= i; j++)
                triangle++;
#pragma omp for schedule(dynamic, 3) lastprivate(conditional : conditional)
        for (int i = 0; i < 500; i++)
            if (i % 37 == 5)
                conditional = i;
#pragma omp for linear(n : 3) schedule(static, 9)
        for (int i = 0; i < 50; i++) {
            CHECK(n == 3 * i);
            n += 3;
        }
    }
    for (int i = 0; i < 600; i++)
        CHECK(cells[i / 30][i % 30] == 1);
    CHECK(last_i == 19 && last_j == 0);
    CHECK(triangle == 325);
    CHECK(conditional == 486);
    CHECK(n == 150);
    return conform_end();
}
