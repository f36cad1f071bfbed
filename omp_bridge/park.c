/* SPDX-License-Identifier: MIT */
/* The slow halves of park.h: how long to stay awake, going to sleep, waking. Any thread with a record.
 * Invariant: a thread sleeps only with asleep == 1, its condition looked at after tn_park_prepare's fence. */
#define _GNU_SOURCE
#include "park.h"

#include <sched.h>

#include "clock.h"
#include "futex_linux.h"
#include "crew.h"
#include "linger.h"
#include "tenure.h"
#include "topo.h"
#include "worker.h"

/* Budgets, ns; benches: gaps, widths, region under --load. */
#define PASSIVE_NS 5000         /* not asked to spin: about two futex round trips */
#define TEAM_NS 1000000         /* inside a region, for members that are late; good from 0.2 to 3 ms */
#define CROWDED_NS 1000000      /* yielding: costs little, the others run meanwhile; a sleep and wake costs 50 us */
#define CONTENDED_NS 5000       /* somebody else's threads want the processor */
#define YIELD_LONG_NS 15000     /* a yield that took longer let somebody run; a bare one takes 0.5 us */
/* A yield that took a whole time slice let a stranger run. A sleeper comes back at once when it is woken; who yields or spins has to
 * wait for the stranger each time (width 4 under load: 4 ms). In a crowded team shorter ones let the others run, which is wanted. */
#define SLICE_NS 2000000
#define OWN_MEMORY_NS 50000000   /* for how long its waits then sleep at once */
/* All waits of crowded teams, if it happens again: one long yield may as well be a virtual machine that was not run. */
#define MEMORY_NS 25000000
#define MEMORY_MAX_NS 1600000000 /* each time twice as long */
#define AGAIN_NS 20000000        /* so soon after the last one, or */
#define AGAIN_YIELDS 1000        /* the thread has not yielded so often since its last one (about 4 ms of yields) */

/* What a worker has learned about the gaps between its regions. It starts in the middle; a gap that spinning would have
 * bridged sets the budget to bridge such gaps, one beyond IDLE_MAX_NS cuts it to a quarter, so that after four long gaps a
 * worker goes to sleep almost at once. */
#define IDLE_START_NS 200000
#define IDLE_MIN_NS 2000
#define IDLE_MAX_NS 1500000
#define SEVERAL_NS 20000000 /* for how long another caller counts */
#define CROWDED_IDLE_NS 100000 /* at least, where it yields: the gaps of such teams vary, and a sleep and wake costs half of that */

/* In so many words. But where one yields instead, and a stranger takes a slice at each, less than a slice is no yield at all. */
static bool asked_to_spin(const struct tn_wait *w)
{
    if (tn_global.spin_set)
        return !w->crowded || tn_global.spin_ns > SLICE_NS;
    return tn_global.wait_policy == TN_WAIT_ACTIVE;
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
    /* Who sleeps is woken into a stranger's slice, who is awake waits for its end. A longer lease was asked for, and holds. */
    if (w->contended && lease <= TENURE_LEASE_DEFAULT_NS && !asked_to_spin(w))
        return CONTENDED_NS;
    if (tn_global.spin_set)
        ns = tn_global.spin_ns;
    else if (tn_global.wait_policy == TN_WAIT_ACTIVE)
        ns = UINT64_MAX;
    else if (tn_global.wait_policy == TN_WAIT_PASSIVE)
        ns = PASSIVE_NS;
    else if (w->idle && me->idle_ns < CROWDED_IDLE_NS && tn_load(&me->cur->team->crowded))
        ns = CROWDED_IDLE_NS;
    else if (w->idle)
        ns = me->idle_ns ? me->idle_ns : IDLE_START_NS;
    else
        ns = w->crowded ? CROWDED_NS : TEAM_NS;
    return ns > lease ? ns : lease;
}

/* What members of crowded teams have lost counts for the process: each region waits for the slowest. In other teams each thread
 * remembers for itself, for the others may have a processor of their own. Any thread writes, and any mixture will do. */
