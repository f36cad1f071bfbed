/* SPDX-License-Identifier: MIT */
/* omp_display_env, short and verbose, and OMP_DISPLAY_ENV at start: the lines about host variables.
 * conform: width
 * conform: env OMP_NUM_THREADS=3,2 OMP_SCHEDULE=guided,4 OMP_STACKSIZE=9M OMP_WAIT_POLICY=passive
 * conform: env OMP_PROC_BIND=spread,close OMP_PLACES=threads OMP_CANCELLATION=true OMP_DYNAMIC=true
 * conform: env OMP_MAX_TASK_PRIORITY=5 OMP_THREAD_LIMIT=9 OMP_MAX_ACTIVE_LEVELS=3 OMP_ALLOCATOR=omp_high_bw_mem_alloc
 * conform: env OMP_NUM_TEAMS=3 OMP_TEAMS_THREAD_LIMIT=4 OMP_TARGET_OFFLOAD=disabled OMP_DEFAULT_DEVICE=2
 */
#include <unistd.h>

#include "conform.h"

int main(void)
{
    fflush(stdout);
    dup2(1, 2);
    omp_display_env(0);
    omp_display_env(1);
    return conform_end();
}
