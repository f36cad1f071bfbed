/* SPDX-License-Identifier: MIT */
/* fork after regions: the child runs regions of its own, at full width, again and again; so does the parent.
 * conform: tenure only: libgomp hangs in the child. */
#include <sys/wait.h>
#include <unistd.h>

#include "conform.h"

static int team(int width)
{
    int n = 0;
#pragma omp parallel num_threads(width) reduction(+ : n)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++)
            n++;
#pragma omp task
        {
        }
#pragma omp critical
        n += omp_get_num_threads();
    }
    return n - 100;
}

static int child(int depth)
{
    pid_t pid;
    int status = 0;

    if (team(4) != 16 || team(2) != 4)
        _exit(1);
    if (depth > 0) {
        pid = fork();
        if (pid == 0)
            _exit(child(depth - 1));
        if (waitpid(pid, &status, 0) != pid || status)
            _exit(2);
    }
    return team(3) == 9 ? 0 : 3;
}

int main(void)
{
    for (int round = 0; round < 20; round++) {
        pid_t pid;
        int status = -1;

        CHECK(team(1 + round % 5) == (1 + round % 5) * (1 + round % 5));
        pid = fork();
        if (pid == 0)
            _exit(child(2));
        CHECK(team(3) == 9);
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return conform_end();
}
