/* SPDX-License-Identifier: MIT */
/* The life of an explicit task: created (deferred, or run at once), run, complete, its record freed. By members of its
 * team, and tn_task_fulfill by any thread.
 *
 * Control variables: a task starts with its parent's block, by pointer; from then on neither may write it in place
 * (icv_own), and tn_icv_write gives the writer a new block that lives as long as the region, which no task outlives.
 *
 * Invariant: `finished` of a member is raised as the very last thing done for a task, so that while the team is not quiescent
 * everything that completing a task touches (parent, group, threads to wake) exists. */
#include "task.h"

#include <stdlib.h>
#include <string.h>

#include "futex_linux.h"
#include "happens.h"
#include "msg.h"
#include "task_deque.h"
#include "task_impl.h"

/* Without room in the record, or an alignment it does not have. */
static TN_COLD void *args_big(struct tn_task_x *x, size_t size, size_t align)
{
    align = align < 16 ? 16 : align;
    void *p = aligned_alloc(align, (size + align - 1) & ~(align - 1));
    if (!p)
        tn_fatal("out of memory for the data of a task (%zu bytes)", size);
    tn_store(&x->state, tn_load(&x->state) | TN_TASK_BIG);
    return p;
}

static void args_copy(struct tn_task_x *x, const struct tn_task_spec *s)
{
    x->data = tn_likely(s->size <= TN_TASK_INLINE && s->align <= 16) ? x->args : args_big(x, s->size, s->align);
    if (tn_unlikely(s->cpyfn != NULL)) {
        s->cpyfn(x->data, s->data);
    } else if (s->size <= 32 && s->size % 8 == 0) {
        for (size_t i = 0; i < s->size; i += 8)
            memcpy((char *)x->data + i, (char *)s->data + i, 8);
    } else {
        memcpy(x->data, s->data, s->size);
    }
    if (s->range)
        memcpy(x->data, s->range, 2 * sizeof *s->range);
}

TN_INLINE struct tn_task_x *make(struct tn_thread *me, struct tn_task *parent, const struct tn_task_spec *s, bool deferred)
{
    struct tn_member *m = me->cur;
    struct tn_task_x *x = tn_task_mem_get(m);
    if (parent->icv_own) /* not written where several members make tasks of one taskloop */
        parent->icv_own = false;
    x->t.icv = parent->icv;
    tn_store(&x->t.parent, parent);
    tn_store(&x->t.group, tn_load(&parent->group));
    x->t.deps = NULL;
    x->t.children = 0;
    tn_store(&x->t.remote, 0);
    x->t.icv_own = false;
    x->t.final = s->final || parent->final;
    x->t.explicit_ = true;
    x->t.deferred = deferred || parent->deferred;
    x->fn = s->fn;
    x->node = NULL;
    x->team = m->team;
    x->priority = s->priority;
    tn_store(&x->state, s->cpyfn ? 0 : TN_TASK_DISCARD);
    if (tn_unlikely(s->detach != NULL)) {
        tn_store(&x->state, tn_load(&x->state) | TN_TASK_DETACH);
        *(void **)s->detach = x; /* the handle; and the compiler puts the task's copy of it first in its data */
        if (s->data)
            *(void **)s->data = x;
    }
    return x;
}

/* The record has no user left but children, if any: they free it. `more`: references beside those of children. */
static void abandon(struct tn_team *team, struct tn_member *m, struct tn_task_x *x, int64_t more)
{
    struct tn_task *t = &x->t;
    int64_t all = t->children + more;
    if (all != 0) {
        tn_store(&t->owner, NULL);
        if (atomic_fetch_sub_explicit(&t->remote, all, memory_order_acq_rel) != all)
            return;
    }
    tn_task_mem_put(team, m, x);
}

/* A child of `parent` is complete, or its last reference by an event is given up. */
static void child_done(struct tn_team *team, struct tn_thread *me, struct tn_task *parent)
{
    struct tn_thread *owner = tn_load(&parent->owner);
    if (tn_likely(owner == me && me)) {
        parent->children--;
        return;
    }
    bool explicit_ = parent->explicit_; /* read before: afterwards it may be gone */
    if (atomic_fetch_add_explicit(&parent->remote, 1, memory_order_acq_rel) == -1 && explicit_)
        tn_task_mem_put(team, me ? me->cur : NULL, (struct tn_task_x *)parent);
    else if (owner)
        tn_unpark(owner);
}

