/* SPDX-License-Identifier: MIT */
/* Signals in a program with a team: a handler in any thread, EINTR in waits, SIGPROF and SIGALRM ticking all along (the first
 * by processor time, of which a busy machine gives too little to wait for). */
#include <signal.h>
#include <sys/time.h>

#include "conform.h"

static int ticks;

static void tick(int signal)
{
    (void)signal;
    __atomic_add_fetch(&ticks, 1, __ATOMIC_RELAXED);
}

int main(void)
{
    struct sigaction action = {.sa_handler = tick};
    struct itimerval every = {{0, 500}, {0, 500}};
    long n = 0;

    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int regions = 0; regions < 50 || __atomic_load_n(&ticks, __ATOMIC_RELAXED) < 20; regions++) {
        n = 0;
#pragma omp parallel num_threads(4) reduction(+ : n)
        {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 1000; i++)
                n++;
#pragma omp critical
            n++;
#pragma omp barrier
        }
        CHECK(n == 1004);
    }
    return conform_end();
}
