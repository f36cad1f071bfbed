/* SPDX-License-Identifier: MIT */
/* depend(mutexinoutset): the tasks of a set exclude each other in any order, between the writers around them. */
#include "conform.h"

int main(void)
{
    int x = 0, y = 0, inside = 0, added = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
    for (int round = 0; round < 30; round++) {
#pragma omp task depend(out : x) shared(x, added)
        {
            CHECK(added == round * 6);
            x = round;
        }
        for (int i = 0; i < 6; i++)
#pragma omp task depend(mutexinoutset : x, y) shared(x, inside, added)
            {
                int alone = __atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED);

                CHECK(alone == 1 && x == round);
                added++;
                __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
            }
#pragma omp task depend(in : x) shared(added)
        CHECK(added == (round + 1) * 6);
    }
    CHECK(added == 180);
    return conform_end();
}
