/* SPDX-License-Identifier: MIT */
/* Explicit tasks. A task record belongs to the team whose member created it; a deferred task lies in the creator's deque
 * (task_deque.h) until its owner pops it (newest first) or another member steals it (oldest first). Tasks run only at
 * scheduling points of members: task creation, taskwait, end of a taskgroup, barriers, the dock after a region.
 *
 * Phases. team->tasking holds the epoch of the last phase (the stretch up to a barrier, TN_EPOCH of that barrier) in which a
 * deferred task was created, team->drained the last phase whose tasks are all done. Different: tasks may exist.
 *
 * Budget of a small task that its creator runs itself: one exchange (taking the last entry), no line moves, no system call:
 *   BUDGET task 435
 *
 * Files: task.c life of a task; task_sched.c choice, waiting, draining; task_deps.c depend clauses; task_group.c taskgroups,
 * task reductions, cancellation; task_loop.c taskloop; task_mem.c records.
 *
 * Type index
 *   tn_task         what every task has, implicit ones too
 *   tn_task_x       explicit: adds function, arguments, dependence node (task_impl.h)
 *   tn_taskgroup    a taskgroup region (task_impl.h)
 *   tn_task_member  deque and counters of a member; tn_task_team what members share */
#ifndef TN_TASK_H
#define TN_TASK_H

#include "base.h"
#include "icv.h"

struct tn_thread;
struct tn_team;
struct tn_member;
struct tn_taskgroup;
struct tn_task_deps;
struct tn_task_x;
struct tn_task_chunk;

/* One line. Written by the thread that runs the task, except `remote`. `owner` and `parent` may be looked at by thieves.
 *
 * Children that are not complete: children - remote, where `children` counts those created less those completed on the
 * thread that runs this task, and `remote` those completed elsewhere. Once the body has ended with children left, `remote` is
 * made -left and counts up to 0, and the one who makes it 0 frees the record. */
struct tn_task {
    struct tn_icv *icv;     /* data environment; never NULL once running */
    _Atomic(struct tn_task *) parent; /* NULL: none of this team, or the task is complete and waits for its children */
    _Atomic(struct tn_taskgroup *) group; /* innermost taskgroup, NULL: none */
    struct tn_task_deps *deps;  /* what its children depend on, NULL: nothing yet */
    _Atomic(struct tn_thread *) owner; /* runs it; valid while it has children */
    int64_t children;
    _Atomic int64_t remote;
    uint32_t base;          /* bottom of the owner's deque when it started: newer entries are its descendants */
    bool icv_own;           /* no other task can see the block: tn_icv_write may change it in place */
    bool final;             /* omp_in_final() */
    bool explicit_;         /* omp_in_explicit_task() */
    bool deferred;          /* it or an ancestor was deferred: the phase is marked */
};
_Static_assert(sizeof(struct tn_task) == TN_LINE, "a task's common part is one line");

struct tn_task_member {
    /* Thieves, by compare and exchange; the member when it takes its last entry. */
    alignas(TN_LINE) _Atomic uint32_t top; /* oldest entry */
    /* The member; thieves read bottom, mask, slots (task_deque.h), the quiescence scan the counters (task_sched.c). */
    alignas(TN_LINE) _Atomic uint32_t bottom; /* one past the newest entry; indices run freely, slot = index & mask */
    uint32_t mask;
    uint32_t top_seen;         /* top, when the member last looked: never more than top */
    uint32_t full;             /* creations for which it takes the deque to be still full */
    _Atomic(struct tn_task_x *) *slots; /* NULL until the first push */
    _Atomic uint64_t created;  /* deferred tasks this member created, ever */
    _Atomic uint64_t finished; /* deferred tasks that were completed on it, ever */
    uint64_t phase;            /* epoch in which its implicit task last created one */
    struct tn_task_x *free;    /* records to reuse: `nfree` that ended here, at most TN_TASK_KEEP */
    struct tn_task_x *reserve; /* and records taken from `spare` or new */
    alignas(TN_LINE) struct tn_task_chunk *chunks; /* memory of the records it made; freed with the team */
    uint32_t nfree;
    bool dirty;                /* ran a task since it last found none */
};

struct tn_task_team {
    /* Priority tasks, overflow, and tasks made ready by omp_fulfill_event. */
    alignas(TN_LINE) _Atomic uint32_t shared_count; /* written under the lock; read without, as a hint */
    _Atomic uint32_t lock;
    _Atomic bool hungry;           /* a member found no task, since an owner of a full deque last looked */
    struct tn_task_x *shared;      /* by priority, oldest first among equals; under the lock */
    _Atomic uint64_t ext_finished; /* completed by omp_fulfill_event; written under the lock */
    alignas(TN_LINE) _Atomic(struct tn_task_x *) spare; /* records freed beyond what members keep: pushed one list at a
                                                           time, always taken whole, so no ABA */
};

