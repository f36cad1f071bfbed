/* SPDX-License-Identifier: MIT */
/* Places, partitions and where each thread is bound, as the program can ask.
 * conform: env OMP_PLACES=threads
 * conform: env OMP_PLACES=cores OMP_PROC_BIND=close
 * conform: env OMP_PLACES=sockets OMP_PROC_BIND=spread
 * conform: env OMP_PLACES=ll_caches OMP_PROC_BIND=close
 * conform: env OMP_PLACES=numa_domains OMP_PROC_BIND=true
 * conform: env OMP_PLACES=threads(1) OMP_PROC_BIND=close
 * conform: env OMP_PLACES={0},{1} OMP_PROC_BIND=spread OMP_NUM_THREADS=4
 * conform: env OMP_PLACES={0:1}:2:1 OMP_PROC_BIND=close OMP_NUM_THREADS=2
 * conform: env OMP_PLACES={0,1} OMP_PROC_BIND=primary
 * conform: env OMP_PLACES={1},{0} OMP_PROC_BIND=close
 * conform: env OMP_PLACES={0:2,!1} OMP_PROC_BIND=true
 * conform: env OMP_PLACES={0:2}:2:-1
 * conform: env OMP_PROC_BIND=true
 * conform: env OMP_PROC_BIND=false OMP_PLACES=threads
 * conform: env OMP_PROC_BIND=master
 * conform: env GOMP_CPU_AFFINITY=0-1
 * conform: env GOMP_CPU_AFFINITY=1-0:-1
 * conform: env OMP_PLACES={0 OMP_PROC_BIND=close
 * conform: env OMP_PLACES=nonsense
 * conform: env OMP_PLACES=threads OMP_PROC_BIND=nonsense
 */
#define _GNU_SOURCE
#include <sched.h>

#include "conform.h"

static void show_places(void)
{
    int ids[64];

    printf("places %d, bind %d, mine %d, procs %d\n", omp_get_num_places(), omp_get_proc_bind(), omp_get_place_num(),
           omp_get_num_procs());
    for (int place = 0; place < omp_get_num_places(); place++) {
        int n = omp_get_place_num_procs(place);

        printf("  place %d:", place);
        if (n <= 64)
            omp_get_place_proc_ids(place, ids);
        for (int i = 0; i < n && i < 64; i++)
            printf(" %d", ids[i]);
        putchar('\n');
    }
    CHECK(omp_get_place_num_procs(-1) == 0 && omp_get_place_num_procs(omp_get_num_places()) == 0);
}

/* One line per thread, in order. */
static void show_team(const char *what)
{
    for (int turn = 0; turn < omp_get_num_threads(); turn++) {
        if (turn == omp_get_thread_num()) {
            int nums[64];

            printf("  %s %d: place %d, partition", what, turn, omp_get_place_num());
            if (omp_get_partition_num_places() <= 64)
                omp_get_partition_place_nums(nums);
            for (int i = 0; i < omp_get_partition_num_places() && i < 64; i++)
                printf(" %d", nums[i]);
            cpu_set_t set;
            sched_getaffinity(0, sizeof set, &set);
            printf(", cpus %d%s\n", CPU_COUNT(&set), omp_get_num_procs() == CPU_COUNT(&set) ? "" : " (not procs)");
        }
#pragma omp barrier
    }
}

int main(void)
{
    show_places();
#pragma omp parallel
    show_team("default");
#pragma omp parallel num_threads(4) proc_bind(spread)
    show_team("spread");
#pragma omp parallel num_threads(3) proc_bind(close)
    show_team("close");
#pragma omp parallel num_threads(2) proc_bind(primary)
    show_team("primary");
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) proc_bind(spread)
    if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2) proc_bind(close)
        show_team("inner");
    }
    return conform_end();
}
