/* SPDX-License-Identifier: MIT */
/* The two barrier shapes and the join. Cost of an exchange at width 2, tasks aside: each member one store to its own line
 * and one line read from the partner; no fence, no system call while nobody sleeps.
 *
 * Ordering: what a member did before the barrier is visible after it to all: `arrive` is stored with release and loaded with
 * acquire by everybody (exchange); `arrived` likewise by the parent, whose own or whose `go` carries it on (tree). A deferred task sets
 * team->tasking before its creator arrives; so whoever has seen all arrivals sees `tasking`. */
#include "barrier.h"

#include "happens.h"

#ifdef TN_DEBUG
_Atomic unsigned long tn_lines_moved;
#endif

/* True: left because the region was cancelled (`cancellable` only). */
TN_INLINE bool cancelled(struct tn_team *team, bool cancellable)
{
    return cancellable && tn_unlikely(tn_load_acq(&team->cancelled));
}

/* A worker tells its parent how far it has come. The team may be gone after the store, where this is the join. */
TN_INLINE void arrive(struct tn_thread *me, struct tn_thread *parent, uint64_t epoch)
{
    tn_happens_before(&me->dock.arrived);
    tn_store_rel(&me->dock.arrived, epoch);
    tn_unpark(parent);
}

TN_INLINE bool gather(struct tn_thread *me, struct tn_team *team, struct tn_member *m, uint64_t epoch, bool crowd,
                      bool cancellable)
{
    for (unsigned i = m->child_lo; i < m->child_hi; i++) {
        struct tn_dock *child = &team->kid[i]->thread->dock;
        if (tn_load_acq(&child->arrived) != epoch)
            tn_leave_line(crowd);
        tn_wait_working(me, team, tn_load_acq(&child->arrived) == epoch || cancelled(team, cancellable), .crowded = crowd, .epoch = epoch);
        tn_happens_after(&child->arrived);
        tn_count_line();
    }
    return cancelled(team, cancellable);
}

TN_INLINE bool exchange(struct tn_thread *me, struct tn_team *team, struct tn_member *m, uint64_t epoch, bool cancellable)
{
    unsigned slot = epoch & 1;
    tn_happens_before(m);
    tn_store_rel(&m->arrive[slot], epoch);
    tn_fence_often();
    for (unsigned i = 0; i < team->width; i++) {
        struct tn_thread *t = team->member[i].thread;
        if (tn_unlikely(tn_load(&t->park.asleep)) && t != me)
            tn_unpark_slow(t);
    }
    for (unsigned i = 0; i < team->width; i++) {
        struct tn_member *p = &team->member[i];
        if (p == m)
            continue;
        tn_wait_working(me, team, tn_load_acq(&p->arrive[slot]) == epoch || cancelled(team, cancellable),
                        .crowded = tn_load(&team->crowded), .epoch = epoch);
        tn_happens_after(p);
        tn_count_line();
    }
    if (tn_unlikely(tn_task_due(team, epoch)))
        tn_task_drain(me, team, epoch);
    return cancelled(team, cancellable);
}

static void go_down(struct tn_team *team, struct tn_member *m, uint64_t epoch)
{
    for (unsigned i = m->child_lo; i < m->child_hi; i++) {
        struct tn_thread *t = team->kid[i]->thread;
        tn_count_line();
        tn_happens_before(&t->dock.go);
        tn_store_rel(&t->dock.go, epoch);
        tn_unpark(t);
    }
}

TN_INLINE bool tree(struct tn_thread *me, struct tn_team *team, struct tn_member *m, uint64_t epoch, bool cancellable)
{
    if (gather(me, team, m, epoch, tn_load(&team->crowded), cancellable))
        return true;
    if (m->num == 0) {
        if (tn_unlikely(tn_task_due(team, epoch)))
            tn_task_drain(me, team, epoch);
    } else {
        arrive(me, m->parent->thread, epoch);
        tn_wait_working(me, team, tn_load_acq(&me->dock.go) == epoch || cancelled(team, cancellable),
                        .crowded = tn_load(&team->crowded), .epoch = epoch);
        tn_happens_after(&me->dock.go);
    }
    go_down(team, m, epoch);
    return cancelled(team, cancellable);
}

TN_INLINE bool barrier(struct tn_thread *me, bool cancellable)
{
    struct tn_member *m = me->cur;
    struct tn_team *team = m->team;
    if (cancelled(team, cancellable))
        return true;
    uint64_t epoch = TN_EPOCH(m->seq, ++m->bar_idx);
    if (tn_unlikely(team->width == 1)) {
        if (tn_task_due(team, epoch))
            tn_task_drain(me, team, epoch);
        return false;
    }
    bool left = team->exchange ? exchange(me, team, m, epoch, cancellable) : tree(me, team, m, epoch, cancellable);
    if (tn_unlikely(tn_load(&team->crowded)))
        tn_park_went_on(me);
    return left;
}

void tn_barrier(struct tn_thread *me)
{
    barrier(me, false);
}

bool tn_barrier_cancel(struct tn_thread *me)
{
    return barrier(me, true);
}

void tn_join_arrive(struct tn_thread *me)
{
    struct tn_member *m = me->cur;
    struct tn_team *team = m->team;
    uint64_t epoch = TN_EPOCH(m->seq, TN_IDX_JOIN);
    bool crowded = tn_load(&team->crowded);
    gather(me, team, m, epoch, crowded, false);
    if (tn_unlikely(crowded))
        tn_linger_arrives(me, epoch);
    me->linger.gatherer = m->parent->thread;
    arrive(me, me->linger.gatherer, epoch); /* the parent's record is memory for records for ever (thread.h) */
}

void tn_join_gather(struct tn_thread *me, struct tn_team *team)
{
    struct tn_member *m = &team->member[0];
    gather(me, team, m, TN_EPOCH(m->seq, TN_IDX_JOIN), tn_load(&team->crowded) || team->any_asleep, false);
    if (tn_unlikely(tn_task_pending(team)))
        tn_task_drain_join(me, team);
}
