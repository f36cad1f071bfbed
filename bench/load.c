/* SPDX-License-Identifier: MIT */
/*
 * Other people's work: `load THREADS SECONDS` keeps so many threads busy for so long, in a process of its own, with no
 * OpenMP. Invariant: it ends by itself, and with its parent.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *busy(void *unused)
{
    for (volatile unsigned long i = 0;; i++)
        continue;
    return unused;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    unsigned seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 10;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, busy, NULL) != 0)
            return 1;
    }
    sleep(seconds ? seconds : 1);
    return 0;
}