static struct {
    alignas(TN_LINE) _Atomic uint64_t until, memory_ns, at; /* read at each slow wait, seldom written */
} lost;

static bool lost_lately(const struct tn_thread *me, bool crowded, uint64_t now)
{
    return now < (crowded ? tn_load(&lost.until) : me->lost_until);
}

/* The yield from `before` to `now` has taken a slice. */
static void lose(struct tn_thread *me, bool crowded, uint64_t before, uint64_t now)
{
    uint64_t memory = tn_load(&lost.memory_ns), last = tn_load(&lost.at);
    bool again = before - last < AGAIN_NS || me->yields < AGAIN_YIELDS;
    me->lost_until = now + OWN_MEMORY_NS;
    if (!crowded || before < last || now < tn_load(&lost.until))
        return; /* at the same time as another's */
    me->yields = 0;
    tn_store(&lost.at, now);
    memory = !again ? 0 : memory == 0 ? MEMORY_NS : memory < MEMORY_MAX_NS ? 2 * memory : memory;
    tn_store(&lost.memory_ns, memory);
    tn_store(&lost.until, now + memory);
}

#ifdef TN_DEBUG
/* Now and then for up to 2 ms, so that all tests see the modes that foreign load brings, and their changes. */
static void lose_at_random(uint64_t now)
{
    static _Atomic uint32_t count;
    uint32_t dice = (atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1) * 2654435761u;
    if (dice >> 26 == 0)
        tn_store(&lost.until, now + (dice & 0x1fffff));
}
#else
#define lose_at_random(now)
#endif

/* Where each region sleeps, its sleepers would interrupt all processors (a third of the time of width 4 under foreign load, 40 times
 * that of width 4 with the passive policy). */
static void settle_fence(uint64_t now, bool many)
{
    bool often = many || tn_global.wait_policy == TN_WAIT_PASSIVE || now < tn_load(&lost.until);
    if (tn_unlikely((tn_load(&tn_fence_mode) == TN_FENCE_OFTEN) != often))
        tn_fence_pay(often);
}

/* Whether several crews have waited in turn lately: then a processor that is not the waker's may be another caller's. The last
 * crew that was seen, and when it was another's turn. Any thread writes, and any mixture will do. */
static struct seen {
    alignas(TN_LINE) _Atomic(const struct tn_crew *) crew; /* read at each slow wait, seldom written by one caller alone */
    _Atomic uint64_t changed_ns;
} any_level, /* callers, members of regions among them */
    outermost;

static void see_crew(struct seen *s, const struct tn_crew *crew, uint64_t now)
{
    const struct tn_crew *last = tn_load(&s->crew);
    if (crew == last || !crew)
        return;
    tn_store(&s->crew, crew);
    if (last)
        tn_store(&s->changed_ns, now);
}

static void see_team(const struct tn_team *team, uint64_t now)
{
    see_crew(&any_level, team->crew, now);
    if (team->active_level <= 1)
        see_crew(&outermost, team->crew, now);
}

static bool several(const struct seen *s, uint64_t now)
{
    uint64_t changed = tn_load(&s->changed_ns);
    return changed != 0 && now - changed < SEVERAL_NS;
}

/* Around a nested team that is crowded, each who waits has the processor of some of its members. Forgotten now and then, as regions
 * inside may be over for good. (A thread's implicit team, which has none around it, is never crowded.) */
static void crowd_outer(const struct tn_thread *me)
{
    struct tn_team *team = me->cur->team;
    if (!tn_load(&team->crowded))
        return;
    struct tn_team *outer = team->outer->team;
    if (outer->width > 1 && !tn_load(&outer->crowded))
        tn_store(&outer->crowded, true);
    else if (me->cur->num == 0 && team->span <= tn_global.procs && ++team->hosted % 64 == 0)
        tn_store(&team->crowded, false);
}

bool tn_park_several_callers(void)
{
    return several(&any_level, tn_now_ns());
}

