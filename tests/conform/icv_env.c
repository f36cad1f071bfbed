/* SPDX-License-Identifier: MIT */
/* Every variable that a program can see the effect of, well formed and malformed: the answers are libgomp's.
 * conform: width
 * conform: env OMP_NUM_THREADS=3
 * conform: env OMP_NUM_THREADS=zwei
 * conform: env OMP_NUM_THREADS=4x
 * conform: env OMP_NUM_THREADS=99999999999999999999
 * conform: env OMP_NUM_THREADS=+3
 * conform: env OMP_DYNAMIC=true
 * conform: env OMP_DYNAMIC=TRUE
 * conform: env OMP_DYNAMIC=1
 * conform: env OMP_DYNAMIC=maybe
 * conform: env OMP_NESTED=true
 * conform: env OMP_NESTED=true OMP_MAX_ACTIVE_LEVELS=1
 * conform: env OMP_MAX_ACTIVE_LEVELS=0
 * conform: env OMP_MAX_ACTIVE_LEVELS=-1
 * conform: env OMP_THREAD_LIMIT=5
 * conform: env OMP_THREAD_LIMIT=1
 * conform: env OMP_THREAD_LIMIT=0
 * conform: env OMP_CANCELLATION=true
 * conform: env OMP_CANCELLATION=yes
 * conform: env OMP_MAX_TASK_PRIORITY=12
 * conform: env OMP_MAX_TASK_PRIORITY=-4
 * conform: env OMP_DEFAULT_DEVICE=4
 * conform: env OMP_NUM_TEAMS=6 OMP_TEAMS_THREAD_LIMIT=7
 * conform: env OMP_NUM_TEAMS=-1
 * conform: env OMP_WAIT_POLICY=active
 * conform: env OMP_WAIT_POLICY=passive
 * conform: env OMP_WAIT_POLICY=sometimes
 * conform: env OMP_STACKSIZE=1M
 * conform: env OMP_STACKSIZE=16
 * conform: env OMP_STACKSIZE=12Q
 * conform: env GOMP_STACKSIZE=4096
 * conform: env GOMP_SPINCOUNT=0
 * conform: env GOMP_SPINCOUNT=infinite
 * conform: env GOMP_SPINCOUNT=many
 * conform: env GOMP_DEBUG=0
 * conform: env OMP_TOOL=disabled
 * conform: env OMP_TARGET_OFFLOAD=disabled
 * conform: env OMP_ALLOCATOR=omp_cgroup_mem_alloc
 * conform: env OMP_ALLOCATOR=nonsense
 * conform: env OMP_PROC_BIND=close
 */
#include "conform.h"

int main(void)
{
    omp_sched_t kind;
    int chunk, width = 0;

    omp_get_schedule(&kind, &chunk);
    printf("max %d dynamic %d levels %d limit %d cancel %d priority %d device %d teams %d,%d schedule %#x,%d bind %d "
           "allocator %lu\n",
           omp_get_max_threads(), omp_get_dynamic(), omp_get_max_active_levels(), omp_get_thread_limit(),
           omp_get_cancellation(), omp_get_max_task_priority(), omp_get_default_device(), omp_get_max_teams(),
           omp_get_teams_thread_limit(), (unsigned)kind, chunk, omp_get_proc_bind(),
           (unsigned long)omp_get_default_allocator());
    omp_set_dynamic(0);
#pragma omp parallel
#pragma omp single
    width = omp_get_num_threads();
    printf("default %d\n", width);
#pragma omp parallel num_threads(6)
#pragma omp single
    width = omp_get_num_threads();
    printf("asked 6, got %d\n", width);
    return conform_end();
}
