/* SPDX-License-Identifier: MIT */
/* master, masked and masked filter(n): exactly that thread, no barrier; combined with taskloop. */
#include "conform.h"

int main(void)
{
    int master = 0, masked = 0, third = 0, nobody = 0, looped = 0;

#pragma omp parallel num_threads(4)
    {
#pragma omp master
        master += 1 + omp_get_thread_num();
#pragma omp masked
        masked += 1 + omp_get_thread_num();
#pragma omp masked filter(2)
        third += 1 + omp_get_thread_num();
#pragma omp masked filter(9)
        nobody++;
    }
#pragma omp parallel masked taskloop num_threads(3) reduction(+ : looped)
    for (int i = 0; i < 100; i++)
        looped++;
    CHECK(master == 1 && masked == 1 && third == 3 && nobody == 0 && looped == 100);
    return conform_end();
}
