/* SPDX-License-Identifier: MIT */
/*
 * Several calling threads: 1, 2, 8, 64; at the same time and in turn; fresh ones and lasting ones. What a server pays.
 * Invariant: in turn, exactly one calling thread runs at a time, by a token that is handed on after each region; the
 * row "hand-over" is that token alone.
 */
#include "../bench.h"

#include <pthread.h>
#include <stdio.h>

enum { MOST = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_of[MOST];
static pthread_barrier_t gate;
static uint64_t started[MOST]; /* when a caller went, where they start together */
static long peak;

static struct {
    int callers, regions; /* callers, and regions of each */
    int turn;             /* under `lock` */
} job;

static void region(void)
{
#pragma omp parallel num_threads(2)
    bench_keep();
}

static void note_peak(void)
{
    long threads = bench_status("Threads");
    peak = threads > peak ? threads : peak;
}

static void *at_once(void *number)
{
    pthread_barrier_wait(&gate);
    started[(intptr_t)number] = bench_now();
    for (int i = 0; i < job.regions; i++)
        region();
    pthread_barrier_wait(&gate);
    return NULL;
}

/* The main thread may run only when they are done. */
static uint64_t first_start(void)
{
    uint64_t first = started[0];
    for (int i = 1; i < job.callers; i++)
        first = started[i] < first ? started[i] : first;
    return first;
}

static void take_turns(int me, void (*act)(void))
{
    for (int i = 0; i < job.regions; i++) {
        pthread_mutex_lock(&lock);
        while (job.turn != me)
            pthread_cond_wait(&turn_of[me], &lock);
        pthread_mutex_unlock(&lock);
        act();
        int next = (me + 1) % job.callers;
        pthread_mutex_lock(&lock);
        job.turn = next;
        pthread_cond_signal(&turn_of[next]);
        pthread_mutex_unlock(&lock);
    }
}

static void *in_turn(void *number)
{
    take_turns((int)(intptr_t)number, region);
    pthread_barrier_wait(&gate);
    return NULL;
}

static void *hand_over(void *number)
{
    take_turns((int)(intptr_t)number, bench_keep);
    pthread_barrier_wait(&gate);
    return NULL;
}

/* Threads that last, each with many regions: ns per region, creation left out where they start together. */
static void lasting(const char *name, void *(*body)(void *), int callers, int regions)
{
    bench_phase("%s-%d", name, callers);
    bench_limits(bench_quick() ? 40 : 300, 3, 200);
    while (bench_more()) {
        pthread_t thread[MOST];
        job.callers = callers;
        job.regions = regions;
        job.turn = -1;
        pthread_barrier_init(&gate, NULL, (unsigned)callers + 1);
        for (int i = 0; i < callers; i++)
            if (pthread_create(&thread[i], NULL, body, (void *)(intptr_t)i) != 0)
                bench_fail("cannot start a thread");
        if (body == at_once)
            pthread_barrier_wait(&gate);
        uint64_t t = bench_now();
        pthread_mutex_lock(&lock);
        job.turn = 0;
        pthread_cond_signal(&turn_of[0]);
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&gate);
        uint64_t end = bench_now();
        t = body == at_once ? first_start() : t;
        bench_add((double)(end - t) / ((double)callers * regions));
        note_peak();
        for (int i = 0; i < callers; i++)
            pthread_join(thread[i], NULL);
        pthread_barrier_destroy(&gate);
    }
    bench_done((double)callers * regions);
}

static void *one_region(void *unused)
{
    region();
    note_peak();
    return unused;
}

static void fresh(const char *name, int callers, bool together)
{
    bench_phase("%s-%d", name, callers);
    bench_limits(bench_quick() ? 30 : 200, 3, 200);
    while (bench_more()) {
        pthread_t thread[MOST];
        uint64_t t = bench_now();
        for (int i = 0; i < callers; i++) {
            if (pthread_create(&thread[i], NULL, one_region, NULL) != 0)
                bench_fail("cannot start a thread");
            if (!together)
                pthread_join(thread[i], NULL);
        }
        for (int i = 0; i < callers && together; i++)
            pthread_join(thread[i], NULL);
        bench_add(bench_elapsed(t) / callers);
    }
    bench_done(callers);
}

static void memory(const char *after)
{
    char name[48];
    snprintf(name, sizeof name, "%s/peak-threads", after);
    bench_value(name, (double)peak, "count");
    snprintf(name, sizeof name, "%s/peak-rss", after);
    bench_value(name, (double)bench_status("VmHWM"), "kB");
}

int main(int argc, char **argv)
{
    static const int callers[] = {1, 2, 8, 64};
    bench_start(argc, argv, "1, 2, 8, 64 calling threads, at once and in turn, fresh and lasting; regions of width 2");
    bench_check_width(2);
    for (int i = 0; i < MOST; i++)
        pthread_cond_init(&turn_of[i], NULL);
    for (int i = 0; i < 4; i++) {
        if (bench_want("fresh-in-turn"))
            fresh("fresh-in-turn", callers[i], false);
        if (bench_want("hand-over"))
            lasting("hand-over", hand_over, callers[i], 640 / callers[i]);
        if (bench_want("in-turn"))
            lasting("in-turn", in_turn, callers[i], 640 / callers[i]);
    }
    memory("in-turn");
    for (int i = 0; i < 4; i++) {
        if (bench_want("fresh-at-once"))
            fresh("fresh-at-once", callers[i], true);
        if (bench_want("at-once"))
            lasting("at-once", at_once, callers[i], (bench_quick() ? 1600 : 6400) / callers[i]); /* few: how 64 threads start */
    }
    memory("at-once");
    return 0;
}
