/* SPDX-License-Identifier: MIT */
/* Which task a member runs next, waiting at scheduling points, draining at barriers. Members only.
 *
 * Tied tasks (OpenMP 5.1, 2.19.6): at a taskwait or the end of a taskgroup a member runs only descendants of the task it
 * suspends; untied tasks are treated alike, as they never move to another thread here. At barriers and in the dock only
 * implicit tasks are suspended, and anything may run.
 *   From the own deque: entries pushed since the suspended task started (`base`) are its descendants: they were created, or
 *   made ready by the end of a sibling, in tasks run at its scheduling points, which are its descendants.
 *   From elsewhere: what is seen to be one by few links (descends); nothing depends on finding all.
 *   No deadlock: let P wait for d. If d has started, the task on top of its thread's stack descends from d, so it started
 *   after P. If d lies in its thread's deque out of reach, below the base of that thread's top task Q, Q started
 *   after d was pushed, so after P did. A cycle of waits would be a cycle of start times. In the shared list any waiter
 *   finds its own child, or member of its group. */
#include <sched.h>
#include <stdlib.h>

#include "happens.h"
#include "msg.h"
#include "task_deque.h"
#include "task_impl.h"

#define VICTIMS 8  /* deques looked at in one try; the next try goes on behind them */
#define LINKS 8    /* generations looked up from a task to its ancestor */

void tn_task_lock(struct tn_team *team)
{
    while (atomic_exchange_explicit(&team->tasks.lock, 1, memory_order_acquire))
        sched_yield();
}

/* `t` lies in a queue: is `anc` (a running task) among its ancestors? Another member may take and end `t` meanwhile: then the
 * answer is worthless, but so is the exchange of `top` that the caller does next. If it succeeds, `t` was there all the
 * time, so its parent existed. Further up, link k was read while the task it starts from existed, provided link k - 1
 * still held later than that (a task's parent becomes NULL before the parent can go): checked on the way back. */
static bool descends(struct tn_task *t, const struct tn_task *anc)
{
    struct tn_task *link[LINKS] = {t};
    unsigned n = 0;
    for (struct tn_task *p; (p = tn_load_acq(&link[n]->parent)) != anc; link[++n] = p)
        if (!p || n + 1 == LINKS)
            return false;
    while (n > 0 && tn_load_acq(&link[n - 1]->parent) == link[n])
        n--;
    return n == 0;
}

/* `limit`: the task that is suspended and must be an ancestor; NULL: anything may run. */
struct limit {
    const struct tn_task *task;
    const struct tn_taskgroup *group; /* or it is in this group, which the task waits for; NULL: none */
};

static bool allowed(struct tn_task *t, const struct limit *l)
{
    return !l->task || (l->group && tn_load(&t->group) == l->group) || descends(t, l->task);
}

/* In the shared list nobody takes `t` meanwhile, so its groups exist. */
static bool allowed_shared(struct tn_task *t, const struct limit *l)
{
    for (const struct tn_taskgroup *g = tn_load(&t->group); l->group && g; g = g->prev)
        if (g == l->group)
            return true;
    return allowed(t, l);
}

static void shared_put(struct tn_team *team, struct tn_task_x *x)
{
    struct tn_task_x **at = &team->tasks.shared;
    while (*at && (*at)->priority >= x->priority)
        at = &(*at)->next;
    x->next = *at;
    *at = x;
    tn_store_rel(&team->tasks.shared_count, tn_load(&team->tasks.shared_count) + 1);
}

static TN_COLD struct tn_task_x *shared_take(struct tn_team *team, const struct limit *l)
{
    tn_task_lock(team);
    struct tn_task_x **at = &team->tasks.shared, *x;
    while ((x = *at) && !allowed_shared(&x->t, l))
        at = &x->next;
    if (x) {
        *at = x->next;
        tn_store(&team->tasks.shared_count, tn_load(&team->tasks.shared_count) - 1);
    }
    tn_task_unlock(team);
    return x;
}

static TN_COLD void deque_make(struct tn_team *team, struct tn_task_member *q)
{
    /* What libgomp defers is deferred here: it starts to run new tasks at once beyond 64 per thread, all together. */
    uint32_t n = 256;
    while (n < 64 * team->width)
        n *= 2;
    q->slots = calloc(n, sizeof *q->slots);
    if (!q->slots)
        tn_fatal("out of memory for a task queue (%u entries)", n);
    q->mask = n - 1;
}

