/* SPDX-License-Identifier: MIT */
/* TENURE_RESIDENT: a program that knows nothing of sessions keeps its workers awake over gaps of 20 ms (a worker's own
 * patience ends at 1.5 ms); without it they sleep. A worker that sleeps is a voluntary switch of its thread.
 * conform: tenure only
 * conform: env TENURE_RESIDENT=1000000000 */
#include <dirent.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conform.h"

/* Voluntary switches of all threads but the first. */
static long sleeps(void)
{
    char path[300], line[256];
    long sum = 0;
    DIR *tasks = opendir("/proc/self/task");

    for (struct dirent *d; (d = readdir(tasks));) {
        long value;

        if (atoi(d->d_name) <= 0 || atoi(d->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &value) == 1)
                sum += value;
        if (f)
            fclose(f);
    }
    closedir(tasks);
    return sum;
}

static void region_and_nap(void)
{
    struct timespec nap = {.tv_nsec = 20000000};

#pragma omp parallel
    __asm__ volatile("" ::: "memory");
    nanosleep(&nap, NULL);
}

int main(void)
{
    const char *resident = getenv("TENURE_RESIDENT");
    long before;

    omp_set_num_threads(omp_get_max_threads() < 2 ? 2 : omp_get_max_threads());
    region_and_nap();
    before = sleeps();
    if (resident) {
        for (int i = 0; i < 10; i++)
            region_and_nap();
        CHECK(sleeps() < before + 5); /* a fault of a page counts too, now and then */
    } else {
        while (sleeps() < before + 10) /* by the harness's limit, if they never sleep */
            region_and_nap();
    }
    return conform_end();
}
