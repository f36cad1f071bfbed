/* SPDX-License-Identifier: MIT */
/* How a thread waits: spin, then yield, then sleep on its own futex word; and how the thread that makes the awaited
 * thing true wakes it. Every wait of the runtime that has a known waiter goes through here (dock, barrier, join,
 * tasks); only locks have futexes of their own.
 *
 * The word `asleep` (futex word), one per thread:
 *   value | meaning                       | set by
 *     0   | runs, or will look again      | the waker, having claimed it; or its thread (1 to 0)
 *     1   | sleeps or is about to         | its thread
 *     2   | claimed: a waker is at it     | the waker (1 to 2); its thread waits for 0, others leave it alone
 * Legal to wake a thread that does not sleep (it looks again); illegal to leave `asleep` at 1 with the condition
 * true and no wake on its way.
 *
 * No lost wake-up, without a fence on the waker's side (DESIGN, Dock):
 *   sleeper: a. asleep = 1      b. membarrier      c. read condition: still false  d. futex_wait(asleep, 1)
 *   waker:   e. condition = true (release)         f. read asleep; if 1: claim it, steer (steer.h), 0, futex_wake
 * membarrier makes every running thread of the process execute a full fence between a and c. If that fence falls
 * after e in the waker, c sees the condition true (no sleep). If it falls before e, then f comes after the fence and
 * sees a's store (wake). Who pays for the fence can change: fence.h. Model: tests/models/park.pml. */
#ifndef TN_PARK_H
#define TN_PARK_H

#include "base.h"
#include "fence.h"
#include "steer.h"

struct tn_thread;
struct tn_team;

struct tn_parker {
    alignas(TN_LINE) _Atomic uint32_t asleep; /* see above; read by wakers at each release: stays in their caches */
    _Atomic uint32_t sleeps; /* times it slept; written by its thread, read for figures */
    struct tn_steer steer;
    uint64_t woken_ns; /* when, */
    int waker_cpu;     /* and from where; written by who has claimed `asleep` */
};

/* One wait. Zero cost until the first poll fails. */
struct tn_wait {
    uint64_t start_ns;  /* when the slow half was entered, 0: not yet */
    uint32_t polls;
    uint32_t linger;    /* crowded: polls before the next yield, 0: none begun (linger.h) */
    uint64_t epoch;     /* of the barrier or join whose other members it waits for, 0: for something else */
    bool crowded;       /* do not spin: yield, somebody we wait for may want this processor */
    bool idle;          /* a worker between regions: the dock's budget and not the barrier's */
    bool gave_way;      /* a yield let somebody else run, */
    bool contended;     /* again, or for long: more runnable threads than processors */
};

/* What the fast half does before it asks the slow half: about 1 us of polls. */
#define TN_POLLS 64

/* The slow half of a wait step: yields or pauses, looks at the clock now and then. True: go on polling; false: the
 * budget is used up, sleep. */
bool tn_wait_step_slow(struct tn_wait *w, struct tn_thread *me);

TN_INLINE bool tn_wait_step(struct tn_wait *w, struct tn_thread *me)
{
    if (tn_likely(w->polls < TN_POLLS && !w->crowded)) {
        w->polls++;
        tn_cpu_relax();
        return true;
    }
    return tn_wait_step_slow(w, me);
}

/* Regions of several callers overlap, or did until lately: threads are not moved from one processor to another then. */
bool tn_park_several_callers(void);
/* A stranger has taken time slices from crowded teams lately: their members are not spread over the processors then. */
bool tn_park_strangers(void);

/* Of the team's sleeping workers some are steered to the releaser's processor, some away from it. */
bool tn_park_sleeps_mixed(const struct tn_team *team);

/* A worker's wait between regions is over: learn from how long it was. If me->idle_since says that it was not short. */
TN_COLD void tn_park_learn_idle(struct tn_thread *me);

/* A member of a crowded team leaves a barrier: who comes to run here later was not kept waiting by a stranger. */
TN_COLD void tn_park_went_on(struct tn_thread *me);

/* The three parts of going to sleep; between prepare and commit the caller looks at its condition once more.
 * `team` (or NULL): the sleeper counts in team->sleepers, so that events with no single waiter find it. */
void tn_park_prepare(struct tn_thread *me, struct tn_team *team);
void tn_park_commit(struct tn_thread *me);
void tn_park_finish(struct tn_thread *me, struct tn_team *team);

/* Wait until `cond` holds (evaluated often, by the waiting thread, with acquire loads). Last: what the wait is, fields of tn_wait. */
#define tn_wait_until(me, team, cond, ...)                                            \
    do {                                                                              \
        struct tn_wait tn_w_ = {__VA_ARGS__};                                         \
        while (!(cond)) {                                                             \
            if (tn_likely(tn_wait_step(&tn_w_, (me))))                                \
                continue;                                                             \
            tn_park_prepare((me), (team));                                            \
            if (!(cond))                                                              \
                tn_park_commit(me);                                                   \
            tn_park_finish((me), (team));                                             \
            tn_w_.start_ns = 0;                                                       \
        }                                                                             \
    } while (0)

TN_COLD bool tn_unpark_slow(struct tn_thread *t); /* true: it slept, and a system call woke it */
TN_COLD void tn_team_wake_slow(struct tn_team *team, unsigned howmany);

#endif