bool tn_park_strangers(void)
{
    return tn_now_ns() < tn_load(&lost.until);
}

/* Under foreign load each region of a crowded team sleeps, and a wake on another processor takes its time (a virtual machine's host has
 * to send the interrupt: 150 us here, 6 on the waker's own). Where two of them, for a region's start and its end, take longer than the
 * parts of the whole team one after the other, the team is better off on one processor: its workers follow their releaser. When the
 * parts grow, the kernel spreads them. */
#define FOLLOW_AGAIN_NS 20000000 /* a move takes some 50 us */

/* Follows the median of what it is shown: that a stranger takes a slice now and then does not count. */
static void learn_median(uint64_t *ns, uint64_t seen)
{
    if (seen > *ns)
        *ns += *ns / 8 + 100;
    else
        *ns -= *ns / 8;
}

/* From a release or barrier to the next wait; what it takes to wake others on the way is no work. */
static void learn_part(struct tn_thread *me, uint64_t now)
{
    if (me->part_since)
        learn_median(&me->part_ns, now - me->part_since);
    me->part_since = 0;
}

static void follow_releaser(struct tn_thread *me, const struct tn_team *team)
{
    uint64_t now = tn_now_ns();
    if (2 * me->wake_ns <= me->part_ns * team->width || me->place >= 0 || tn_load(&me->mask_own) ||
        now - me->followed_ns < FOLLOW_AGAIN_NS || !tn_load(&team->crowded) || !lost_lately(me, true, now) || tn_park_several_callers())
        return;
    me->followed_ns = now;
    tn_steer_move(&me->park.steer, me->caller_cpu, true);
}

static uint64_t epoch(const struct tn_thread *me)
{
    return TN_EPOCH(me->cur->seq, me->cur->bar_idx);
}

#define WENT_ON 1u /* in waits_since */

/* Only what changed is written: it stays in the caches of those who read it. */
static int runs_here(struct tn_thread *me)
{
    int cpu = tn_cpu_now();
    if (tn_load(&me->runs_cpu) != cpu)
        tn_store(&me->runs_cpu, cpu);
    return cpu;
}

void tn_park_went_on(struct tn_thread *me)
{
    runs_here(me);
    me->part_since = tn_now_ns();
    tn_store(&me->waits_since, me->part_since | WENT_ON);
}

/* At a barrier or the join, after a yield since `before`: for how long all the others have been there. Not at all, if one of them was
 * there at once and has gone on here, into its next part. */
static uint64_t late_ns(const struct tn_thread *me, uint64_t before, uint64_t now)
{
    const struct tn_team *team = me->cur->team;
    int cpu = tn_cpu_now();
    uint64_t last = before;
    for (unsigned i = 0; i < team->width; i++) {
        const struct tn_thread *t = team->member[i].thread;
        uint64_t at = t ? tn_load(&t->waits_since) : 0;
        if (at > before && at - before < SLICE_NS && at & WENT_ON && tn_load(&t->runs_cpu) == cpu)
            return 0;
        last = at > last ? at : last;
    }
    return now > last ? now - last : 0;
}

/* A worker has been away for a slice, and a region came meanwhile: was it the caller that ran here, its own serial part, or since the
 * release another member? If a stranger is here too, the caller meets it in its own waits. */
static bool ran_here(const struct tn_thread *me, int cpu)
{
    const struct tn_member *m = me->dock.member;
    if (!m || me->dock.cpu == cpu)
        return true;
    for (unsigned i = 1; i < m->team->width; i++) {
        const struct tn_thread *t = m->team->member[i].thread;
        uint64_t at = t && t != me && tn_load(&t->runs_cpu) == cpu ? tn_load(&t->runs_since) : 0;
        if (at > me->gave_slice && at - me->gave_slice < SLICE_NS)
            return true;
    }
    return false;
}

