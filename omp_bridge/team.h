/* SPDX-License-Identifier: MIT */
/* A team: one width over a crew. Members in fixed order, member 0 is the thread that starts the region. Teams are
 * built once per crew and width, then reused: entry for the width of last time is a few compares (tn_team_get).
 *
 * Type index
 *   tn_team     what all members share: width, levels, barrier shape, worksharing and task state
 *   tn_member   one member's private state and the words it publishes */
#ifndef TN_TEAM_H
#define TN_TEAM_H

#include "base.h"
#include "icv.h"
#include "loop.h"
#include "task.h"
#include "thread.h"

struct tn_crew;

/* Values of `arrive`, `arrived` and `go`: which region, which barrier of it. Compared for equality only, so wrap-around is
 * harmless (each region rewrites them). */
#define TN_EPOCH(seq, idx) ((uint64_t)(seq) << 32 | (uint32_t)(idx))
#define TN_IDX_JOIN 0xffffffffu /* the end of the region; independent of how many barriers a cancelled member skipped */

struct tn_member {
    /* Read by others too, so nothing here is written while regions run: set when the team is built or its places change. */
    alignas(TN_LINE) struct tn_team *team;
    struct tn_thread *thread;  /* who serves here; member 0: the owner of the crew */
    unsigned num;              /* omp_get_thread_num() */
    unsigned child_lo, child_hi; /* members it releases and gathers: team->kid[lo .. hi - 1] */
    struct tn_member *parent;  /* who gathers it; NULL: member 0 */
    int place;                 /* assigned place, -1: none; see places.h */
    unsigned part_off, part_len; /* place partition of its implicit task */

    /* Private to the member (the thread that runs it), reset when a region starts. */
    alignas(TN_LINE) uint32_t seq; /* of the region it runs */
    uint32_t bar_idx;          /* barriers passed in this region */
    struct tn_ws_member ws;    /* position among the worksharing constructs of the region: loop.h */
    struct tn_task implicit;   /* its implicit task */
    struct tn_icv icv_store;   /* a block for tn_icv_write by the implicit task */

    /* Published: written by the member, read by all partners where the barrier is an exchange. Slots by parity of the
     * barrier's index, so a fast member cannot overwrite what a slow partner has yet to see. */
    alignas(TN_LINE) _Atomic uint64_t arrive[2];

    /* Task queue and counters: task.h. */
    struct tn_task_member tq;
};

enum { TN_END_RESERVED = 1, /* counted against a thread limit: give back */
       TN_END_PROFILED = 2 }; /* profile.h */

struct tn_team {
    /* Read-only while a region runs, and as a rule from one region to the next: stays in every member's cache. */
    alignas(TN_LINE) unsigned width;
    unsigned level;            /* omp_get_level(): enclosing regions, inactive ones too */
    unsigned active_level;
    unsigned span;             /* product of the widths from here outwards: threads that may be running at once */
    bool exchange;             /* barrier by exchange (narrow teams), else tree */
    _Atomic bool crowded;      /* more threads than processors for them: waits yield rather than spin */
    uint8_t at_end;            /* TN_END_*: what the join has to do besides */
    uint8_t bind;              /* policy the places were assigned with */
    struct tn_member *member;  /* [width] */
    struct tn_member **kid;    /* [width - 1], by parent: shape.h */
    struct tn_crew *crew;      /* NULL: the implicit region around a thread of the program */
    struct tn_member *outer;   /* where member 0 stood before: the parent region. Rewritten only when it changed */

    /* Member 0 alone, at each region. */
    alignas(TN_LINE) uint32_t seq;
    uint8_t hosted;            /* its waits since nested teams made the team crowded */
    bool any_asleep;           /* this region's release had to wake somebody */
    uint8_t dock_flags;        /* for the next release: TN_DOCK_AFFINITY */
    uint64_t profile_ns;       /* when its present phase began, where the region is profiled */
    uint64_t wakes;            /* releases that had to wake somebody */
    struct tn_task *outer_task;
    void (*fn)(void *);        /* for the debugger */
    void *data;
    struct tn_icv *icv;        /* of the implicit tasks */
    struct tn_icv icv_store;   /* where nesting level or a proc_bind clause changes it */
    uint64_t places_gen;       /* assignment is of this generation, see places.h */
    uintptr_t *reductions;     /* task reductions registered by the region, or NULL: task.h */
    _Atomic(struct tn_icv_extra *) icv_extra; /* blocks of tn_icv_write that live until the region ends */

    /* Events of all members. */
    alignas(TN_LINE) _Atomic uint32_t sleepers; /* members (docked ones too) that sleep: see tn_team_wake */
    _Atomic uint32_t cancelled;  /* parallel cancelled: TN_CANCEL bits */
    alignas(TN_LINE) _Atomic uint64_t tasking; /* epoch of the last phase with deferred tasks; task.h */
    _Atomic uint64_t drained;    /* epoch of the last phase whose deferred tasks are all done; task.h */

    struct tn_ws_team ws;      /* worksharing descriptors: loop.h */
    struct tn_task_team tasks; /* task state of the whole team: task.h */
};

struct tn_icv_extra {
    struct tn_icv_extra *next;
    struct tn_icv icv;
};

extern struct tn_team tn_team_none;     /* width 1, level 0: the implicit region around the program */
extern struct tn_member tn_member_none;

/* Member of the calling thread; team; both never NULL. */
TN_INLINE struct tn_team *tn_cur_team(struct tn_thread *me) { return me->cur->team; }

/* The parts of a team that worksharing and tasks own: made and ended with it. */
void tn_team_init_shared(struct tn_team *team);
void tn_team_fini_shared(struct tn_team *team);
/* The region is over: free the blocks that lived as long as it. */
void tn_icv_extra_free(struct tn_team *team);

/* Wake up to `howmany` sleeping members, after publishing something with no single waiter (a task, an ordered turn). */
TN_INLINE void tn_team_wake(struct tn_team *team, unsigned howmany)
{
    tn_fence_often();
    if (tn_unlikely(tn_load(&team->sleepers)))
        tn_team_wake_slow(team, howmany);
}

/* By a worker in a region: the processor with the fewest members of its team, if one more there and one less `here`, where it runs, is more
 * even; -1: stay, or another is to go. One goes at a time, from the processor with the most members: if that is the calling thread's the
 * first worker there, else the last, as narrower teams want it. Where they are: as of each one's last wait, the calling thread as of the release. */
int tn_team_emptier_cpu(const struct tn_team *team, const struct tn_member *m, int here);

/* region.c: run `fn(data)` on a team. `n`: num_threads clause, 0: none, 1 also for `if(false)`; `flags` of the ABI: proc_bind clause in
 * the low 3 bits (0: none). */
void tn_region(void (*fn)(void *), void *data, unsigned n, unsigned flags);
/* The same in three steps, for callers that prepare team state (worksharing, reductions) before members start, or that
 * run member 0's part themselves (the old start/end entries): */
struct tn_team *tn_region_enter(struct tn_thread **me, unsigned n, unsigned flags); /* `*me` out. Member 0 stands in the team */
void tn_region_release(struct tn_team *team, void (*fn)(void *), void *data); /* the others start */
void tn_region_leave(struct tn_thread *me); /* join; member 0 stands where it stood before */

#endif
