/* SPDX-License-Identifier: MIT */
/* What the task files share and nobody else sees: the record of an explicit task, taskgroups, counters of things not yet
 * complete, the lock of a team's shared list. Called by members of the team, except where said. */
#ifndef TN_TASK_IMPL_H
#define TN_TASK_IMPL_H

#include "task.h"
#include "team.h"
#include "thread.h"

struct tn_task_node;

#define TN_TASK_RECORD 256 /* bytes of a record; arguments up to TN_TASK_INLINE live in it */
#define TN_TASK_INLINE (TN_TASK_RECORD - 112)
#define TN_TASK_KEEP 128   /* records a member keeps for itself before it offers them to the team */

/* State word of an explicit task:
 *   bit        | meaning                                   | set by            | cleared
 *   FULFILLED  | its event has been fulfilled              | tn_task_fulfill   | never
 *   BODY_DONE  | its body has ended                        | who ran it        | never
 *   DETACH     | has an event: complete when both are set; | creation          | never
 *              | whoever sets the second completes it      |                   |
 *   INCLUDED   | its creator waits for it                  | creation          | never
 *   DISCARD    | may be dropped unstarted when cancelled   | creation          | never
 *   BIG        | `data` was allocated for it               | creation          | never
 *   PIECE      | of a taskloop: in its group, no child     | creation          | never */
enum { TN_TASK_FULFILLED = 1, TN_TASK_BODY_DONE = 2, TN_TASK_DETACH = 4, TN_TASK_INCLUDED = 8, TN_TASK_DISCARD = 16,
       TN_TASK_BIG = 32, TN_TASK_PIECE = 64 };

struct tn_task_x {
    struct tn_task t;
    void (*fn)(void *);         /* NULL: nothing to run (taskwait depend nowait) */
    void *data;
    struct tn_task_x *next;     /* in the free lists and in the shared list */
    struct tn_task_node *node;  /* what depends on it, NULL: no depend clause */
    struct tn_team *team;
    int priority;
    _Atomic uint32_t state;     /* see above; futex word of a creator that waits for the event */
    alignas(16) unsigned char args[TN_TASK_INLINE];
};
_Static_assert(sizeof(struct tn_task_x) == TN_TASK_RECORD, "a record is four lines");
_Static_assert(offsetof(struct tn_task_x, args) == 112, "short arguments share the second line");

/* Descendants of a taskgroup region that are not complete: local + remote. `local` belongs to the thread that encountered
 * it; the others add to `remote`. Exact whenever the owner looks: a task adds its children before it takes itself off,
 * and `local` cannot change meanwhile. Zero stays zero, since only a task in it or the owner adds. */
struct tn_taskgroup {
    struct tn_task was;      /* not used: see Records below */
    /* Read by each task that ends. */
    alignas(TN_LINE) struct tn_taskgroup *prev;
    struct tn_thread *owner;
    uintptr_t *reductions;   /* chain through data[4], NULL: none */
    _Atomic bool cancelled;
    bool workshare;          /* around a worksharing construct with task reductions: cancel means the next outer one */
    /* Written by the owner at each task it creates, and by the others at each that they end. */
    alignas(TN_LINE) int64_t local;
    alignas(TN_LINE) _Atomic int64_t remote;
};

/* Records: task_mem.c. Taskgroups and nodes take their memory too. It stays until the team is freed, and its first line stays
 * a tn_task whose `parent` is NULL while it is something else: a thief may still look at the task that it was.
 * `m`: the member the caller runs as; NULL in tn_task_mem_put: none. */
TN_COLD struct tn_task_x *tn_task_mem_get_slow(struct tn_member *m);
TN_COLD void tn_task_mem_put_slow(struct tn_team *team, struct tn_member *m, struct tn_task_x *x);

TN_INLINE struct tn_task_x *tn_task_mem_get(struct tn_member *m)
{
    struct tn_task_x *x = m->tq.free;
    if (tn_unlikely(!x))
        return tn_task_mem_get_slow(m);
    m->tq.free = x->next;
    m->tq.nfree--;
    return x;
}

TN_INLINE void tn_task_mem_put(struct tn_team *team, struct tn_member *m, struct tn_task_x *x)
{
    if (tn_unlikely(!m || m->tq.nfree == TN_TASK_KEEP)) {
        tn_task_mem_put_slow(team, m, x);
        return;
    }
    x->next = m->tq.free;
    m->tq.free = x;
    m->tq.nfree++;
}

/* A task may run: into the queue it belongs to, and a sleeper is woken. `m` NULL: the caller is no member and holds the lock of
 * the shared list. */
void tn_task_enqueue(struct tn_team *team, struct tn_member *m, struct tn_task_x *x);

/* Runs `x` to the end of its body as `me`; completes it unless its event is outstanding. */
void tn_task_run(struct tn_thread *me, struct tn_task_x *x);

/* For task_loop.c, with `parent` suspended at the end of the loop's taskgroup in whatever thread. One task, run at once; and a
 * deferred piece, a task to the scheduler only: it counts in the group and not among the children of `parent`. */
void tn_task_run_now(struct tn_thread *me, struct tn_task *parent, const struct tn_task_spec *s);
void tn_task_defer_piece(struct tn_thread *me, struct tn_task *parent, const struct tn_task_spec *s);

/* What a scheduling point waits for: exactly one of the three. */
struct tn_task_until {
    const struct tn_task *children_of;  /* all its children complete */
    struct tn_taskgroup *group;         /* all its descendants complete */
    struct tn_task_node *node;          /* its predecessors complete */
};
/* Runs tasks that the current task may be suspended for, until then. */
void tn_task_await(struct tn_thread *me, const struct tn_task_until *until);

/* Dependences: task_deps.c. */
/* Enters `x` among its parent's children; true: it has to wait. */
bool tn_task_deps_enter(struct tn_member *m, struct tn_task *parent, struct tn_task_x *x, void **depend);
bool tn_task_node_ready(struct tn_task_node *node);
/* `x` is complete: its successors may run. */
void tn_task_deps_done(struct tn_team *team, struct tn_member *m, struct tn_task_x *x);
void tn_task_deps_free(struct tn_team *team, struct tn_member *m, struct tn_task *parent);

/* Held for a few stores; taken only for priority tasks, overflow, events and the end of a drain that saw events. */
void tn_task_lock(struct tn_team *team);
TN_INLINE void tn_task_unlock(struct tn_team *team) { tn_store_rel(&team->tasks.lock, 0); }

TN_INLINE bool tn_task_cancelled(const struct tn_team *team, const struct tn_task *t)
{
    if (tn_unlikely(tn_load(&team->cancelled)))
        return true;
    const struct tn_taskgroup *g = tn_load(&t->group);
    if (tn_likely(!g))
        return false;
    return tn_load(&g->cancelled) || (g->workshare && g->prev && tn_load(&g->prev->cancelled));
}

#endif