static void group_done(struct tn_thread *me, struct tn_taskgroup *g)
{
    struct tn_thread *owner = g->owner;
    if (owner == me) {
        g->local--;
        return;
    }
    atomic_fetch_sub_explicit(&g->remote, 1, memory_order_acq_rel);
    tn_unpark(owner);
}

/* `x` is complete; who waits for it may go on. `me` NULL: by an event, the lock of the team's shared list held. */
TN_INLINE void complete(struct tn_team *team, struct tn_thread *me, struct tn_task_x *x)
{
    struct tn_task *parent = tn_load(&x->t.parent);
    struct tn_taskgroup *g = tn_load(&x->t.group);
    if (tn_unlikely(x->node != NULL))
        tn_task_deps_done(team, me ? me->cur : NULL, x);
    if (tn_unlikely(tn_load(&x->state) & TN_TASK_PIECE)) {
        tn_store_rel(&x->t.parent, NULL); /* first: it may go on once its group is done */
        group_done(me, g);
        return;
    }
    if (g)
        group_done(me, g);
    tn_store_rel(&x->t.parent, NULL); /* the parent may be gone while children of `x` are left: descends() in task_sched.c */
    child_done(team, me, parent);
}

/* The body of a task with an event has ended. True: the event came first, so it is complete. */
static TN_COLD bool detach_body_done(struct tn_team *team, struct tn_thread *me, struct tn_task_x *x)
{
    abandon(team, me->cur, x, 1); /* the event's reference */
    if (!(atomic_fetch_or_explicit(&x->state, TN_TASK_BODY_DONE, memory_order_acq_rel) & TN_TASK_FULFILLED))
        return false;
    complete(team, me, x);
    child_done(team, me, &x->t);
    return true;
}

TN_INLINE void run_body(struct tn_thread *me, struct tn_task_x *x)
{
    struct tn_member *m = me->cur;
    struct tn_task *was = me->task;
    x->t.base = tn_load(&m->tq.bottom);
    me->task = &x->t;
    tn_happens_after(&m->team->tasks); /* its creation, and the tasks it depends on */
    if (tn_likely(x->fn && !(tn_task_cancelled(m->team, &x->t) && tn_load(&x->state) & TN_TASK_DISCARD)))
        x->fn(x->data);
    me->task = was;
    tn_happens_before(&m->team->tasks);
    tn_happens_before(x);
    if (tn_unlikely(x->t.deps != NULL))
        tn_task_deps_free(m->team, m, &x->t);
    if (tn_unlikely(tn_load(&x->state) & TN_TASK_BIG))
        free(x->data);
}

void tn_task_run(struct tn_thread *me, struct tn_task_x *x)
{
    struct tn_member *m = me->cur;
    struct tn_team *team = m->team;
    run_body(me, x);
    if (tn_unlikely(tn_load(&x->state) & TN_TASK_DETACH)) {
        if (!detach_body_done(team, me, x))
            return;
    } else {
        complete(team, me, x);
        abandon(team, m, x, 0);
    }
    tn_store_rel(&m->tq.finished, tn_load(&m->tq.finished) + 1);
}

/* The first deferred task that a member's implicit task creates in a phase. */
static TN_COLD void mark_phase(struct tn_team *team, struct tn_member *m, uint64_t phase)
{
    m->tq.phase = phase;
    m->implicit.base = tn_load(&m->tq.bottom);
    if (tn_load(&team->tasking) != phase)
        tn_store(&team->tasking, phase); /* read after this member's arrival, which is a release: barrier.c */
}

void tn_task_run_now(struct tn_thread *me, struct tn_task *parent, const struct tn_task_spec *s)
{
    struct tn_member *m = me->cur;
    struct tn_task_x *x = make(me, parent, s, true);
    args_copy(x, s);
    run_body(me, x);
    tn_store_rel(&x->t.parent, NULL);
    abandon(m->team, m, x, 0);
}

