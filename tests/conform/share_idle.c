/* SPDX-License-Identifier: MIT */
/* TENURE_SHARE_IDLE: calling threads that live and take turns share idle workers; each still gets its width and its results.
 * That none is taken from a thread inside a region, and the protocol, is what tests/models/share.pml proves.
 * conform: tenure only: libgomp keeps a pool per thread. conform: width. conform: env TENURE_SHARE_IDLE=1 */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "conform.h"

#pragma weak tenure_session_open
#pragma weak tenure_session_info
#pragma weak tenure_session_close
#pragma weak tenure_spawned_workers
#include "tenure.h"

#define CALLERS 8
#define TURNS 3

static sem_t turn[CALLERS];
static int own;
#pragma omp threadprivate(own)

static void region(int id)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        own = id;
        sum += omp_get_num_threads() * 10 + omp_get_thread_num();
#pragma omp barrier
        CHECK(own == id);
    }
    CHECK(sum == 41);
}

/* A region and then a gap in which the worker has been seen asleep, and after that another 2 ms: it has idled for longer than
 * TENURE_SHARE_IDLE, however long it took to sit down. A session counts its sleeps; its lease of 1 ns changes nothing. */
static void region_and_idle(int id)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    tenure_session_options o = {.size = sizeof o, .width = 2, .lease_ns = 1};
    tenure_session_figures f = {.size = sizeof f};
    tenure_session s;

    CHECK(tenure_session_open(&s, &o) == 0);
    CHECK(tenure_session_info(s, &f) == 0);
    unsigned long before = f.sleeps;
    region(id);
    while (tenure_session_info(s, &f) == 0 && f.sleeps == before) /* the harness's limit, if it never sleeps */
        nanosleep(&pause, NULL);
    CHECK(tenure_session_close(s) == 0);
    nanosleep(&pause, NULL);
}

static void *caller(void *arg)
{
    int id = (int)(long)arg;

    for (int k = 0; k < TURNS; k++) {
        while (sem_wait(&turn[id]) != 0)
            continue;
        region(id);
        region_and_idle(id);
        sem_post(&turn[(id + 1) % CALLERS]);
    }
    return NULL;
}

/* Without it there is no sharing. */
static bool has_membarrier(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

int main(void)
{
    pthread_t t[CALLERS];

    for (int i = 0; i < CALLERS; i++)
        sem_init(&turn[i], 0, i == 0);
    for (long i = 0; i < CALLERS; i++)
        pthread_create(&t[i], NULL, caller, (void *)i);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(t[i], NULL);
    if (getenv("TENURE_SHARE_IDLE") && has_membarrier())
        CHECK(tenure_spawned_workers() <= 2); /* who lost its workers marks them as in use once more before it sees that */
    else
        CHECK(tenure_spawned_workers() == CALLERS);
    return conform_end();
}