void tn_park_learn_idle(struct tn_thread *me)
{
    uint64_t now = tn_now_ns(), gap = now - tn_load(&me->idle_since), budget = me->idle_ns ? me->idle_ns : IDLE_START_NS;
    int cpu = runs_here(me);
    if (tn_unlikely(me->gave_slice) && !ran_here(me, cpu))
        lose(me, true, me->gave_slice, now);
    me->gave_slice = 0;
    me->part_since = now;
    tn_store(&me->runs_since, now);
    tn_store(&me->idle_since, 0);
    if (gap > IDLE_MAX_NS)
        budget = budget / 4;
    else if (2 * gap > budget - budget / 8)
        budget = 2 * gap;
    else
        budget -= budget / 8;
    me->idle_ns = budget < IDLE_MIN_NS ? IDLE_MIN_NS : budget > IDLE_MAX_NS ? IDLE_MAX_NS : budget;
}

/* The crews of several threads of the program do not have a processor each: who waits stands in another's way, and yields from the
 * start. Idle workers sleep instead where they are so many that the round of yields takes longer than a sleep and a wake.
 * (Nested teams wait for each other; such a team is crowded, and yields anyway.) */
#define YIELDERS 8 /* per processor */

static bool more_than_processors(uint64_t now)
{
    return several(&outermost, now) && tn_workers_alive() + 2 > tn_global.procs;
}

