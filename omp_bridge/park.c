/* SPDX-License-Identifier: MIT */
/* The slow halves of park.h: how long to stay awake, going to sleep, waking. Any thread with a record.
 * Invariant: a thread sleeps only with asleep == 1, its condition looked at after tn_park_prepare's fence. */
#define _GNU_SOURCE
#include "park.h"

#include <sched.h>

#include "clock.h"
#include "futex_linux.h"
#include "crew.h"

_Atomic bool tn_park_fence_wakers = true;

static _Atomic bool ready; /* this process has registered: two threads may do it at once, to the same end */

void tn_park_init(void)
{
    if (tn_load(&ready))
        return;
    tn_store(&tn_park_fence_wakers, !tn_membarrier_register());
    tn_store(&ready, true);
}

void tn_park_fork_child(void)
{
    tn_store(&ready, false);
}

/* Budgets, ns; benches: gaps, widths, region under --load. */
#define PASSIVE_NS 5000         /* not asked to spin: about two futex round trips */
#define TEAM_NS 1000000         /* inside a region, for members that are late; good from 0.2 to 3 ms */
#define CROWDED_NS 1000000      /* yielding: costs little, the others run meanwhile; a sleep and wake costs 50 us */
#define CONTENDED_NS 5000       /* somebody else's threads want the processor */
#define YIELD_LONG_NS 15000     /* a yield that took longer let somebody run; a bare one takes 0.5 us */
/* A yield that took a whole time slice let a stranger run. A sleeper comes back at once when it is woken; who yields or spins has to
 * wait for the stranger each time (width 4 under load: 4 ms). In a crowded team shorter ones let the others run, which is wanted. */
#define SLICE_NS 2000000
#define SLICE_MEMORY_NS 50000000 /* for how long waits then sleep at once */

/* What a worker has learned about the gaps between its regions. It starts in the middle; a gap that spinning would have
 * bridged sets the budget to bridge such gaps, one beyond IDLE_MAX_NS cuts it to a quarter, so that after four long gaps a
 * worker goes to sleep almost at once. */
#define IDLE_START_NS 200000
#define IDLE_MIN_NS 2000
#define IDLE_MAX_NS 1500000

void tn_park_learn_idle(struct tn_thread *me)
{
    uint64_t gap = tn_now_ns() - tn_load(&me->idle_since), budget = me->idle_ns ? me->idle_ns : IDLE_START_NS;
    tn_store(&me->idle_since, 0);
    if (gap > IDLE_MAX_NS)
        budget = budget / 4;
    else if (2 * gap > budget - budget / 8)
        budget = 2 * gap;
    else
        budget -= budget / 8;
    me->idle_ns = budget < IDLE_MIN_NS ? IDLE_MIN_NS : budget > IDLE_MAX_NS ? IDLE_MAX_NS : budget;
}

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
    else if (w->contended)
        ns = CONTENDED_NS;
    else if (w->idle)
        ns = me->idle_ns ? me->idle_ns : IDLE_START_NS;
    else
        ns = w->crowded ? CROWDED_NS : TEAM_NS;
    return ns > lease ? ns : lease;
}

bool tn_wait_step_slow(struct tn_wait *w, struct tn_thread *me)
{
    uint64_t before = 0;
    if (w->start_ns == 0) {
        w->start_ns = tn_now_ns();
        if (w->idle && tn_load(&me->idle_since) == 0)
            tn_store(&me->idle_since, w->start_ns);
        if (w->start_ns - me->slice_ns < SLICE_MEMORY_NS)
            w->contended = true;
    } else if (w->crowded) {
        if (w->contended && budget_ns(w, me) <= CONTENDED_NS)
            return false;
        before = tn_now_ns();
        sched_yield();
    } else {
        for (int i = 0; i < 8; i++)
            tn_cpu_relax();
        if (++w->polls % 16 != 0)
            return true;
        if (w->polls % 64 == 0) {
            before = tn_now_ns();
            sched_yield(); /* returns at once where nobody else wants this processor */
        }
    }
    uint64_t now = tn_now_ns();
    if (before && now - before > (w->crowded ? SLICE_NS : YIELD_LONG_NS)) {
        w->contended = true;
        me->slice_ns = now - before > SLICE_NS ? now : me->slice_ns;
    }
    return now - w->start_ns < budget_ns(w, me);
}

/* A sandbox closed over the process after it had registered: a waker that had not yet seen that it must fence may miss a
 * sleeper. So from then on nobody sleeps without a bound. */
static _Atomic bool denied;
#define DENIED_MS 5

/* In a crowded team the members wait by yielding and a processor is seldom free; the system calls of steering then cost
 * more than they save (width 8 on two processors under other load: three times libgomp's time). It still pays for a
 * docked worker where the team is only a little too wide (widths 3 and 2 in turn, the third worker sleeps in between). */
static bool worth_steering(const struct tn_team *team, const struct tn_thread *sleeper)
{
    if (!team || !tn_load(&team->crowded))
        return true;
    return tn_load(&sleeper->idle_since) != 0 && team->width <= 2 * tn_global.worth;
}

void tn_park_prepare(struct tn_thread *me, struct tn_team *team)
{
    me->park.steer.looked = false;
    if (tn_load(&me->idle_since) != 0 && me->place < 0 && !tn_load(&me->mask_own) && worth_steering(team, me))
        tn_steer_before_sleep(&me->park.steer, me->caller_cpu);
    tn_store_rel(&me->park.asleep, 1); /* pairs with the acquire in tn_unpark_slow, which reads the record */
    if (team)
        atomic_fetch_add_explicit(&team->sleepers, 1, memory_order_relaxed);
    if (!tn_load(&tn_park_fence_wakers)) {
        if (tn_membarrier())
            return;
        tn_store(&denied, true);
        tn_store(&tn_park_fence_wakers, true);
    }
    atomic_thread_fence(memory_order_seq_cst); /* pairs with tn_park_waker_fence */
}

void tn_park_commit(struct tn_thread *me)
{
    tn_store(&me->park.sleeps, tn_load(&me->park.sleeps) + 1);
    tn_futex_wait_for(&me->park.asleep, 1, tn_load(&denied) ? DENIED_MS : 0);
}

void tn_park_finish(struct tn_thread *me, struct tn_team *team)
{
    uint32_t value = 1;
    if (!atomic_compare_exchange_strong_explicit(&me->park.asleep, &value, 0, memory_order_acquire, memory_order_acquire))
        while (tn_load_acq(&me->park.asleep) != 0) /* a waker is at it: it has a few system calls to make */
            sched_yield();
    while (tn_load_acq(&me->park.steer.away) != 0)
        if (!tn_steer_home(&me->park.steer, &me->tid, NULL))
            sched_yield(); /* the waker puts the mask back: two system calls */
    if (team)
        atomic_fetch_sub_explicit(&team->sleepers, 1, memory_order_relaxed);
}

void tn_park_waker_fence_slow(void)
{
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in tn_park_prepare */
}

bool tn_unpark_slow(struct tn_thread *t)
{
    uint32_t value = 1;
    if (!atomic_compare_exchange_strong_explicit(&t->park.asleep, &value, 2, memory_order_acquire, memory_order_relaxed))
        return false;
    if (tn_likely(worth_steering(tn_self_ptr ? tn_self_ptr->cur->team : NULL, t)))
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
