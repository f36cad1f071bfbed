/* SPDX-License-Identifier: MIT */
/* Wide teams, far more threads than processors: flat teams and trees of every shape the cost model picks. Each member runs
 * once, with its number; a barrier holds all back; tasks and reductions are complete at its end. */
/* conform: env OMP_WAIT_POLICY=passive */
/* conform: env OMP_PROC_BIND=close OMP_PLACES=threads */
/* conform: width */
#include "conform.h"

#define WIDEST 256

static void region(int width)
{
    int ran[WIDEST] = {0}, before[WIDEST] = {0}, late = 0, tasks = 0;
    long sum = 0;
#pragma omp parallel num_threads(width) reduction(+ : sum)
    {
        int me = omp_get_thread_num();
        CHECK(omp_get_num_threads() == width);
        ran[me]++;
        before[me] = 1;
#pragma omp barrier
        for (int i = 0; i < width; i++)
            if (!before[i])
#pragma omp atomic
                late++;
        sum += me;
        if (me % 16 == 0)
#pragma omp task shared(tasks)
        {
#pragma omp atomic
            tasks++;
        }
    }
    for (int i = 0; i < width; i++)
        CHECK(ran[i] == 1);
    CHECK(late == 0);
    CHECK(sum == (long)width * (width - 1) / 2);
    CHECK(tasks == (width + 15) / 16);
}

int main(void)
{
    static const int widths[] = {9, 16, 17, 33, 64, 65, 100, 128, 200, 256, 8, 255};
    for (unsigned i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int again = 0; again < 3; again++)
            region(widths[i]);
    return conform_end();
}
