/* SPDX-License-Identifier: MIT */
/* Control variables: set and read back, clamped as libgomp clamps, one set per data environment: a task's or a
 * region's changes stay its own. */
#include "conform.h"

static void show(void)
{
    omp_sched_t kind;
    int chunk;

    omp_get_schedule(&kind, &chunk);
    printf("threads %d dynamic %d nested %d levels %d schedule %#x,%d device %d\n", omp_get_max_threads(),
           omp_get_dynamic(), omp_get_max_active_levels() > 1, omp_get_max_active_levels(), (unsigned)kind, chunk,
           omp_get_default_device());
}

int main(void)
{
    int inherited = 0;

    show();
    printf("limit %d supported %d procs %d devices %d initial %d host %d priority %d cancel %d\n",
           omp_get_thread_limit(), omp_get_supported_active_levels(), omp_get_num_procs(), omp_get_num_devices(),
           omp_get_initial_device(), omp_is_initial_device(), omp_get_max_task_priority(), omp_get_cancellation());
    omp_set_num_threads(5);
    omp_set_dynamic(1);
    omp_set_max_active_levels(4);
    omp_set_schedule(omp_sched_guided, 6);
    omp_set_default_device(3);
    show();
    omp_set_num_threads(-2);
    show();
    omp_set_num_threads(0);
    omp_set_max_active_levels(-1);
    omp_set_schedule(omp_sched_dynamic, -5);
    show();
    omp_set_max_active_levels(1 << 20);
    omp_set_schedule(omp_sched_auto, 9);
    show();
    omp_set_schedule(omp_sched_static, -5);
    omp_set_dynamic(0);
    show();
    omp_set_num_threads(3);
#pragma omp parallel num_threads(2) reduction(+ : inherited)
    {
        inherited += omp_get_max_threads() == 3;
        omp_set_num_threads(10 + omp_get_thread_num());
        omp_set_dynamic(omp_get_thread_num());
#pragma omp barrier
        CHECK(omp_get_max_threads() == 10 + omp_get_thread_num() && omp_get_dynamic() == omp_get_thread_num());
#pragma omp task if (0)
        {
            CHECK(omp_get_max_threads() >= 10);
            omp_set_num_threads(99);
            CHECK(omp_get_max_threads() == 99);
        }
        CHECK(omp_get_max_threads() == 10 + omp_get_thread_num());
    }
    CHECK(inherited == 2 && omp_get_max_threads() == 3 && !omp_get_dynamic());
    omp_set_nested(1);
    printf("nested %d\n", omp_get_nested());
    return conform_end();
}
