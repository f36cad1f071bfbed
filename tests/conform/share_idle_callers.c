/* SPDX-License-Identifier: MIT */
/* Calling threads that live side by side, pause, change width, nest and end, while idle workers change hands.
 * conform: env TENURE_SHARE_IDLE=1
 * conform: env TENURE_SHARE_IDLE=1 OMP_NUM_THREADS=3
 */
#include <pthread.h>
#include <time.h>

#include "conform.h"

static void region(int width, int nest)
{
    int n = 0;

#pragma omp parallel num_threads(width) reduction(+ : n)
    {
        int m = 0;
        n++;
        if (nest) {
#pragma omp parallel num_threads(2) reduction(+ : m)
            m++;
            CHECK(m == 2);
        }
#pragma omp barrier
    }
    CHECK(n == width);
}

/* The pauses let the workers of a thread idle long enough to be taken; what is checked does not depend on it. */
static void *caller(void *arg)
{
    unsigned r = (unsigned)(size_t)arg * 7919u + 1;
    const struct timespec pause = {.tv_nsec = 1500000};

    omp_set_max_active_levels(3);
    for (int i = 0; i < 6; i++) {
        r = r * 1103515245u + 12345u;
        region(1 + (int)(r >> 16) % 5, (r >> 20) % 4 == 0);
        if ((r >> 24) % 3 == 0)
            nanosleep(&pause, NULL);
    }
    return NULL;
}

int main(void)
{
    for (size_t round = 0; round < 60; round++) {
        pthread_t t[8];
        for (size_t i = 0; i < 8; i++)
            pthread_create(&t[i], NULL, caller, (void *)(round * 8 + i));
        for (int i = 0; i < 8; i++)
            pthread_join(t[i], NULL);
        region(4, 0); /* the initial thread's crew idled meanwhile */
    }
    return conform_end();
}
