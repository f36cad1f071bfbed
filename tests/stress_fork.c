/* SPDX-License-Identifier: MIT */
/* Fork storms for $STRESS_SECONDS (2): children are made by one thread while others are in the middle of regions, tasks
 * and thread creation; each child runs regions of several widths and forks once more.
 * conform: tenure only: libgomp hangs in the child. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform/conform.h"

static double deadline;

static int team(int width)
{
    int n = 0;
#pragma omp parallel num_threads(width) reduction(+ : n)
    {
#pragma omp single nowait
        for (int i = 0; i < 8; i++)
#pragma omp task
        {
        }
#pragma omp critical
        n++;
    }
    return n;
}

static void *busy(void *arg)
{
    for (int i = 0; omp_get_wtime() < deadline; i++)
        CHECK(team(2 + (i + (int)(size_t)arg) % 3) == 2 + (i + (int)(size_t)arg) % 3);
    return NULL;
}

static void *fresh(void *unused)
{
    CHECK(team(3) == 3);
    return unused;
}

static int child(int again)
{
    int status = 0;

    for (int width = 1; width <= 4; width++)
        if (team(width) != width)
            return 1;
    if (again) {
        pid_t pid = fork();

        if (pid == 0)
            _exit(child(0));
        if (waitpid(pid, &status, 0) != pid || status)
            return 2;
    }
    return 0;
}

int main(void)
{
    const char *seconds = getenv("STRESS_SECONDS");
    pthread_t threads[2], short_lived;
    int children = 0;

    deadline = omp_get_wtime() + (seconds ? atof(seconds) : 2);
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, busy, (void *)i);
    while (omp_get_wtime() < deadline) {
        int status = -1;
        pid_t pid;

        pthread_create(&short_lived, NULL, fresh, NULL);
        pid = fork();
        if (pid == 0)
            _exit(child(children % 4 == 0));
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        pthread_join(short_lived, NULL);
        children++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK(children > 0);
    return conform_end();
}
