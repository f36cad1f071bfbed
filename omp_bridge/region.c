/* SPDX-License-Identifier: MIT */
/* Regions: the entry every parallel construct takes. Called by any thread, which becomes thread 0 of the team. */
#include "region.h"

#include <string.h>

#include "msg.h"
#include "places.h"
#include "profile.h"
#include "share.h"
#include "topo.h"

static struct tn_team *team_get_slow(struct tn_thread *me, unsigned n, unsigned flags, enum tn_ask ask);

/* A num_threads clause that names the default width is the default: streams that mix both (OpenBLAS) have one key. */
TN_INLINE uint64_t want(const struct tn_thread *me, unsigned n, unsigned flags)
{
    return (uint64_t)(n == me->task->icv->nthreads ? 0 : n) << 32 | flags;
}

/* The same is asked for as last time, from the same place under the same control variables. */
TN_INLINE bool is_hit(const struct tn_thread *me, unsigned n, unsigned flags)
{
    const struct tn_crew *c = me->crew;
    return tn_load_acq(&c->hit_gen) == tn_load_acq(&tn_gen) && tn_load(&c->hit_icv) == me->task->icv->id &&
           tn_load(&c->hit_want) == want(me, n, flags) && tn_load(&c->outer) == me->cur;
}

TN_INLINE struct tn_team *team_get(struct tn_thread *me, unsigned n, unsigned flags)
{
    tn_store(&me->crew->in_use, true);
    atomic_signal_fence(memory_order_seq_cst); /* share.h, a before b */
    if (tn_likely(is_hit(me, n, flags)))
        return me->crew->hit;
    return team_get_slow(me, n, flags, n ? TN_ASK_NUM_THREADS : TN_ASK_DEFAULT);
}

/* The contention group: that of the initial thread around us. Asked for only where there is a limit. */
static TN_COLD struct tn_group *group_of(const struct tn_thread *me)
{
    const struct tn_member *m = me->cur;
    while (m->team->level > 0)
        m = m->team->outer;
    return m->thread->group;
}

TN_INLINE void unreserve(struct tn_thread *me, unsigned workers)
{
    atomic_fetch_sub_explicit(&group_of(me)->busy, workers, memory_order_relaxed);
}

TN_INLINE void enter(struct tn_thread *me, struct tn_team *team)
{
    team->outer_task = me->task;
    team->reductions = NULL;
    struct tn_crew *inner = team->crew->inner;
    if (tn_unlikely(tn_load(&team->cancelled)))
        tn_store(&team->cancelled, 0);
    ++team->seq;
    me->cur = &team->member[0];
    me->crew = inner;
}

/* Member 0's own part, which nobody else looks at: after the others have their work, where that can be. */
TN_INLINE void start(struct tn_thread *me, struct tn_team *team)
{
    tn_region_start_member(me, &team->member[0], team->seq, team->icv);
}

static TN_COLD void released_slow(struct tn_team *team, unsigned flags)
{
    team->dock_flags = 0;
    if (flags & TN_DOCK_PROFILED)
        team->profile_ns = tn_profile_lap(team->member[0].thread, TN_PHASE_RELEASE, team->profile_ns);
}

/* Some slept: while they are on their way, which takes longer, their masks are put back. */
static TN_COLD void released_asleep(struct tn_team *team, unsigned flags)
{
    const struct tn_member *m = &team->member[0];
    team->wakes++;
    for (unsigned i = m->child_lo; i < m->child_hi; i++)
        tn_affinity_waking(m->thread, team->kid[i]->thread, !(flags & TN_DOCK_AFFINITY) && tn_places_len == 0);
}

TN_INLINE void release(struct tn_team *team, void (*fn)(void *), void *data)
{
    team->fn = fn;
    team->data = data;
    unsigned flags = team->dock_flags;
    team->any_asleep = tn_region_release_children(&team->member[0], fn, data, team->icv, team->seq, flags);
    if (tn_unlikely(flags))
        released_slow(team, flags);
    if (tn_unlikely(team->any_asleep))
        released_asleep(team, flags);
}

/* Where the end of a region has more to do than to gather. */
static TN_COLD void gather_slow(struct tn_thread *me, struct tn_team *team)
{
    bool profiled = team->at_end & TN_END_PROFILED;
    uint64_t since = profiled ? tn_profile_lap(me, TN_PHASE_BODY, team->profile_ns) : 0;
    tn_join_gather(me, team);
    tn_profile_lap(me, TN_PHASE_JOIN, since);
    if (team->at_end & TN_END_RESERVED)
        unreserve(me, team->width - 1);
}

TN_INLINE void leave(struct tn_thread *me)
{
    if (tn_unlikely(tn_self_ptr != me))
        return; /* the region forked and this is the child: it stands in its own initial task, there is nobody to join */
    struct tn_team *team = me->cur->team;
    if (tn_unlikely(team->at_end))
        gather_slow(me, team);
    else
        tn_join_gather(me, team);
    me->cur = team->outer;
    me->task = team->outer_task;
    me->crew = team->crew;
    if (tn_unlikely(tn_load(&team->icv_extra) != NULL))
        tn_icv_extra_free(team);
    tn_store_rel(&team->crew->in_use, false); /* last: the team may be another thread's, or gone, from here on */
}

void tn_region(void (*fn)(void *), void *data, unsigned n, unsigned flags)
{
    struct tn_thread *me = tn_self();
    struct tn_team *team = team_get(me, n, flags);
    me = team->member[0].thread; /* team_get may have made the record */
    enter(me, team);
    release(team, fn, data);
    start(me, team);
    fn(data);
    leave(me);
}

