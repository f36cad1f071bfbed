/* SPDX-License-Identifier: MIT */
/* taskgroup waits for all descendants made inside it; groups nest; taskyield lets others run. */
#include "conform.h"

int main(void)
{
    int inside = 0, outer = 0, total = 0;

#pragma omp parallel num_threads(4)
    {
#pragma omp single
        {
#pragma omp taskgroup
            {
                for (int i = 0; i < 10; i++)
#pragma omp task shared(inside, outer)
                    {
#pragma omp taskgroup
                        {
#pragma omp task shared(inside)
#pragma omp task shared(inside)
#pragma omp atomic
                            inside++;
                        }
#pragma omp taskyield
#pragma omp task shared(outer)
#pragma omp atomic
                        outer++;
                    }
            }
            CHECK(inside == 10 && outer == 10);
        }
#pragma omp taskgroup
        {
            for (int i = 0; i < 25; i++)
#pragma omp task shared(total)
#pragma omp atomic
                total++;
        }
#pragma omp barrier
        CHECK(total == 100);
    }
    return conform_end();
}
