/* SPDX-License-Identifier: MIT */
/* Every query of the user API in every kind of context: sequential, parallel, task, nested, target, league, and each of the
 * last inside a region. What one context sets must not be seen in another.
 * conform: env OMP_NUM_THREADS=3,2 OMP_MAX_ACTIVE_LEVELS=2 OMP_SCHEDULE=guided,3 OMP_NUM_TEAMS=2
 * conform: env OMP_THREAD_LIMIT=6 OMP_TEAMS_THREAD_LIMIT=2 OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=5
 */
#include "conform.h"

static void show(const char *where)
{
    omp_sched_t kind;
    int chunk;

    omp_get_schedule(&kind, &chunk);
    printf("%s: max %d dyn %d nest %d levels %d limit %d sched %x,%d dev %d/%d/%d/%d level %d active %d of %d team %d/%d "
           "max %d limit %d par %d final %d cancel %d prio %d bind %d init %d\n",
           where, omp_get_max_threads(), omp_get_dynamic(), omp_get_nested(), omp_get_max_active_levels(),
           omp_get_thread_limit(), (unsigned)kind, chunk, omp_get_default_device(), omp_get_num_devices(),
           omp_get_initial_device(), omp_get_device_num(), omp_get_level(), omp_get_active_level(),
           omp_get_num_threads(), omp_get_team_num(), omp_get_num_teams(), omp_get_max_teams(),
           omp_get_teams_thread_limit(), omp_in_parallel(), omp_in_final(), omp_get_cancellation(),
           omp_get_max_task_priority(), omp_get_proc_bind(), omp_is_initial_device());
    for (int level = -2; level <= omp_get_level() + 1; level++)
        printf(" %d:%d/%d", level, omp_get_ancestor_thread_num(level), omp_get_team_size(level));
    printf("\n");
}

/* Out of line: strictly inside teams, GCC refuses most routines. */
__attribute__((noipa)) static void set(int threads)
{
    omp_set_num_threads(threads);
    omp_set_dynamic(0);
    omp_set_schedule(omp_sched_static, threads);
}

__attribute__((noipa)) static int maximum(void) { return omp_get_max_threads(); }

static void regions(const char *where)
{
    char text[64];

    show(where);
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        snprintf(text, sizeof text, "%s, parallel", where);
        show(text);
        set(9);
#pragma omp task final(1) if (0)
        {
            snprintf(text, sizeof text, "%s, final task", where);
            show(text);
            set(11);
            printf("max %d\n", omp_get_max_threads());
        }
#pragma omp taskwait
        printf("max %d\n", omp_get_max_threads());
    }
#pragma omp parallel if (0)
    {
        snprintf(text, sizeof text, "%s, serialized", where);
        show(text);
    }
    show(where);
}

int main(void)
{
    regions("start");
    omp_set_num_threads(6);
    regions("set");
#pragma omp target
    regions("target");
#pragma omp target thread_limit(3)
    regions("target thread_limit");
#pragma omp target teams num_teams(3) thread_limit(2)
    regions("target teams");
#pragma omp target teams
    regions("target teams, no clause");
#pragma omp teams num_teams(2) thread_limit(3)
    {
        regions("teams");
        set(7);
        printf("max %d\n", maximum());
    }
    show("after teams");
#pragma omp teams
    regions("teams, no clause");
#pragma omp teams num_teams(3 : 5)
    printf("team %d of %d\n", omp_get_team_num(), omp_get_num_teams());
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
    for (int turn = 0; turn < 6; turn++) {
        if (turn == omp_get_ancestor_thread_num(1) * 3 + omp_get_thread_num() && turn == 5)
            show("nested");
#pragma omp barrier
    }
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp target
        regions("target in parallel");
        show("after target in parallel");
    }
    show("end");
    return conform_end();
}