bool tn_wait_step_slow(struct tn_wait *w, struct tn_thread *me)
{
    uint64_t before = 0;
    if (w->start_ns == 0) {
        w->start_ns = tn_now_ns();
        if (tn_unlikely(me->gave_slice) && me->gave_epoch != epoch(me)) /* that barrier or join was over when it came back */
            lose(me, true, me->gave_slice, w->start_ns);
        learn_part(me, w->start_ns);
        runs_here(me);
        tn_linger_begin(me);
        tn_store(&me->waits_since, w->start_ns & ~(uint64_t)WENT_ON);
        if (w->idle && tn_load(&me->idle_since) == 0)
            tn_store(&me->idle_since, w->start_ns);
        lose_at_random(w->start_ns);
        w->contended |= lost_lately(me, w->crowded, w->start_ns);
        see_team(me->cur->team, w->start_ns);
        if (w->crowded && !w->idle && w->start_ns >= tn_load(&lost.until))
            crowd_outer(me);
        bool many = more_than_processors(w->start_ns), too_many = many && tn_workers_alive() > YIELDERS * tn_global.procs;
        w->crowded |= many && !(w->idle && too_many);
        w->contended |= w->idle && too_many;
        settle_fence(w->start_ns, many);
        me->gave_slice = 0;
    } else if (w->crowded) {
        if (w->contended && budget_ns(w, me) <= CONTENDED_NS)
            return false;
        if (tn_linger(w, me, !several(&any_level, w->start_ns)))
            return true;
        me->gave_slice = 0; /* what it waits for has not come meanwhile */
        before = tn_now_ns();
        tn_store(&me->away, true);
        sched_yield();
        tn_store(&me->away, false);
        me->yields++;
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
    if (before && now - before > SLICE_NS && tn_topo_throttled_since(before))
        before = 0; /* nobody took the processor from us, the cgroup's quota stopped all of us. (The budget goes on: it is what ends a wait) */
    if (before) {
        if (now - before > SLICE_NS && w->crowded && tn_load(&me->cur->team->crowded)) {
            me->gave_slice = w->idle || late_ns(me, before, now) > SLICE_NS ? before : 0;
            me->gave_epoch = epoch(me);
        } else if (now - before > SLICE_NS)
            lose(me, w->crowded, before, now);
        w->contended |= w->crowded ? lost_lately(me, true, now) : now - before > (w->gave_way ? YIELD_LONG_NS : SLICE_NS);
        w->gave_way |= now - before > YIELD_LONG_NS;
    }
    return now - w->start_ns < budget_ns(w, me);
}

#define DENIED_MS 5 /* longest sleep, see fence.h */

/* A team of more members than processors is steered where its worker sleeps between regions, unless it does so after each one: the
 * system calls cost more than they save then. */
static bool worth_steering(const struct tn_team *team, const struct tn_thread *sleeper)
{
    if (tn_park_several_callers())
        return false;
    if (!team || !tn_load(&team->crowded))
        return true;
    return tn_load(&sleeper->idle_since) != 0 && tn_global.wait_policy != TN_WAIT_PASSIVE && !lost_lately(sleeper, true, tn_now_ns());
}

/* Away from the releaser's processor, as many as the others have room for; the last of the team go to it, so that each processor has
 * as many members. The kernel's load balancer leaves threads that yield where they are (one and three of four: a third slower). */
static bool stays_with_releaser(const struct tn_thread *me, const struct tn_team *team)
{
    return team && me->cur->num > team->width - team->width / tn_global.procs;
}

bool tn_park_sleeps_mixed(const struct tn_team *team)
{
    return tn_global.procs > 1 && team->width >= 2 * tn_global.procs;
}

void tn_park_prepare(struct tn_thread *me, struct tn_team *team)
{
    me->park.steer.looked = false;
    me->park.steer.steered &= tn_load(&me->idle_since) == 0; /* a sleep inside the region: the one before it has still to be judged */
    if (tn_load(&me->idle_since) != 0 && me->place < 0 && !tn_load(&me->mask_own) && worth_steering(team, me))
        tn_steer_before_sleep(&me->park.steer, me->caller_cpu, stays_with_releaser(me, team));
    else if (team && me->caller_cpu != tn_cpu_now() && me->is_worker)
        follow_releaser(me, team);
    tn_store_rel(&me->park.asleep, 1); /* pairs with the acquire in tn_unpark_slow, which reads the record */
    if (team)
        atomic_fetch_add_explicit(&team->sleepers, 1, memory_order_relaxed);
    tn_fence_seldom();
}

void tn_park_commit(struct tn_thread *me)
{
    me->gave_slice = 0; /* nobody has waited for us */
    tn_store(&me->park.sleeps, tn_load(&me->park.sleeps) + 1);
    tn_futex_wait_for(&me->park.asleep, 1, tn_fence_denied() ? DENIED_MS : 0);
}

static void woken(struct tn_thread *me)
{
    while (tn_load_acq(&me->park.asleep) != 0) /* a waker is at it: it has a few system calls to make */
        sched_yield();
    if (me->park.waker_cpu != tn_cpu_now())
        learn_median(&me->wake_ns, tn_now_ns() - me->park.woken_ns);
}

void tn_park_finish(struct tn_thread *me, struct tn_team *team)
{
    uint32_t value = 1;
    if (!atomic_compare_exchange_strong_explicit(&me->park.asleep, &value, 0, memory_order_acquire, memory_order_acquire))
        woken(me);
    while (tn_load_acq(&me->park.steer.away) != 0)
        if (!tn_steer_home(&me->park.steer, &me->tid, NULL))
            sched_yield(); /* the waker puts the mask back: two system calls */
    if (team)
        atomic_fetch_sub_explicit(&team->sleepers, 1, memory_order_relaxed);
}

bool tn_unpark_slow(struct tn_thread *t)
{
    struct tn_thread *me = tn_self();
    uint32_t value = 1;
    if (!atomic_compare_exchange_strong_explicit(&t->park.asleep, &value, 2, memory_order_acquire, memory_order_relaxed))
        return false;
    if (t->is_worker && worth_steering(me->cur->team, t))
        tn_steer_away(&t->park.steer, t->tid);
    else
        tn_steer_home(&t->park.steer, &t->tid, NULL);
    uint64_t now = tn_now_ns();
    t->park.woken_ns = now;
    t->park.waker_cpu = tn_cpu_now();
    tn_store_rel(&t->park.asleep, 0); /* pairs with the acquire in tn_park_finish: what its waker writes is written */
    tn_futex_wake(&t->park.asleep, 1);
    if (me->part_since)
        me->part_since += tn_now_ns() - now;
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
