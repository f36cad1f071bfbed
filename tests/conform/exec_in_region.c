/* SPDX-License-Identifier: MIT */
/* exec from inside a region: the new program starts with the CPU set and environment of the old one, and no team.
 * conform: env OMP_PROC_BIND=true
 */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "conform.h"

int main(int argc, char **argv)
{
    cpu_set_t set;
    char was[16];
    int n = 0;

    sched_getaffinity(0, sizeof set, &set);
    if (argc == 1) {
        snprintf(was, sizeof was, "%d", omp_get_num_procs());
#pragma omp parallel num_threads(3)
        {
#pragma omp barrier
            if (omp_get_thread_num() == 0)
                execl("/proc/self/exe", argv[0], was, NULL);
            for (;;)
                __asm__ volatile("");
        }
    }
#pragma omp parallel num_threads(3) reduction(+ : n)
    n++;
    CHECK(n == 3);
    return conform_end();
}
