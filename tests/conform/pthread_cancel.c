/* SPDX-License-Identifier: MIT */
/* A calling thread is cancelled between its regions, or ends by pthread_exit: others and later threads go on. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "conform.h"

static int started;

static int team(void)
{
    int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
    n++;
    return n;
}

static void *endless(void *unused)
{
    for (;;) {
        CHECK(team() == 3);
        __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
        pthread_testcancel();
    }
    return unused;
}

static void *leaves(void *unused)
{
    CHECK(team() == 3);
    pthread_exit(unused);
}

int main(void)
{
    pthread_t thread;
    void *result;

    for (int round = 0; round < 10; round++) {
        __atomic_store_n(&started, 0, __ATOMIC_RELAXED);
        pthread_create(&thread, NULL, endless, NULL);
        while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
            sched_yield();
        CHECK(team() == 3);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        CHECK(result == PTHREAD_CANCELED);
        pthread_create(&thread, NULL, leaves, NULL);
        pthread_join(thread, NULL);
    }
    CHECK(team() == 3);
    return conform_end();
}
