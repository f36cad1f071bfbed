/* SPDX-License-Identifier: MIT */
/*
 * 1, 2, 4 processes at the same time, each with 200 (quick: 50) empty regions of the default width: from the word to start
 * until the last is done, per region. Children are this program run again with the word "child"; they are told to start and
 * answer by pipes.
 * Invariant: every child has run regions before the first timed stretch, and all have ended before the next phase.
 */
#include "../bench.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4 };

extern char **environ;

struct child {
    pid_t pid;
    int start, done; /* a byte each way */
};

static void regions(int width, int count)
{
    for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(width)
        bench_keep();
    }
}

static int serve(int width, int count)
{
    char byte;

    bench_session_open(width);
    regions(width, count);
    while (read(0, &byte, 1) == 1) {
        regions(width, count);
        if (write(1, &byte, 1) != 1)
            return 1;
    }
    bench_session_close();
    return 0;
}

static struct child spawn(int width, int count)
{
    struct child c;
    int in[2], out[2];
    char wide[16], often[16], *argv[] = {"processes", "child", wide, often, NULL};
    posix_spawn_file_actions_t files;

    if (pipe(in) != 0 || pipe(out) != 0)
        bench_fail("no pipe");
    snprintf(wide, sizeof wide, "%d", width);
    snprintf(often, sizeof often, "%d", count);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], 0);
    posix_spawn_file_actions_adddup2(&files, out[1], 1);
    for (int i = 0; i < 2; i++) {
        posix_spawn_file_actions_addclose(&files, in[i]);
        posix_spawn_file_actions_addclose(&files, out[i]);
    }
    if (posix_spawn(&c.pid, "/proc/self/exe", &files, NULL, argv, environ) != 0)
        bench_fail("cannot run itself");
    posix_spawn_file_actions_destroy(&files);
    close(in[0]);
    close(out[1]);
    c.start = in[1];
    c.done = out[0];
    return c;
}

static void all(struct child *children, int n)
{
    char byte = 0;

    for (int i = 0; i < n; i++)
        if (write(children[i].start, &byte, 1) != 1)
            bench_fail("child %d has gone", i);
    for (int i = 0; i < n; i++)
        if (read(children[i].done, &byte, 1) != 1)
            bench_fail("child %d has gone", i);
}

static void processes(int n)
{
    const int count = bench_quick() ? 50 : 200; /* a runtime that waits for a sleeper needs a second for some */
    struct child children[MOST];
    char name[16];

    snprintf(name, sizeof name, "p%d", n);
    if (!bench_want(name))
        return;
    for (int i = 0; i < n; i++)
        children[i] = spawn(bench_width(), count);
    all(children, n);
    bench_phase("%s", name);
    bench_limits(bench_quick() ? 60 : 300, 5, 1000);
    while (bench_more()) {
        uint64_t t = bench_now();
        all(children, n);
        bench_add(bench_elapsed(t) / (n * count));
    }
    bench_done(n * count);
    for (int i = 0; i < n; i++)
        close(children[i].start);
    for (int i = 0; i < n; i++) {
        int status;
        close(children[i].done);
        if (waitpid(children[i].pid, &status, 0) != children[i].pid || status != 0)
            bench_fail("child %d ended with status %#x", i, status);
    }
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 2, MOST};

    if (argc == 4 && strcmp(argv[1], "child") == 0)
        return serve(atoi(argv[2]), atoi(argv[3]));
    bench_start(argc, argv, "1, 2, 4 processes at the same time, each with regions of the default width");
    bench_check_width(bench_width());
    for (int i = 0; i < 3; i++)
        processes(counts[i]);
    return 0;
}
