/* SPDX-License-Identifier: MIT */
/* The slow halves of park.h: how long to stay awake, going to sleep, waking. Any thread with a record.
 * Invariant: a thread sleeps only with asleep == 1, its condition looked at after tn_park_prepare's fence. */
#define _GNU_SOURCE
#include "park.h"

#include <sched.h>
#include <time.h>

#include "futex_linux.h"
#include "crew.h"

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

#define PASSIVE_NS 5000     /* not asked to spin: about two futex round trips */
#define CROWDED_NS 50000    /* yielding beside other threads that want the processor */
#define IDLE_NS 200000      /* between regions */
#define TEAM_NS 1000000     /* inside a region, for members that are late */

/* How long to stay awake, ns. */
static uint64_t budget_ns(const struct tn_wait *w, const struct tn_thread *me)
{
    const struct tn_crew *crew = w->idle ? me->cur->team->crew : NULL;
    if (crew && tn_load(&crew->paused))
        return 0;
    uint64_t lease = crew ? tn_load(&crew->lease_ns) : 0, ns;
    if (w->idle && tn_global.resident_ns > lease)
        lease = tn_global.resident_ns;
    if (tn_global.spin_set)
        ns = tn_global.spin_ns;
    else if (tn_global.wait_policy == TN_WAIT_ACTIVE)
        ns = UINT64_MAX;
    else if (tn_global.wait_policy == TN_WAIT_PASSIVE)
        ns = PASSIVE_NS;
    else
        ns = w->crowded ? CROWDED_NS : w->idle ? IDLE_NS : TEAM_NS;
    return ns > lease ? ns : lease;
}

bool tn_wait_step_slow(struct tn_wait *w, struct tn_thread *me)
{
    if (w->start_ns == 0)
        w->start_ns = now_ns();
    else if (w->crowded) {
        sched_yield();
    } else {
        for (int i = 0; i < 8; i++)
            tn_cpu_relax();
        if (++w->polls % 64 == 0)
            sched_yield(); /* returns at once where nobody else wants this processor */
        if (w->polls % 16 != 0)
            return true;
    }
    return now_ns() - w->start_ns < budget_ns(w, me);
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
    tn_store(&me->park.sleeps, tn_load(&me->park.sleeps) + 1);
    tn_futex_wait(&me->park.asleep, 1);
}

void tn_park_finish(struct tn_thread *me, struct tn_team *team)
{
    uint32_t value = 1;
    if (!atomic_compare_exchange_strong_explicit(&me->park.asleep, &value, 0, memory_order_acquire, memory_order_acquire))
        while (tn_load_acq(&me->park.asleep) != 0) /* a waker is at it: it has a few system calls to make */
            sched_yield();
    tn_steer_home(&me->park.steer);
    if (team)
        atomic_fetch_sub_explicit(&team->sleepers, 1, memory_order_relaxed);
}

bool tn_unpark_slow(struct tn_thread *t)
{
    uint32_t value = 1;
    if (!atomic_compare_exchange_strong_explicit(&t->park.asleep, &value, 2, memory_order_acquire, memory_order_relaxed))
        return false;
    tn_steer_away(&t->park.steer, t->tid);
    tn_store_rel(&t->park.asleep, 0); /* pairs with the acquire in tn_park_finish: steer is written */
    tn_futex_wake(&t->park.asleep, 1);
    return true;
}

void tn_team_wake_slow(struct tn_team *team, unsigned howmany)
{
    for (unsigned i = 0; i < team->width && howmany > 0; i++) {
        struct tn_thread *t = team->member[i].thread;
        if (t && tn_load(&t->park.asleep) == 1 && tn_unpark_slow(t))
            howmany--;
    }
}
