/* SPDX-License-Identifier: MIT */
/* barrier: nobody passes before all have come, thousands of times, at several widths. */
#include "conform.h"

static int arrived[16];

int main(void)
{
    for (int width = 1; width <= 8; width++) {
#pragma omp parallel num_threads(width)
        for (int round = 1; round <= 200; round++) {
            __atomic_store_n(&arrived[omp_get_thread_num()], round, __ATOMIC_RELAXED);
#pragma omp barrier
            for (int i = 0; i < width; i++)
                CHECK(__atomic_load_n(&arrived[i], __ATOMIC_RELAXED) == round);
#pragma omp barrier
        }
        memset(arrived, 0, sizeof arrived);
    }
    return conform_end();
}