struct tn_team *tn_region_team(struct tn_thread *me, unsigned n, unsigned flags, enum tn_ask ask)
{
    tn_store(&me->crew->in_use, true); /* until the session's lease stands, see session.c */
    atomic_signal_fence(memory_order_seq_cst);
    struct tn_team *team = is_hit(me, n, flags) ? me->crew->hit : team_get_slow(me, n, flags, ask);
    if (team->at_end & TN_END_RESERVED)
        unreserve(me, team->width - 1);
    team->at_end = 0;
    return team;
}

struct tn_team *tn_region_enter(struct tn_thread **out, unsigned n, unsigned flags)
{
    struct tn_team *team = team_get(tn_self(), n, flags);
    *out = team->member[0].thread;
    enter(*out, team);
    start(*out, team);
    return team;
}

void tn_region_release(struct tn_team *team, void (*fn)(void *), void *data)
{
    release(team, fn, data);
}

void tn_region_leave(struct tn_thread *me)
{
    leave(me);
}

/* OpenMP 5.1, algorithm 2.1. Reserves what it gives where the contention group has a limit. */
static unsigned decide_width(struct tn_thread *me, unsigned n, bool *reserved)
{
    const struct tn_icv *icv = me->task->icv;
    *reserved = false;
    if (n == 1 || me->cur->team->active_level >= icv->max_active_levels)
        return 1;
    unsigned width = n ? n : icv->nthreads;
    if (icv->dyn && width > 1) {
        unsigned room = tn_topo_free_procs();
        width = width < room ? width : room;
    }
    if (icv->thread_limit == TN_NO_LIMIT || width == 1)
        return width;
    struct tn_group *group = group_of(me);
    unsigned busy = atomic_load_explicit(&group->busy, memory_order_relaxed), got;
    do {
        unsigned room = icv->thread_limit > busy ? icv->thread_limit - busy + 1 : 1;
        got = width < room ? width : room;
    } while (!atomic_compare_exchange_weak_explicit(&group->busy, &busy, busy + got - 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    *reserved = got > 1;
    return got;
}

unsigned tn_region_width(struct tn_thread *me, unsigned n)
{
    bool reserved;
    unsigned width = decide_width(me, n, &reserved);
    if (reserved)
        unreserve(me, width - 1);
    return width;
}

/* Control variables of the implicit tasks: the parent's, but for the lists by level and a proc_bind clause. */
static struct tn_icv *derive_icv(struct tn_team *team, struct tn_icv *parent, unsigned bind)
{
    struct tn_icv icv = *parent;
    if (team->level < tn_global.nthreads_list_len)
        icv.nthreads = tn_global.nthreads_list[team->level];
    icv.bind = (uint8_t)bind;
    if (team->level < tn_global.bind_list_len)
        icv.bind = tn_global.bind_list[team->level];
    if (icv.nthreads == parent->nthreads && icv.bind == parent->bind)
        return parent;
    icv.id = team->icv_store.id;
    if (memcmp(&icv, &team->icv_store, sizeof icv) != 0) {
        team->icv_store = icv;
        team->icv_store.id = tn_icv_new_id();
    }
    return &team->icv_store;
}

static struct tn_team *team_decide(struct tn_thread *me, unsigned n, unsigned flags, enum tn_ask ask)
{
    me = tn_self_attach();
    tn_share_settle(me);
    uint32_t gen = tn_load_acq(&tn_gen);
    struct tn_icv *icv = me->task->icv;
    bool reserved;
    uint64_t since = tn_profile_start();
    unsigned width = decide_width(me, n, &reserved);
    since = tn_profile_lap(me, TN_PHASE_WIDTH, since);
    struct tn_crew *c = tn_crew_get(me, width - 1, ask);
    since = tn_profile_lap(me, TN_PHASE_CREW, since);
    tn_store(&c->in_use, true);
    tn_store(&c->outer, me->cur);
    if (c->workers + 1 < width) {
        if (reserved)
            unreserve(me, width - 1 - c->workers);
        width = c->workers + 1;
        reserved &= width > 1;
    }
    struct tn_team *team = tn_team_for(c, width);
    team->at_end = (uint8_t)((reserved ? TN_END_RESERVED : 0) | (since ? TN_END_PROFILED : 0));
    since = tn_profile_lap(me, TN_PHASE_TEAM, since);
    unsigned bind = icv->bind;
    if (bind != TN_BIND_FALSE && (flags & 7) != TN_BIND_FALSE)
        bind = flags & 7;
    team->icv = derive_icv(team, icv, bind);
    tn_store(&c->paused, false);
    team->dock_flags = tn_affinity_prepare(me, team, bind, tn_load(&c->hit_gen) != gen) ? TN_DOCK_AFFINITY : 0;
    team->profile_ns = tn_profile_lap(me, TN_PHASE_AFFINITY, since);
    team->dock_flags |= since ? TN_DOCK_PROFILED : 0;
    c->hit = team;
    c->hit_seq = team->seq;
    tn_store(&c->hit_want, want(me, n, flags));
    /* What depends on more than the key is decided each time. */
    tn_store(&c->hit_icv, icv->dyn || icv->thread_limit != TN_NO_LIMIT || since ? 0 : icv->id);
    tn_store_rel(&c->hit_gen, gen);
    static _Atomic bool said;
    if (tn_unlikely(tn_global.verbose) && !atomic_exchange(&said, true))
        tn_region_banner(width);
    return team;
}

static TN_COLD struct tn_team *team_get_slow(struct tn_thread *me, unsigned n, unsigned flags, enum tn_ask ask)
{
    tn_happens_ignore_begin();
    struct tn_team *team = team_decide(me, n, flags, ask);
    tn_happens_ignore_end();
    return team;
}
