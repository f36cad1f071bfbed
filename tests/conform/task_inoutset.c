/* SPDX-License-Identifier: MIT */
/* depend(inoutset): the tasks of a set may run together, after readers and writers before them, before those after.
 * GCC knows the word from 13 on. */
#include "conform.h"

int main(void)
{
#if __GNUC__ < 13
    return 77;
#else
    int x = 0, done = 0, read = 0;

#pragma omp parallel num_threads(4)
#pragma omp single
    for (int round = 0; round < 30; round++) {
#pragma omp task depend(out : x) shared(x, done)
        {
            CHECK(done == round * 5);
            x = round;
        }
        for (int i = 0; i < 5; i++)
#pragma omp task depend(inoutset : x) shared(x, done)
            {
                CHECK(x == round);
#pragma omp atomic
                done++;
            }
        for (int i = 0; i < 2; i++)
#pragma omp task depend(in : x) shared(done, read)
            {
                CHECK(done == (round + 1) * 5);
#pragma omp atomic
                read++;
            }
    }
    CHECK(done == 150 && read == 60);
    return conform_end();
#endif
}
