/* SPDX-License-Identifier: MIT */
/*
 * The cost of coming to a team, by phase: build (what must exist first), acquire (until the first region has run),
 * call (one more region), release (giving it back), drop (ending what was built).
 * Invariant: the kinds differ only in how the team is come by; the call itself is the same empty region.
 */
#include "../bench.h"

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int width;

static void region(void)
{
#pragma omp parallel num_threads(width)
    bench_keep();
}

static double timed_region(void)
{
    uint64_t t = bench_now();
    region();
    return bench_elapsed(t);
}

static void held(void)
{
    bench_session_open(width);
    region();
    bench_phase("held");
    while (bench_more())
        bench_add_to("call", timed_region(), "ns");
    bench_done(1);
    bench_session_close();
}

/* Without sessions, open and close are nothing, and the rows show what an ordinary program pays. */
static void session_per_call(void)
{
    bench_phase("session-per-call");
    while (bench_more()) {
        uint64_t t = bench_now();
        bench_session_open(width);
        bench_add_to("acquire", bench_elapsed(t), "ns");
        bench_add_to("call", timed_region(), "ns");
        t = bench_now();
        bench_session_close();
        bench_add_to("release", bench_elapsed(t), "ns");
    }
    bench_done(1);
}

struct caller {
    uint64_t began;
    double build, acquire, call;
    uint64_t ended;
};

static void *fresh_caller(void *argument)
{
    struct caller *c = argument;
    c->build = (double)(bench_now() - c->began);
    c->acquire = timed_region();
    c->call = timed_region();
    c->ended = bench_now();
    return NULL;
}

static void fresh_thread(void)
{
    bench_phase("fresh-thread");
    bench_limits(bench_quick() ? 30 : 150, 20, 5000);
    while (bench_more()) {
        struct caller c = {.began = bench_now()};
        pthread_t thread;
        if (pthread_create(&thread, NULL, fresh_caller, &c) != 0)
            bench_fail("cannot start a thread");
        pthread_join(thread, NULL);
        uint64_t end = bench_now();
        bench_add_to("build", c.build, "ns");
        bench_add_to("acquire", c.acquire, "ns");
        bench_add_to("call", c.call, "ns");
        bench_add_to("drop", (double)(end - c.ended), "ns");
        bench_add_to("whole", (double)(end - c.began), "ns");
    }
    bench_done(1);
}

/* Runs in the child: its own first region and its second; the clock is the machine's, so the parent can subtract. */
static int first_in_process(void)
{
    struct caller c = {.began = bench_now()};
    c.acquire = timed_region();
    c.call = timed_region();
    c.ended = bench_now();
    return write(STDOUT_FILENO, &c, sizeof c) == sizeof c ? 0 : 1;
}

static void first_of_process(char *self)
{
    bench_phase("first-of-process");
    bench_limits(bench_quick() ? 60 : 400, 10, 400);
    while (bench_more()) {
        int way[2];
        pid_t child;
        char wide[12];
        snprintf(wide, sizeof wide, "%d", width);
        char *args[] = {self, (char *)"--first", wide, NULL};
        posix_spawn_file_actions_t actions;
        if (pipe(way) != 0)
            bench_fail("no pipe");
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, way[1], STDOUT_FILENO);
        uint64_t t = bench_now();
        if (posix_spawn(&child, "/proc/self/exe", &actions, NULL, args, environ) != 0)
            bench_fail("cannot start a process");
        close(way[1]);
        struct caller c;
        if (read(way[0], &c, sizeof c) != sizeof c)
            bench_fail("the child said nothing");
        waitpid(child, NULL, 0);
        uint64_t end = bench_now();
        close(way[0]);
        posix_spawn_file_actions_destroy(&actions);
        bench_add_to("build", (double)(c.began - t), "ns");
        bench_add_to("acquire", c.acquire, "ns");
        bench_add_to("call", c.call, "ns");
        bench_add_to("drop", (double)(end - c.ended), "ns");
    }
    bench_done(1);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--first") == 0) {
        width = atoi(argv[2]);
        return first_in_process();
    }
    bench_start(argc, argv, "coming to a team: held, session per call, fresh thread, first of the process");
    width = bench_width();
    bench_check_width(width);
    if (bench_want("held"))
        held();
    if (bench_want("session-per-call"))
        session_per_call();
    if (bench_want("fresh-thread"))
        fresh_thread();
    if (bench_want("first-of-process"))
        first_of_process(argv[0]);
    return 0;
}
