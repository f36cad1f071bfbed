/* SPDX-License-Identifier: MIT */
/* taskwait waits for children, not for grandchildren; with depend it waits for the tasks it names only. */
#include "conform.h"

int main(void)
{
    int child = 0, grandchild = 0, x = 0, y = 0;
    volatile int release = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task shared(child, grandchild, release)
        {
#pragma omp task shared(grandchild)
#pragma omp atomic write
            grandchild = 1;
#pragma omp atomic write
            child = 1;
        }
#pragma omp taskwait
        CHECK(child == 1);
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : x) shared(x)
            x++;
#pragma omp task depend(inout : y) shared(y)
            y++;
        }
#pragma omp taskwait depend(in : x)
        CHECK(x == 20);
#pragma omp taskwait depend(inout : y)
        CHECK(y == 20);
#pragma omp task shared(release)
#pragma omp atomic write
        release = 1;
#pragma omp taskwait
        CHECK(release == 1);
    }
    CHECK(grandchild == 1);
    return conform_end();
}
