/* SPDX-License-Identifier: MIT */
/* cancel parallel and its cancellation points; with cancel-var false nothing is cancelled.
 * conform: env OMP_CANCELLATION=true
 * conform: env OMP_CANCELLATION=true OMP_NUM_THREADS=3
 */
#include "conform.h"

int main(void)
{
    int cancelling = omp_get_cancellation(), passed = 0, regions = 0;

    printf("cancellation %d\n", cancelling);
    for (int round = 0; round < 50; round++) {
        passed = 0;
#pragma omp parallel num_threads(4)
        {
            if (omp_get_thread_num() == round % 4) {
#pragma omp cancel parallel
            }
#pragma omp barrier
#pragma omp cancellation point parallel
#pragma omp atomic
            passed++;
        }
        CHECK(passed == (cancelling ? 0 : 4));
#pragma omp parallel num_threads(4) reduction(+ : regions)
        regions++;
    }
    CHECK(regions == 200);
    return conform_end();
}
