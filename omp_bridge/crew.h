/* SPDX-License-Identifier: MIT */
/* A crew: the workers one calling thread holds, and its teams by width. A thread has a crew per depth of region it
 * starts itself (`inner`). Idle crews of threads that ended are in a process-wide cache. Workers never exit because a
 * region got narrower.
 *
 * Who may touch a crew: its owner, or, while it is in the cache, the holder of the cache lock. */
#ifndef TN_CREW_H
#define TN_CREW_H

#include "base.h"
#include "team.h"

struct tn_crew {
    /* Whoever had the crew before may still look at these when it is another's, or nobody's: share.h. So each is atomic
     * and none is cleared as plain memory. The first four: what was asked for by the last region; if it is again, `hit`. */
    _Atomic uint64_t hit_want; /* num_threads clause << 32 | flags; a clause that names the default width counts as none */
    _Atomic uint64_t hit_icv;  /* icv id it was decided under; 0 never matches */
    _Atomic(struct tn_member *) outer; /* where the owner stood when the teams' levels were last settled */
    _Atomic uint32_t hit_gen;  /* tn_gen at that time; written after the others, looked at before them: share.h */
    _Atomic bool in_use;       /* a region is being decided or runs: share.h */
    _Atomic(struct tn_thread *) owner; /* NULL: in the cache */
    /* Its owner's alone; a taker reads some of them where `in_use` is false (acquire). */
    struct tn_team *hit;   /* the team of the last region, or the one a session holds. Never NULL: tn_team_none */
    uint32_t hit_seq;      /* its seq when it became that: another one now means that it has served since */
    struct tn_crew *inner; /* for regions this thread starts inside a region served by this crew; tn_crew_none or own */
    struct tn_team **teams; /* [teams_len], by width; NULL: not built */
    unsigned teams_len;
    struct tn_thread **worker; /* [workers]; worker[i] serves as member i + 1 */
    unsigned workers, workers_cap;
    bool shortage;         /* the last tn_crew_get could not start all it wanted */
    /* Residence (session.h): written by the owner, read by docked workers when they look at the clock. */
    _Atomic uint64_t lease_ns; /* idle time they stay awake, 0: the ordinary budget */
    _Atomic bool paused;       /* sleep at once; cleared by the owner's next region */
    /* Affinity broadcast: the set its workers shall have (places.h). */
    cpu_set_t *mask;
    uint64_t mask_gen;
    cpu_set_t *seen;            /* the owner's own set when it was looked at last */
    _Atomic bool mask_kept;     /* the set is its present owner's: what shrinks is not followed. Workers may clear it */
    const struct tn_team *shown; /* OMP_DISPLAY_AFFINITY: whose lines were written last */
    struct tn_crew *attic;      /* emptied crews whose teams our workers may still look at: freed once they have moved on */
    unsigned attic_workers;     /* which they have after a region with all of worker[0 .. attic_workers - 1]; a session
                                   that was opened has had none yet */
    struct tn_crew *cache_next; /* in the cache: younger first; also links the attic */
};

extern struct tn_crew tn_crew_none;

/* Moves on when something rare makes every cached decision doubtful (a mask was set, resources were paused, fork). */
extern _Atomic uint32_t tn_gen;

/* Who asked for the width: what happens where threads cannot be had (DESIGN, promise 3). */
enum tn_ask { TN_ASK_DEFAULT,     /* nobody: go on with fewer, one warning */
              TN_ASK_NUM_THREADS, /* a num_threads clause: stop, or as told by TENURE_ON_THREAD_FAILURE */
              TN_ASK_SESSION };   /* a session: fewer, and the session reports it */

/* The crew of `me` at its present depth, with `workers` workers or more: its own, grown, or one from the cache. Where
 * threads cannot be had, see tn_ask. */
struct tn_crew *tn_crew_get(struct tn_thread *me, unsigned workers, enum tn_ask ask);
/* The thread ends: its crews go to the cache. */
void tn_crew_put_all(struct tn_thread *me);
/* The initial thread has ended and the process has not: no idle worker is kept from now on, or it would never end. */
void tn_crew_close(void);
/* omp_pause_resource: end idle workers of this thread and of the cache. */
void tn_crew_pause(struct tn_thread *me);
/* Child of fork: nothing of the parent's exists. */
void tn_crew_fork_child(void);

/* The team of `width` over `crew`, built if need be. */
struct tn_team *tn_team_for(struct tn_crew *crew, unsigned width);
void tn_team_free(struct tn_team *team);

/* Workers started so far in this process, and those alive. */
unsigned tn_workers_spawned(void);
unsigned tn_workers_alive(void);

#endif
