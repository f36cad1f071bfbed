/* SPDX-License-Identifier: MIT */
/* The slow halves of park.h: how long to stay awake, going to sleep, waking. Any thread with a record.
 * Invariant: a thread sleeps only with asleep == 1, its condition looked at after tn_park_prepare's fence. */
#define _GNU_SOURCE
#include "park.h"

#include <sched.h>
#include <time.h>

#include "futex_linux.h"
#include "team.h"

bool tn_park_fence_wakers = true;

void tn_park_init(void)
{
    tn_park_fence_wakers = !tn_membarrier_register();
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How long to stay awake, ns. */
static uint64_t budget_ns(const struct tn_wait *w)
{
    if (tn_global.spin_set)
        return tn_global.spin_ns;
    switch (tn_global.wait_policy) {
    case TN_WAIT_ACTIVE: return UINT64_MAX;
    case TN_WAIT_PASSIVE: return 5000;
    default: break;
    }
    if (w->crowded)
        return 50000;
    return w->idle ? 200000 : 1000000;
}

bool tn_wait_step_slow(struct tn_wait *w, struct tn_thread *me)
{
    (void)me;
    if (w->start_ns == 0) {
        w->start_ns = now_ns();
        w->budget_ns = budget_ns(w);
        if (w->budget_ns == 0)
            return false;
    }
    if (w->crowded) {
        sched_yield();
    } else {
        for (int i = 0; i < 8; i++)
            tn_cpu_relax();
        if (++w->polls % 64 == 0)
            sched_yield(); /* returns at once where nobody else wants this processor */
        if (w->polls % 16 != 0)
            return true;
    }
    return now_ns() - w->start_ns < w->budget_ns;
}

void tn_park_prepare(struct tn_thread *me, struct tn_team *team)
{
    tn_store(&me->park.asleep, 1);
    if (team)
        atomic_fetch_add_explicit(&team->sleepers, 1, memory_order_relaxed);
    if (tn_park_fence_wakers)
        atomic_thread_fence(memory_order_seq_cst); /* pairs with tn_park_waker_fence */
    else
        tn_membarrier();
}

void tn_park_commit(struct tn_thread *me)
{
    me->park.sleeps++;
    tn_futex_wait(&me->park.asleep, 1);
}

void tn_park_finish(struct tn_thread *me, struct tn_team *team)
{
    tn_store(&me->park.asleep, 0);
    if (team)
        atomic_fetch_sub_explicit(&team->sleepers, 1, memory_order_relaxed);
}

bool tn_unpark_slow(struct tn_thread *t)
{
    if (atomic_exchange_explicit(&t->park.asleep, 0, memory_order_relaxed) == 0)
        return false;
    tn_futex_wake(&t->park.asleep, 1);
    return true;
}

void tn_team_wake_slow(struct tn_team *team, unsigned howmany)
{
    for (unsigned i = 0; i < team->width && howmany > 0; i++) {
        struct tn_thread *t = team->member[i].thread;
        if (t && tn_load(&t->park.asleep) && tn_unpark_slow(t))
            howmany--;
    }
}
