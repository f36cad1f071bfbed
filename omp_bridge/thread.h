/* SPDX-License-Identifier: MIT */
/* The record of a thread that uses OpenMP: a worker of ours or a thread of the program (a calling thread). Reached by
 * one thread-local pointer. A thread without a record points to `tn_thread_none`, which reads as the initial task of a
 * sequential program: every query works on it, nothing may be written to it (tn_self_attach makes a real one). */
#ifndef TN_THREAD_H
#define TN_THREAD_H

#include <pthread.h>
#include <sched.h>

#include "base.h"
#include "icv.h"
#include "linger.h"
#include "park.h"
#include "task.h"

struct tn_crew;
struct tn_member;
struct tn_session;
struct tn_profile;

/* The contention group of an initial thread (OpenMP 5.1, 1.2.2): who counts against thread-limit-var. Only touched
 * where a limit was set. */
struct tn_group {
    _Atomic unsigned busy; /* threads running in active regions of the group, its initial thread included */
};

/* What the releasing thread hands to one worker, and the worker's answer, in one line: it goes out with the work and comes
 * back with the arrival (two lines, one polled at each end, cost half as much again: 115 against 75 ns there and back).
 * The releaser writes only while the worker is docked and its last arrival has been seen; `word` last, with release. */
struct tn_dock {
    alignas(TN_LINE) _Atomic uint64_t word; /* sequence number << 8 | TN_DOCK_*; the worker waits for a change */
    struct tn_member *member;               /* the place in which team to serve */
    void (*fn)(void *);                     /* the region */
    void *data;
    struct tn_icv *icv;                     /* of its implicit task */
    uint32_t seq;                           /* of the region: epoch of its barriers */
    int cpu;                                /* processor of the releasing thread, -1: unknown */
    _Atomic uint64_t go;                    /* barrier release from the parent member, see barrier.h */
    _Atomic uint64_t arrived;               /* the worker's: epoch it has reached (tree barriers, join), see barrier.h */
};
_Static_assert(sizeof(struct tn_dock) == TN_LINE, "the dock is one line");
enum { TN_DOCK_AFFINITY = 1, /* apply member->cpuset before running */
       TN_DOCK_EXIT = 2,     /* leave for good; member is NULL */
       TN_DOCK_PROFILED = 4 }; /* put the clock around it: profile.h */

struct tn_thread {
    /* Own: read and written by the thread itself. */
    struct tn_member *cur;   /* where it stands: team, thread number. Never NULL */
    struct tn_task *task;    /* current task, implicit or explicit. Never NULL */
    struct tn_crew *crew;    /* serves the next region this thread starts. Never NULL (tn_crew_none) */
    _Atomic(struct tn_crew *) root_crew; /* of the outermost regions it starts itself; tn_crew_none or own */
    struct tn_group *group;  /* contention group */
    struct tn_session *session; /* innermost open session of this thread, or NULL */
    struct tn_session *sessions_closed; /* its objects, for the next ones */
    void *i8_memory;         /* work memory of int8 products it calls (gemm.c), NULL while a call uses it */
    size_t i8_bytes;
    struct tn_profile *profile; /* its counters, NULL: none yet (profile.h) */
    pthread_t pthread;
    pid_t tid;
    unsigned id;             /* 0 for calling threads; workers: running number from 1 (tenure-w3) */
    bool is_worker;
    unsigned team_num, num_teams; /* teams construct on the host: omp_get_team_num(), omp_get_num_teams() */
    _Atomic uint64_t idle_since; /* worker: start of the present gap, 0: short so far; read by share.c */
    uint64_t idle_ns;        /* worker: learned budget (park.c) */
    uint64_t lost_until;     /* a yield of it took a time slice: until then it sleeps at once (park.c) */
    uint32_t yields;         /* in crowded teams, since then */
    _Atomic bool away;       /* it yields: another thread has its processor (a hint to those who wait for it: linger.h) */
    _Atomic uint64_t waits_since, runs_since; /* its last slow wait or barrier, its region after a wait; read by members that may be late */
    uint64_t part_since;     /* start of what it works on, 0: it waits */
    uint64_t part_ns, wake_ns; /* how long it usually works between two waits, and a wake from another processor takes to reach it; */
    uint64_t followed_ns;    /* worker: when it last went where its releaser was (park.c) */
    uint64_t gave_slice;     /* in crowded teams: when the yield began that took a slice and may have made it late, 0: none, */
    uint64_t gave_epoch;     /* and at which barrier */
    struct tn_linger linger; /* how its crowded waits go */
    int caller_cpu;          /* worker: processor of its last releaser, -1: unknown */
    uint32_t sleeps_seen;    /* worker: park.sleeps when it last looked at masks, */
    uint64_t looked_ns;      /* and when that was; */
    bool look_owed;          /* it has slept again since */
    unsigned stay;           /* regions for which not to try again to leave the releaser's processor */
    unsigned spread_in;      /* regions of crowded teams until it looks where the others are */
    uint32_t seed;           /* victim choice of the task scheduler */
    /* Read by others, seldom written. */
    alignas(TN_LINE) _Atomic int runs_cpu; /* where it last waited, or began after a wait (park.c) */
    /* Affinity: see places.h. */
    int place;               /* place it is bound to, -1: not bound by us */
    cpu_set_t *before;       /* its set before we bound it, tn_topo_set_size() bytes; NULL: never bound */
    unsigned part_off, part_len; /* place-partition-var: first place and how many (all, when unbound) */
    uint64_t mask_gen;       /* crew->mask_gen that it applied last */
    _Atomic bool mask_own;   /* the program set this thread's mask itself: leave it alone. Any thread writes */
    struct tn_thread *next_all, **prev_all; /* registry of all records, for affinity and reports; own lock */
    struct tn_group own_group;
    struct tn_icv icv_store;     /* a block for tn_icv_write at initial level */

