/* SPDX-License-Identifier: MIT */
/* TENURE_SHARE_IDLE: calling threads that live and take turns share idle workers; each still gets its width and its results.
 * That none is taken from a thread inside a region, and the protocol, is what tests/models/share.pml proves.
 * conform: tenure only: libgomp keeps a pool per thread. conform: width. conform: env TENURE_SHARE_IDLE=1 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "conform.h"

#define CALLERS 8
#define TURNS 3

static sem_t turn[CALLERS];
static int own;
#pragma omp threadprivate(own)

/* Longer than the idle time after which a crew may be taken. */
static void idle(void)
{
    struct timespec t = {0, 20000000};
    nanosleep(&t, NULL);
}

static void *caller(void *arg)
{
    int id = (int)(long)arg;
    for (int k = 0; k < TURNS; k++) {
        int sum = 0;
        while (sem_wait(&turn[id]) != 0)
            continue;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
            own = id;
            sum += omp_get_num_threads() * 10 + omp_get_thread_num();
#pragma omp barrier
            CHECK(own == id);
        }
        CHECK(sum == 41);
        idle();
        sem_post(&turn[(id + 1) % CALLERS]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[CALLERS];
    union {
        void *p;
        unsigned (*f)(void);
    } spawned = {dlsym(RTLD_DEFAULT, "tenure_spawned_workers")};
    for (int i = 0; i < CALLERS; i++)
        sem_init(&turn[i], 0, i == 0);
    for (long i = 0; i < CALLERS; i++)
        pthread_create(&t[i], NULL, caller, (void *)i);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(t[i], NULL);
    CHECK(spawned.p != NULL);
    unsigned n = spawned.f();
    if (getenv("TENURE_SHARE_IDLE"))
        CHECK(n < CALLERS); /* one, unless the machine is so busy that a worker took 20 ms to sit down */
    else
        CHECK(n == CALLERS);
    return conform_end();
}
