/* SPDX-License-Identifier: MIT */
/* The program behind check_budget.sh: `budget MODE REGIONS` runs so many regions after a warm-up, between two marks that
 * strace sees. Modes: `one`, `two` (widths), `turn` (widths 2, 1, 2, …), `nested` (width 2 in width 1), `counted` (width 2,
 * where thread 0 waits in its body until the worker has arrived, so that its instructions are always the same); in one region,
 * so many times: `barrier` (width 2, waited for likewise), `single` (width 2, the other member first), `dynamic` (chunks of a loop of
 * width 2 that only thread 0 enters), `task` (made and waited for, alone).
 * Built with the runtime inside; workers never sleep, but in two modes: `asleep` (one more than processors, passive policy),
 * `callers` (4 threads in turn, width 2). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "barrier.h"
#include "region.h"
#include "topo.h"

void budget_body(void *data);
void budget_counted(void *data);
void budget_wait(_Atomic uint64_t *word, uint64_t value);
void budget_outer(void *data);
void budget_steady(const char *mode, int regions);

__attribute__((noinline)) void budget_body(void *data)
{
    __asm__ volatile("" ::"r"(data) : "memory");
}

static inline __attribute__((always_inline)) void wait_for(_Atomic uint64_t *word, uint64_t value)
{
    while (tn_load_acq(word) != value)
        sched_yield();
}

/* What happens in here is not counted, nor in budget_counted: so neither calls the other. */
__attribute__((noinline)) void budget_wait(_Atomic uint64_t *word, uint64_t value)
{
    wait_for(word, value);
}

static void barriers(void *count)
{
    struct tn_thread *me = tn_self();
    struct tn_member *m = me->cur;
    for (int i = 0; i < *(int *)count; i++) {
        uint64_t epoch = TN_EPOCH(m->seq, m->bar_idx + 1);
        if (m->num == 0)
            budget_wait(&m->team->member[1].arrive[epoch & 1], epoch);
        tn_barrier(me);
    }
}

static void singles(void *count)
{
    static _Atomic uint64_t passed[2];
    struct tn_thread *me = tn_self();
    const unsigned num = me->cur->num;
    for (int i = 0; i < *(int *)count; i++) {
        const uint64_t now = TN_EPOCH(me->cur->seq, i + 1);
        if (num == 0)
            budget_wait(&passed[1], now);
        tn_ws_single(me);
        tn_store_rel(&passed[num], now);
        if (num == 1)
            wait_for(&passed[0], now);
    }
}

static void chunks(void *count)
{
    struct tn_thread *me = tn_self();
    struct tn_member *m = me->cur;
    const uint64_t n = (uint64_t)*(int *)count;
    uint64_t lo, hi;
    if (m->num != 0)
        return;
    tn_ws_loop_start(me, &(struct tn_ws_loop){.end = n, .incr = 1, .n = n, .chunk = 1, .sched = TN_SCHED_DYNAMIC});
    while (tn_ws_take_fast(&m->ws, &m->team->ws.cancelled, &lo) || tn_ws_take_slow(m, &lo, &hi))
        budget_body(&lo);
}

static void tasks(void *count)
{
    const struct tn_task_spec spec = {.fn = budget_body, .data = &count, .size = sizeof count, .align = 8, .if_ = true};
    for (int i = 0; i < *(int *)count; i++) {
        tn_task_create(tn_self(), &spec);
        tn_task_wait(tn_self());
    }
}

enum { CALLERS = 4 };
static struct {
    sem_t turn[CALLERS];
    int regions; /* of each */
} callers;

static void *caller(void *number)
{
    int me = (int)(intptr_t)number;
    for (int i = 0; i < callers.regions; i++) {
        while (sem_wait(&callers.turn[me]) != 0)
            continue;
        tn_region(budget_body, NULL, 2, 0);
        sem_post(&callers.turn[(me + 1) % CALLERS]);
    }
    return NULL;
}

static void in_turn(int regions)
{
    pthread_t thread[CALLERS];
    callers.regions = regions / CALLERS;
    for (int i = 0; i < CALLERS; i++)
        if (sem_init(&callers.turn[i], 0, i == 0) != 0)
            abort();
    for (int i = 0; i < CALLERS; i++)
        if (pthread_create(&thread[i], NULL, caller, (void *)(intptr_t)i) != 0)
            abort();
    for (int i = 0; i < CALLERS; i++)
        pthread_join(thread[i], NULL);
}

static const struct {
    const char *mode;
    void (*fn)(void *);
    unsigned width;
} constructs[] = {{"barrier", barriers, 2}, {"single", singles, 2}, {"dynamic", chunks, 2}, {"task", tasks, 1}};

__attribute__((noinline)) void budget_counted(void *data)
{
    (void)data;
    struct tn_team *team = tn_self()->cur->team;
    if (tn_self()->cur->num == 0)
        wait_for(&team->member[1].thread->dock.arrived, TN_EPOCH(team->seq, TN_IDX_JOIN));
}

__attribute__((noinline)) void budget_outer(void *data)
{
    tn_region(budget_body, data, 2, 0);
}

__attribute__((noinline)) void budget_steady(const char *mode, int regions)
{
    void (*fn)(void *) = strcmp(mode, "nested") == 0    ? budget_outer
                         : strcmp(mode, "counted") == 0 ? budget_counted
                                                        : budget_body;
    unsigned odd = strcmp(mode, "two") == 0 || strcmp(mode, "counted") == 0 ? 2 : 1;
    if (strcmp(mode, "callers") == 0) {
        in_turn(regions);
        return;
    }
    if (strcmp(mode, "asleep") == 0)
        odd = tn_global.procs + 1; /* crowded, so that its members do sleep */
    unsigned even = strcmp(mode, "turn") == 0 ? 2 : odd;
    for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++)
        if (strcmp(mode, constructs[i].mode) == 0) {
            tn_region(constructs[i].fn, &regions, constructs[i].width, 0);
            return;
        }
    for (int i = 0; i < regions; i += 2) {
        tn_region(fn, NULL, even, 0);
        tn_region(fn, NULL, odd, 0);
    }
}

static void mark(const char *text)
{
    if (write(-1, text, strlen(text)) >= 0)
        abort();
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
#ifdef TN_DEBUG
    return 77; /* it counts lines itself, by locked instructions */
#endif
    tn_global_need();
    if (tn_global.procs < 2)
        return 77;
    if (strcmp(argv[1], "callers") == 0 && tn_global.procs > CALLERS + 1)
        return 77; /* their crews have a processor each */
    bool asleep = strcmp(argv[1], "asleep") == 0;
    if (asleep)
        tn_global.wait_policy = TN_WAIT_PASSIVE;
    tn_global.spin_set = true;
    tn_global.spin_ns = asleep || strcmp(argv[1], "callers") == 0 ? 0 : UINT64_MAX; /* 0: all waits sleep at once */
    tn_global.icv.max_active_levels = 2;
    budget_steady(argv[1], 200);
    mark("begin");
    budget_steady(argv[1], atoi(argv[2]));
    mark("end");
    return 0;
}
