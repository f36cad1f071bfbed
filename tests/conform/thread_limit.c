/* SPDX-License-Identifier: MIT */
/* OMP_THREAD_LIMIT counts all threads of the contention group: nested regions get what is left.
 * conform: width
 * conform: env OMP_THREAD_LIMIT=4
 * conform: env OMP_THREAD_LIMIT=3
 * conform: env OMP_THREAD_LIMIT=1
 * conform: env OMP_THREAD_LIMIT=7 OMP_NUM_THREADS=8
 */
#include "conform.h"

int main(void)
{
    int width = 0, inner = 0;

    omp_set_max_active_levels(2);
    for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(6)
#pragma omp single
        width = omp_get_num_threads();
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(5)
#pragma omp single
            inner = omp_get_num_threads();
        }
    }
    printf("outer %d, inner %d\n", width, inner);
    return conform_end();
}