static TN_COLD void create_included(struct tn_thread *me, struct tn_task *parent, const struct tn_task_spec *s)
{
    if (s->depend && parent->deps)
        tn_task_wait_depend(me, s->depend);
    struct tn_member *m = me->cur;
    struct tn_task_x *x = make(me, parent, s, false);
    tn_store(&x->state, tn_load(&x->state) | TN_TASK_INCLUDED);
    if (s->cpyfn || s->range)
        args_copy(x, s);
    else
        x->data = s->data;
    run_body(me, x);
    uint32_t state;
    while ((state = tn_load_acq(&x->state)) & TN_TASK_DETACH && !(state & TN_TASK_FULFILLED))
        tn_futex_wait(&x->state, state);
    tn_store_rel(&x->t.parent, NULL);
    abandon(m->team, m, x, 0);
}

TN_INLINE void phase_of(struct tn_team *team, struct tn_member *m, const struct tn_task *parent)
{
    uint64_t phase = TN_EPOCH(m->seq, m->bar_idx + 1);
    if (tn_unlikely(m->tq.phase != phase && !parent->deferred))
        mark_phase(team, m, phase);
}

/* A record to be run later: counted for the team and in its group. */
TN_INLINE struct tn_task_x *deferred(struct tn_thread *me, struct tn_task *parent, const struct tn_task_spec *s)
{
    struct tn_member *m = me->cur;
    struct tn_task_x *x = make(me, parent, s, true);
    tn_happens_after(x); /* the task whose record it was */
    args_copy(x, s);
    tn_happens_before(&m->team->tasks);
    struct tn_taskgroup *g = tn_load(&parent->group);
    if (g && g->owner == me)
        g->local++;
    else if (g)
        atomic_fetch_add_explicit(&g->remote, 1, memory_order_relaxed);
    tn_store(&m->tq.created, tn_load(&m->tq.created) + 1);
    return x;
}

void tn_task_defer_piece(struct tn_thread *me, struct tn_task *parent, const struct tn_task_spec *s)
{
    struct tn_member *m = me->cur;
    if (parent == me->task)
        phase_of(m->team, m, parent); /* else a piece runs here, which lies in a phase that is marked */
    struct tn_task_x *x = deferred(me, parent, s);
    tn_store(&x->state, tn_load(&x->state) | TN_TASK_PIECE);
    tn_task_enqueue(m->team, m, x);
}

void tn_task_create(struct tn_thread *me, const struct tn_task_spec *s)
{
    struct tn_member *m = me->cur;
    struct tn_team *team = m->team;
    struct tn_task *parent = me->task;
    if (tn_unlikely(tn_task_cancelled(team, parent)))
        return;
    /* Around a thread of the program there is no region whose end could wait. */
    if (tn_unlikely(!s->if_ || parent->final || !team->crew)) {
        create_included(me, parent, s);
        return;
    }
    phase_of(team, m, parent);
    if (tn_unlikely(!s->depend && !s->detach && tn_task_deque_full(&m->tq, &team->tasks.hungry))) {
        create_included(me, parent, s);
        return;
    }
    struct tn_task_x *x = deferred(me, parent, s);
    tn_store(&parent->owner, me);
    parent->children++;
    if (tn_unlikely(s->depend != NULL) && tn_task_deps_enter(m, parent, x, s->depend))
        return;
    tn_task_enqueue(team, m, x);
}

void tn_task_fulfill(uintptr_t event)
{
    struct tn_task_x *x = (struct tn_task_x *)event;
    struct tn_team *team = x->team;
    bool included = tn_load(&x->state) & TN_TASK_INCLUDED;
    uint32_t old = atomic_fetch_or_explicit(&x->state, TN_TASK_FULFILLED, memory_order_acq_rel);
    if (included)
        tn_futex_wake(&x->state, 1); /* by address only: the creator may have gone on */
    if (included || !(old & TN_TASK_BODY_DONE))
        return;
    /* The lock keeps the team from ending under our feet: who finds it quiescent takes it once (task_sched.c). */
    tn_task_lock(team);
    complete(team, NULL, x);
    child_done(team, NULL, &x->t);
    tn_store_rel(&team->tasks.ext_finished, tn_load(&team->tasks.ext_finished) + 1);
    tn_team_wake(team, team->width);
    tn_task_unlock(team);
}
