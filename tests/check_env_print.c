/* SPDX-License-Identifier: MIT */
/* For check_env.sh: everything a program can ask that the environment decides. What differs from run to run is not printed. */
#include <omp.h>
#include <stdio.h>

static void partition(const char *what, int who)
{
    int ids[256], n = omp_get_partition_num_places();

    if (n <= 256)
        omp_get_partition_place_nums(ids);
    printf("%s %d: place %d, partition %d from %d, bind %d\n", what, who, omp_get_place_num(), n, n > 0 && n <= 256 ? ids[0] : -1,
           omp_get_proc_bind());
}

/* The members of the team, in order. */
static void team(const char *what)
{
    for (int turn = 0; turn < omp_get_num_threads(); turn++) {
        if (turn == omp_get_thread_num())
            partition(what, turn);
#pragma omp barrier
    }
}

int main(void)
{
    omp_sched_t kind;
    int chunk;
    char format[256];

    omp_get_schedule(&kind, &chunk);
    printf("max %d procs %d dynamic %d nested %d levels %d limit %d cancel %d priority %d device %d teams %d,%d schedule %#x,%d "
           "allocator %lu\n",
           omp_get_max_threads(), omp_get_num_procs(), omp_get_dynamic(), omp_get_nested(), omp_get_max_active_levels(),
           omp_get_thread_limit(), omp_get_cancellation(), omp_get_max_task_priority(), omp_get_default_device(),
           omp_get_max_teams(), omp_get_teams_thread_limit(), (unsigned)kind, chunk, (unsigned long)omp_get_default_allocator());
    omp_get_affinity_format(format, sizeof format);
    printf("format [%s] places %d\n", format, omp_get_num_places());
    for (int p = -1; p <= omp_get_num_places() && p < 70; p++) {
        int ids[256] = {-1}, n = omp_get_place_num_procs(p);

        omp_get_place_proc_ids(p, ids);
        printf("  place %d: %d from %d to %d\n", p, n, ids[0], n > 0 ? ids[n - 1] : -1);
    }
    partition("initial", 0);
    fflush(stdout);
    omp_display_env(1);
    omp_set_dynamic(0);
#pragma omp parallel
    team("default");
#pragma omp parallel num_threads(5) proc_bind(spread)
    team("spread");
#pragma omp parallel num_threads(4) proc_bind(close)
    team("close");
#pragma omp parallel num_threads(2) proc_bind(primary)
    team("primary");
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) proc_bind(spread)
    for (int who = 0; who < omp_get_num_threads(); who++) {
        if (who == omp_get_thread_num()) {
#pragma omp parallel num_threads(3)
            team("inner");
        }
#pragma omp barrier
    }
    omp_capture_affinity(format, sizeof format, "%L %n %N %a %A|%.4n|%0.4n|%6N|%t/%T");
    printf("captured [%s]\n", format);
    return 0;
}
