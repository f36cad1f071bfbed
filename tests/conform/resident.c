/* SPDX-License-Identifier: MIT */
/* TENURE_RESIDENT: a program that knows nothing of sessions keeps its workers awake between its regions; without it they
 * sleep. The worker's own count of its sleeps comes from a session, whose lease of 1 ns changes nothing.
 * conform: tenure only
 * conform: width
 * conform: env TENURE_RESIDENT=infinite */
#include <time.h>

#include "conform.h"

#pragma weak tenure_session_open
#pragma weak tenure_session_info
#pragma weak tenure_session_close
#include "tenure.h"

#define GAPS 10
#define PATIENCE_NS 5000000 /* of processor time, which a worker without a lease never spends awake: omp_bridge/park.c */

static tenure_session session;

static unsigned long sleeps(void)
{
    tenure_session_figures f = {.size = sizeof f};

    CHECK(tenure_session_info(session, &f) == 0);
    return f.sleeps;
}

/* Processor time of the process: while the calling thread sleeps, the worker's. */
static long long used_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* A gap that lasts until the worker sleeps, or has been awake for longer than it ever is of its own accord. How long either
 * takes is the machine's affair; if neither comes, the harness ends it. */
static void region_and_gap(void)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    unsigned long before = sleeps();

#pragma omp parallel num_threads(2)
    __asm__ volatile("" ::: "memory");
    for (long long start = used_ns(); sleeps() == before && used_ns() - start < PATIENCE_NS;)
        nanosleep(&nap, NULL);
}

int main(void)
{
    tenure_session_options o = {.size = sizeof o, .width = 2, .lease_ns = 1};
    unsigned long n;

    CHECK(tenure_session_open(&session, &o) == 0);
    for (int i = 0; i < GAPS; i++)
        region_and_gap();
    n = sleeps();
    if (getenv("TENURE_RESIDENT"))
        CHECK(n == 0);
    else
        CHECK(n >= GAPS);
    CHECK(tenure_session_close(session) == 0);
    return conform_end();
}