    struct tn_parker park;   /* one line */
    struct tn_dock dock;     /* one line; workers only */
};

extern struct tn_thread tn_thread_none;
extern __thread struct tn_thread *tn_self_ptr __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The record of the calling thread, perhaps the read-only tn_thread_none. */
TN_INLINE struct tn_thread *tn_self(void) { return tn_self_ptr; }

TN_COLD struct tn_thread *tn_self_attach_slow(void);

/* A record that may be written. First call in a thread makes it and arranges for its end. */
TN_INLINE struct tn_thread *tn_self_attach(void)
{
    struct tn_thread *me = tn_self_ptr;
    return tn_likely(me != &tn_thread_none) ? me : tn_self_attach_slow();
}

/* Control variables of the calling thread's task, for reading, with or without a record. */
TN_INLINE const struct tn_icv *tn_icv_read(void)
{
    struct tn_thread *me = tn_self_ptr;
    if (tn_unlikely(me == &tn_thread_none))
        tn_global_need();
    return me->task->icv;
}

/* Code between the two runs as an initial thread of its own within this one (a target region on the host): no record
 * until it needs one, then its own, which ends at take_back. */
struct tn_thread *tn_self_set_aside(void);
void tn_self_take_back(struct tn_thread *outer);

/* Memory for records is never given back, only used for other records: who has published an arrival or completed a task may
 * still look at `asleep` of the thread that waited for it, when that thread is long gone. A wake that reaches another thread
 * by this is harmless. Zeroed; fatal without memory (workers: NULL). */
struct tn_thread *tn_thread_alloc(bool worker);
void tn_thread_free(struct tn_thread *t);

/* Called by the first use of OpenMP: if the calling thread is the initial one, its end is noticed, record or not. */
void tn_thread_watch_initial(void);

/* For worker records: fill in what every record needs, enter it into the registry; and take it out. */
void tn_thread_init(struct tn_thread *t);
void tn_thread_fini(struct tn_thread *t);

/* The lock and head of the registry. */
struct tn_thread *tn_thread_all_lock(void);
void tn_thread_all_unlock(void);

/* Wake `t` if it sleeps (true: it did). Call after the store that makes its condition true. */
TN_INLINE bool tn_unpark(struct tn_thread *t)
{
    tn_fence_often();
    if (tn_likely(tn_load(&t->park.asleep) == 0))
        return false;
    return tn_unpark_slow(t);
}

/* fork.c's child handler: this thread is the only one; forget crews, keep the record. */
void tn_thread_fork_child(void);

#endif
