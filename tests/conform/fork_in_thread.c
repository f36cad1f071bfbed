/* SPDX-License-Identifier: MIT */
/* fork by one thread while others run regions: the child may be made in the middle of anything; it has only its own
 * thread, and its first region makes a team. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform.h"

static int stop;

static int team(void)
{
    int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
    {
#pragma omp critical
        n++;
    }
    return n;
}

static void *busy(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        CHECK(team() == 3);
    return unused;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, NULL, busy, NULL);
    for (int round = 0; round < 30; round++) {
        int status = -1;
        pid_t pid = fork();

        if (pid == 0)
            _exit(team() == 3 ? 0 : 1);
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    return conform_end();
}
