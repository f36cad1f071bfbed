/* SPDX-License-Identifier: MIT */
/* threadprivate: persistent between regions of one width, copyin, copyprivate; the caller's copy is thread 0's. */
#include "conform.h"

static int mine, list[4];
#pragma omp threadprivate(mine, list)

int main(void)
{
    omp_set_dynamic(0);
#pragma omp parallel num_threads(4)
    {
        mine = 100 + omp_get_thread_num();
        list[3] = mine;
    }
    CHECK(mine == 100);
    for (int round = 0; round < 50; round++)
#pragma omp parallel num_threads(4)
        {
            CHECK(mine == 100 + omp_get_thread_num() + round && list[3] == 100 + omp_get_thread_num());
            mine++;
        }
    mine = 7;
    list[0] = 8;
#pragma omp parallel num_threads(4) copyin(mine, list)
    {
        CHECK(mine == 7 && list[0] == 8);
        mine = omp_get_thread_num();
#pragma omp barrier
#pragma omp single copyprivate(mine)
        mine = 55;
        CHECK(mine == 55);
    }
    CHECK(mine == 55);
    return conform_end();
}
