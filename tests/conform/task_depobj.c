/* SPDX-License-Identifier: MIT */
/* depobj: made, used by tasks, updated, destroyed. */
#include "conform.h"

int main(void)
{
    int x = 0, done = 0;
    omp_depend_t on_x;

#pragma omp depobj(on_x) depend(inout : x)
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 50; i++)
#pragma omp task depend(depobj : on_x) shared(x)
            {
                CHECK(x == i);
                x++;
            }
#pragma omp depobj(on_x) update(in)
        for (int i = 0; i < 50; i++)
#pragma omp task depend(depobj : on_x) shared(x, done)
            {
                CHECK(x == 50);
#pragma omp atomic
                done++;
            }
#pragma omp task depend(out : x) shared(x, done)
        {
            CHECK(done == 50);
            x = 99;
        }
#pragma omp depobj(on_x) update(mutexinoutset)
#pragma omp task depend(depobj : on_x) shared(x)
        CHECK(x == 99);
    }
#pragma omp depobj(on_x) destroy
    CHECK(x == 99);
    return conform_end();
}