void tn_task_enqueue(struct tn_team *team, struct tn_member *m, struct tn_task_x *x)
{
    if (tn_unlikely(m && !m->tq.slots))
        deque_make(team, &m->tq);
    if (tn_unlikely(!m || x->priority > 0 || !tn_task_deque_push(&m->tq, x, &team->tasks.hungry))) {
        if (m)
            tn_task_lock(team);
        shared_put(team, x);
        if (m)
            tn_task_unlock(team);
    }
    tn_team_wake(team, 1);
}

static struct tn_task_x *steal(struct tn_thread *me, struct tn_team *team, const struct limit *l)
{
    unsigned w = team->width, tries = w < VICTIMS ? w : VICTIMS;
    unsigned v = me->seed % w;
    me->seed = me->seed * 1664525u + 1013904223u + tries; /* another start next time */
    for (; tries > 0; tries--, v = v + 1 == w ? 0 : v + 1) {
        struct tn_task_member *q = &team->member[v].tq;
        uint32_t index;
        struct tn_task_x *x;
        if (q != &me->cur->tq && (x = tn_task_deque_peek(q, &index)) && allowed(&x->t, l) &&
            tn_task_deque_take_top(q, index))
            return x;
    }
    return NULL;
}

static struct tn_task_x *find(struct tn_thread *me, struct tn_team *team, const struct limit *l)
{
    struct tn_task_member *q = &me->cur->tq;
    struct tn_task_x *x = NULL;
    if (tn_unlikely(tn_load_acq(&team->tasks.shared_count)))
        x = shared_take(team, l);
    if (!x)
        x = tn_task_deque_pop(q, l->task ? l->task->base : tn_load(&q->top));
    if (!x && team->width > 1)
        x = steal(me, team, l);
    if (tn_unlikely(!x && !tn_load(&team->tasks.hungry)))
        tn_store(&team->tasks.hungry, true);
    return x;
}

/* This member has run tasks and now finds none. If it was the last to end one, member 0 may sleep in a drain and has to be
 * told. Of two that end their last tasks at the same time one sees the other's count: each exchanges its own, then reads
 * all (sequentially consistent). */
static TN_COLD void told_last(struct tn_thread *me, struct tn_team *team)
{
    struct tn_task_member *q = &me->cur->tq;
    q->dirty = false;
    atomic_exchange_explicit(&q->finished, tn_load(&q->finished), memory_order_seq_cst);
    if (me->cur->num != 0 && tn_task_quiescent(team))
        tn_unpark(team->member[0].thread);
}

bool tn_task_run_one(struct tn_thread *me, struct tn_team *team)
{
    static const struct limit none;
    struct tn_task_x *x = find(me, team, &none);
    if (x) {
        me->cur->tq.dirty = true;
        tn_task_run(me, x);
        return true;
    }
    if (tn_unlikely(me->cur->tq.dirty))
        told_last(me, team);
    return false;
}

bool tn_task_runnable(struct tn_team *team)
{
    if (tn_load_acq(&team->tasks.shared_count))
        return true;
    for (unsigned i = 0; i < team->width; i++) {
        uint32_t index;
        if (tn_task_deque_peek(&team->member[i].tq, &index))
            return true;
    }
    return false;
}

/* Let F be the tasks seen finished, C those seen created. A task's creation is counted before it can be taken, its children's
 * before it is counted finished; so, finished being read first, F and all children of tasks in F are in C. |F| == |C|
 * then means F == C: all created tasks seen are finished, and so are their children, which are in C. Tasks of implicit
 * tasks are in C as all members have arrived. So no task is incomplete. */
bool tn_task_quiescent(struct tn_team *team)
{
    uint64_t f = atomic_load_explicit(&team->tasks.ext_finished, memory_order_seq_cst), c = 0;
    for (unsigned i = 0; i < team->width; i++)
        f += atomic_load_explicit(&team->member[i].tq.finished, memory_order_seq_cst);
    for (unsigned i = 0; i < team->width; i++)
        c += tn_load_acq(&team->member[i].tq.created);
    return f == c;
}

