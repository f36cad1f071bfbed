/* SPDX-License-Identifier: MIT */
/* TENURE_PROFILE=1: counts and times by phase of a region, per thread, summed and printed when the process ends.
 * Each thread writes its own counters; the sum is made under the registry's lock.
 *
 * Off it costs nothing: no hot path tests for it. On, no decision is remembered (hit_icv stays 0), so every region is decided
 * anew in the cold half, which marks it by TN_DOCK_PROFILED and TN_END_PROFILED: bits in flags that are tested anyway. */
#ifndef TN_PROFILE_H
#define TN_PROFILE_H

#include "icv.h"

struct tn_thread;
struct tn_team;

enum tn_phase {
    TN_PHASE_WIDTH,    /* decision: control variables, limits */
    TN_PHASE_CREW,     /* workers had, taken from the cache or made */
    TN_PHASE_TEAM,     /* looked up, or built */
    TN_PHASE_AFFINITY, /* and the control variables of the members */
    TN_PHASE_RELEASE,  /* thread 0: until all others are released */
    TN_PHASE_BODY,     /* every member; includes regions it starts itself */
    TN_PHASE_JOIN,     /* thread 0: from its own end until all have arrived and all tasks are done */
    TN_PHASE_DOCK,     /* workers: from the end of a body to the start of the next */
    TN_PHASES
};

struct tn_profile {
    struct {
        _Atomic uint64_t count, ns;
    } phase[TN_PHASES];
    uint64_t docked_ns;  /* worker: end of its last body */
    void (*fn)(void *);  /* worker: what tn_profile_run runs */
};

uint64_t tn_profile_now(void);
/* A phase ends and the next begins; returns now. */
TN_COLD uint64_t tn_profile_lap_slow(struct tn_thread *me, enum tn_phase phase, uint64_t since);

/* Of cold halves: 0 where the profile is off. */
TN_INLINE uint64_t tn_profile_start(void)
{
    return tn_unlikely(tn_global.profile) ? tn_profile_now() : 0;
}

TN_INLINE uint64_t tn_profile_lap(struct tn_thread *me, enum tn_phase phase, uint64_t since)
{
    return tn_unlikely(since) ? tn_profile_lap_slow(me, phase, since) : 0;
}

/* A worker before the body of a region with TN_DOCK_PROFILED: puts the clock around it. */
TN_COLD void tn_profile_serve(struct tn_thread *worker);
/* The thread ends (registry locked); child of fork: counts begin anew. */
void tn_profile_thread_end(struct tn_thread *t);
void tn_profile_fork_child(void);

#endif
