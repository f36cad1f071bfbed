/* SPDX-License-Identifier: MIT */
/* Many loops in flight: nowait lets a thread run ahead by any number of worksharing constructs. */
#include "conform.h"

#define LOOPS 200
static int done[LOOPS];

int main(void)
{
#pragma omp parallel num_threads(4)
    {
        for (int loop = 0; loop < LOOPS; loop++) {
            switch (loop % 4) {
            case 0:
#pragma omp for schedule(dynamic) nowait
                for (int i = 0; i < 17; i++)
#pragma omp atomic
                    done[loop]++;
                break;
            case 1:
#pragma omp for schedule(guided) nowait
                for (unsigned long long i = 0; i < 17; i++)
#pragma omp atomic
                    done[loop]++;
                break;
            case 2:
#pragma omp sections nowait
                {
#pragma omp section
#pragma omp atomic
                    done[loop] += 8;
#pragma omp section
#pragma omp atomic
                    done[loop] += 9;
                }
                break;
            case 3:
#pragma omp single nowait
                {
#pragma omp atomic
                    done[loop] += 17;
                }
            }
        }
    }
    for (int loop = 0; loop < LOOPS; loop++)
        CHECK(done[loop] == 17);
    return conform_end();
}