static bool reached(const struct tn_task_until *u)
{
    if (u->children_of)
        return u->children_of->children == tn_load_acq(&u->children_of->remote);
    if (u->group)
        return u->group->local + tn_load_acq(&u->group->remote) == 0;
    return tn_task_node_ready(u->node);
}

/* Before sleeping: is there a task this wait may run? */
static bool reachable(struct tn_thread *me, struct tn_team *team, const struct limit *l)
{
    struct tn_task_member *q = &me->cur->tq;
    uint32_t b = tn_load(&q->bottom);
    if (tn_load_acq(&team->tasks.shared_count) ||
        ((int32_t)(b - l->task->base) > 0 && (int32_t)(b - tn_load(&q->top)) > 0))
        return true;
    for (unsigned i = 0; i < team->width; i++) {
        uint32_t index;
        struct tn_task_x *x = tn_task_deque_peek(&team->member[i].tq, &index);
        if (x && allowed(&x->t, l))
            return true;
    }
    return false;
}

/* Wakers: who completes the awaited child or group member unparks the task's `owner` (task.c), the node's waiter
 * likewise; who makes a task runnable wakes one sleeper of the team. A member that was woken for a task it may not run
 * passes the call on, once: it then stays awake for its budget, so calls do not go in circles. */
void tn_task_await(struct tn_thread *me, const struct tn_task_until *until)
{
    struct tn_team *team = me->cur->team;
    struct limit l = {.task = me->task, .group = until->group};
    struct tn_wait w = {.crowded = tn_load(&team->crowded)};
    while (!reached(until)) {
        struct tn_task_x *x = find(me, team, &l);
        if (x) {
            tn_task_run(me, x);
            w.polls = 0;
            w.start_ns = 0;
            continue;
        }
        if (tn_likely(tn_wait_step(&w, me)))
            continue;
        tn_park_prepare(me, team);
        bool sleep = !reached(until) && !reachable(me, team, &l);
        if (sleep)
            tn_park_commit(me);
        tn_park_finish(me, team);
        w.start_ns = 0;
        if (sleep && !reachable(me, team, &l) && tn_task_runnable(team))
            tn_team_wake(team, 1);
    }
    tn_happens_after(&team->tasks);
}

void tn_task_wait(struct tn_thread *me)
{
    const struct tn_task_until until = {.children_of = me->task};
    if (!reached(&until))
        tn_task_await(me, &until);
}

void tn_task_yield(struct tn_thread *me)
{
    struct tn_team *team = me->cur->team;
    if (!tn_task_pending(team))
        return;
    const struct limit l = {.task = me->task};
    struct tn_task_x *x = find(me, team, &l);
    if (x)
        tn_task_run(me, x);
}

static void drain_tasks(struct tn_thread *me, struct tn_team *team, uint64_t epoch, unsigned wake)
{
    struct tn_wait w = {.crowded = tn_load(&team->crowded)};
    while (tn_load_acq(&team->drained) != epoch) {
        if (tn_task_run_one(me, team)) {
            w.polls = 0;
            w.start_ns = 0;
            continue;
        }
        if (tn_task_quiescent(team)) {
            if (tn_load(&team->tasks.ext_finished)) {
                tn_task_lock(team); /* whoever fulfilled an event has left the team alone */
                tn_task_unlock(team);
            }
            tn_store_rel(&team->drained, epoch);
            tn_team_wake(team, wake);
            return;
        }
        if (tn_likely(tn_wait_step(&w, me)))
            continue;
        tn_park_prepare(me, team);
        if (tn_load_acq(&team->drained) != epoch && !tn_task_runnable(team) && !tn_task_quiescent(team))
            tn_park_commit(me);
        tn_park_finish(me, team);
        w.start_ns = 0;
    }
}

static void drain(struct tn_thread *me, struct tn_team *team, uint64_t epoch, unsigned wake)
{
    drain_tasks(me, team, epoch, wake);
    tn_happens_after(&team->tasks);
}

void tn_task_drain(struct tn_thread *me, struct tn_team *team, uint64_t epoch)
{
    drain(me, team, epoch, team->width);
}

void tn_task_drain_join(struct tn_thread *me, struct tn_team *team)
{
    drain(me, team, tn_load_acq(&team->tasking), 0);
}