/* Team and member parts: made and ended with the team (team.c). */
void tn_task_team_init(struct tn_team *team);
void tn_task_team_fini(struct tn_team *team);

/* A member's implicit task at the start of a region. */
TN_INLINE void tn_task_implicit_start(struct tn_task *t, struct tn_icv *icv, struct tn_task *parent)
{
    t->icv = icv;
    tn_store(&t->parent, parent);
    tn_store(&t->group, NULL);
    t->icv_own = t->final = t->explicit_ = t->deferred = false;
}

/* Everything that one task construct passes. */
struct tn_task_spec {
    void (*fn)(void *);
    void *data;
    void (*cpyfn)(void *, void *); /* copies `data` where it has constructors, or NULL: by bytes */
    size_t size, align;
    void **depend;    /* NULL: none; layout in task_deps.c */
    void *detach;     /* where the event handle goes, NULL: not detachable */
    const uintptr_t *range; /* taskloop: two words that replace the first two of the task's data; else NULL */
    int priority;
    bool if_;         /* false: run at once, the creator waits */
    bool final;
};
void tn_task_create(struct tn_thread *me, const struct tn_task_spec *spec);
void tn_task_fulfill(uintptr_t event); /* any thread, also one that knows no OpenMP */

/* Waits; tasks run meanwhile. `me`: the calling thread's record, may be tn_thread_none for tn_task_wait. */
void tn_task_wait(struct tn_thread *me);
void tn_task_wait_depend(struct tn_thread *me, void **depend);
void tn_task_wait_depend_nowait(struct tn_thread *me, void **depend);
void tn_task_yield(struct tn_thread *me);

/* Taskgroups. Cancellation: the caller has checked cancel-var. */
void tn_task_group_start(struct tn_thread *me);
void tn_task_group_end(struct tn_thread *me);
void tn_task_cancel_group(struct tn_thread *me);
bool tn_task_group_cancelled(struct tn_thread *me);

/* Task reductions. `data` is the array the compiler emits (layout in task_group.c); registering puts the address of `width`
 * private copies into data[2].
 *   taskgroup: register inside it, unregister after its end (also after a region that registered).
 *   region:    tn_task_reduction_region(team, data) between tn_region_enter and tn_region_release; the next region forgets it.
 *   workshare: each member calls ws_start; the first with mem NULL, the others with what the first's call returned (pass it
 *              on with release/acquire); at the construct's end each calls ws_end (taskgroup end); then, unless
 *              cancelled, the barrier, by the caller. */
void tn_task_reduction_register(struct tn_thread *me, uintptr_t *data);
void tn_task_reduction_unregister(uintptr_t *data);
void tn_task_reduction_region(struct tn_team *team, uintptr_t *data);
void *tn_task_reduction_ws_start(struct tn_thread *me, uintptr_t *data, void *mem);
void tn_task_reduction_ws_end(struct tn_thread *me);
void tn_task_reduction_remap(struct tn_thread *me, size_t cnt, size_t cntorig, void **ptrs);

/* Taskloops: `spec` with everything but the range; data[0] and data[1] of each task become its first and end value. */
struct tn_taskloop {
    unsigned long num_tasks; /* or grain size; 0: not said */
    bool grainsize, strict, nogroup, reduction, up;
};
void tn_taskloop_long(struct tn_thread *me, const struct tn_task_spec *spec, const struct tn_taskloop *tl, long start, long end,
                      long step);
void tn_taskloop_ull(struct tn_thread *me, const struct tn_task_spec *spec, const struct tn_taskloop *tl, unsigned long long start,
                     unsigned long long end, unsigned long long step);

/* Scheduling, for barrier, join and dock.
 * Hint, for waiting members: tasks may exist. And: the barrier `epoch` has tasks to drain; ask after all have arrived. */
#define tn_task_pending(team) (tn_load_acq(&(team)->tasking) != tn_load(&(team)->drained))
#define tn_task_due(team, epoch) (tn_load_acq(&(team)->tasking) == (epoch))
/* Runs one task that the current task of `me` may be suspended for; false: found none. */
bool tn_task_run_one(struct tn_thread *me, struct tn_team *team);
/* Before sleeping: an unclaimed task can be seen somewhere. */
bool tn_task_runnable(struct tn_team *team);
/* No task of the team is incomplete. True only means something once all members have arrived somewhere. */
bool tn_task_quiescent(struct tn_team *team);
/* At a barrier, all members having arrived, if tn_task_due: returns when all tasks are done. Called by every member
 * (exchange) or by one while the others wait and work (tree). */
void tn_task_drain(struct tn_thread *me, struct tn_team *team, uint64_t epoch);
/* The same at the join, for member 0; the others are in their docks. If tn_task_pending. */
void tn_task_drain_join(struct tn_thread *me, struct tn_team *team);

#endif
