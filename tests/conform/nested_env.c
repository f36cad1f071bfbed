/* SPDX-License-Identifier: MIT */
/* Lists per nesting level and limits in the environment: what each level gets.
 * conform: width
 * conform: env OMP_NUM_THREADS=4,2
 * conform: env OMP_NUM_THREADS=2,3,2 OMP_MAX_ACTIVE_LEVELS=3
 * conform: env OMP_NUM_THREADS=2,2 OMP_MAX_ACTIVE_LEVELS=1
 * conform: env OMP_NUM_THREADS=3 OMP_NESTED=true
 * conform: env OMP_NUM_THREADS=3,2 OMP_NESTED=false
 * conform: env OMP_NUM_THREADS=4,4 OMP_THREAD_LIMIT=6
 * conform: env OMP_NUM_THREADS=8 OMP_THREAD_LIMIT=3
 * conform: env OMP_NUM_THREADS=2,2,2 OMP_PROC_BIND=spread,close
 * conform: env OMP_NUM_THREADS=2 OMP_PROC_BIND=close,spread OMP_PLACES=threads
 * conform: env OMP_NUM_THREADS=,2
 * conform: env OMP_NUM_THREADS=0
 * conform: env OMP_MAX_ACTIVE_LEVELS=999
 */
#include "conform.h"

static void show(int level)
{
#pragma omp parallel
    {
        int total = omp_get_num_threads();

#pragma omp critical
        if (omp_get_thread_num() == 0 && omp_get_ancestor_thread_num(1) == 0 && omp_get_ancestor_thread_num(2) <= 0)
            printf("level %d: %d threads, next %d, active %d, bind %d\n", level, total, omp_get_max_threads(),
                   omp_get_active_level(), omp_get_proc_bind());
#pragma omp barrier
        if (level < 3 && omp_get_thread_num() == 0)
            show(level + 1);
    }
}

int main(void)
{
    printf("limit %d, levels %d, max %d, dynamic %d, bind %d\n", omp_get_thread_limit(), omp_get_max_active_levels(),
           omp_get_max_threads(), omp_get_dynamic(), omp_get_proc_bind());
    show(1);
    return conform_end();
}
