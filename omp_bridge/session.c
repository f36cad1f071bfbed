/* SPDX-License-Identifier: MIT */
/* Sessions: a thread's claim on a team that stays awake. A session changes two things: the control-variable block of the
 * task that opened it (nthreads-var is the session's width, so that OpenBLAS and every default region agree on it), and the
 * lease of the crew, which docked workers read as their idle budget. Regions then take the ordinary path and hit.
 *
 * A thread keeps its closed objects for its next sessions: the same width under the same outer control variables gets the
 * same block with the same id, so the crew's cached decision still holds. All of it by the session's own thread. */
#define _GNU_SOURCE
#include "session.h"

#include <errno.h>
#include <string.h>

#include "blas.h"
#include "clock.h"
#include "crew.h"
#include "places.h"
#include "region.h"
#include "share.h"

#define WIDTH_MAX 65535

static int check(const tenure_session_options *o, tenure_session_options *out)
{
    static const tenure_session_options none = {.size = sizeof none};
    *out = none;
    if (o && tn_likely(o->size >= sizeof *o))
        *out = *o;
    else if (o && o->size >= offsetof(tenure_session_options, lease_ns))
        memcpy(out, o, o->size);
    else if (o)
        return -EINVAL;
    if (out->width > WIDTH_MAX || out->affinity > TENURE_AFFINITY_SPREAD || (out->flags & ~(unsigned)TENURE_LEASE_UNTIL_CLOSE))
        return -EINVAL;
    if (out->lease_ns > TENURE_LEASE_MAX_NS)
        return -EINVAL;
    if (out->lease_ns == 0)
        out->lease_ns = TENURE_LEASE_DEFAULT_NS;
    if (out->flags & TENURE_LEASE_UNTIL_CLOSE)
        out->lease_ns = UINT64_MAX;
    return out->host_pool && !out->host_pool->parallel_for ? -EINVAL : 0;
}

/* --- Control variables ---------------------------------------------------------------------------------------------- */

static bool made_for(const struct tn_session *s, const struct tn_icv *base, unsigned width, uint8_t bind)
{
    return s->icv_base == base->id && s->icv.nthreads == width && s->icv.bind == bind;
}

/* The closed object of this thread that can serve with the least change. */
static struct tn_session *take_object(struct tn_thread *me, unsigned width, uint8_t bind)
{
    struct tn_session **best = &me->sessions_closed;
    for (struct tn_session **p = best; *p; p = &(*p)->outer)
        if (made_for(*p, me->task->icv, width, bind)) {
            best = p;
            break;
        }
    struct tn_session *s = *best;
    if (!s)
        return tn_session_object_get();
    *best = s->outer;
    return s;
}

static void put_object(struct tn_thread *me, struct tn_session *s)
{
    s->outer = me->sessions_closed;
    me->sessions_closed = s;
}

static void install_icv(struct tn_session *s, struct tn_task *t, unsigned width, uint8_t bind)
{
    if (!made_for(s, t->icv, width, bind)) {
        s->icv = *t->icv;
        s->icv.nthreads = width;
        s->icv.bind = bind;
        s->icv.id = tn_icv_new_id();
        s->icv_base = t->icv->id;
    }
    s->task = t;
    s->icv_before = t->icv;
    s->icv_own_before = t->icv_own;
    t->icv = &s->icv;
    t->icv_own = false;
}

/* The task that opened it, if this thread still is in it, perhaps in a region or a task within; else it has ended. */
static struct tn_task *home(const struct tn_thread *me, const struct tn_session *s)
{
    struct tn_task *t = me->task;
    for (const struct tn_member *m = me->cur; t != s->task;) {
        if (t != &m->implicit) {
            struct tn_task *parent = tn_load(&t->parent);
            t = parent ? parent : (struct tn_task *)(uintptr_t)&m->implicit;
        } else if (m->num == 0 && m->team->crew) {
            t = m->team->outer_task;
            m = m->team->outer;
        } else {
            return NULL;
        }
    }
    return t;
}

/* What the program has set itself meanwhile (omp_set_num_threads) is its word, and stays. */
static void restore_icv(const struct tn_thread *me, struct tn_session *s)
{
    struct tn_task *t = home(me, s);
    if (t && t->icv == &s->icv) {
        t->icv = s->icv_before;
        t->icv_own = s->icv_own_before;
    }
    for (struct tn_session *in = me->session; in; in = in->outer) /* closed before one that was opened within */
        if (in->icv_before == &s->icv) {
            in->icv_before = s->icv_before;
            in->icv_own_before = s->icv_own_before;
        }
}

/* --- Lease ---------------------------------------------------------------------------------------------------------- */

/* The longest of the sessions that are open on the crew. Members look at it when they look at the clock. */
static void settle_lease(const struct tn_thread *me, struct tn_crew *crew)
{
    uint64_t lease = 0;
    for (const struct tn_session *s = me->session; s; s = s->outer)
        if (s->crew == crew && s->lease_ns > lease)
            lease = s->lease_ns;
    if (tn_load(&crew->lease_ns) != lease)
        tn_store(&crew->lease_ns, lease);
}

static uint64_t team_sleeps(const struct tn_team *team)
{
    uint64_t sum = 0;
    for (unsigned i = 1; i < team->width; i++)
        sum += tn_load(&team->member[i].thread->park.sleeps);
    return sum;
}

/* The workers shall have the caller's set as it is now, even where it has shrunk. */
static void follow_caller(struct tn_thread *me)
{
    if (tn_places_len || me->crew == &tn_crew_none)
        return;
    tn_store(&me->crew->mask_kept, false);
    tn_store(&me->crew->hit_gen, 0); /* look at the set */
}

/* The team of the session. False: threads cannot be had. */
static bool hold_team(struct tn_session *s, struct tn_thread *me)
{
    unsigned built = tn_workers_spawned();
    bool timed = tn_global.profile || me->crew->workers + 1 < s->icv.nthreads;
    uint64_t t0 = timed ? tn_now_ns() : 0;
    struct tn_team *team = tn_region_team(me, 0, 0, TN_ASK_SESSION);
    if (team->crew->shortage) {
        tn_store_rel(&team->crew->in_use, false);
        tn_store(&team->crew->hit_icv, 0);
        return false;
    }
    uint64_t ns = timed ? tn_now_ns() - t0 : 0;
    s->build_ns = tn_workers_spawned() != built ? ns : 0;
    s->acquire_ns = ns - s->build_ns;
    s->team = team;
    s->crew = team->crew;
    s->width = team->width;
    s->seq_at_open = team->seq;
    s->sleeps_at_open = team_sleeps(team);
    s->wakes_at_open = team->wakes;
    return true;
}

/* --- Open, close ------------------------------------------------------------------------------------------------------ */

static int open_new(tenure_session *out, struct tn_thread *me, const tenure_session_options *o, unsigned width)
{
    static const uint8_t binds[] = {0, TN_BIND_PRIMARY, TN_BIND_CLOSE, TN_BIND_SPREAD};
    uint8_t bind = me->task->icv->bind;
    if (bind != TN_BIND_FALSE && o->affinity != TENURE_AFFINITY_DEFAULT)
        bind = binds[o->affinity];
    struct tn_session *s = take_object(me, width, bind);
    if (!s)
        return -EAGAIN;
    install_icv(s, me->task, width, bind);
    s->width = 1;
    s->crew = NULL;
    s->team = NULL;
    s->calls = s->call_ns = s->build_ns = s->acquire_ns = 0;
    if (width > 1) {
        tn_store(&me->crew->in_use, true); /* before settling: nobody takes it from here on */
        tn_share_settle(me);
        if (o->affinity == TENURE_AFFINITY_CALLER)
            follow_caller(me);
        if (!hold_team(s, me)) {
            restore_icv(me, s);
            put_object(me, s);
            return -EAGAIN;
        }
        tn_blas_open();
    }
    tn_host_pool_lend(&s->pool, o->host_pool);
    s->opens = 1;
    s->lease_ns = o->lease_ns;
    s->outer = me->session;
    me->session = s;
    if (s->crew) {
        settle_lease(me, s->crew);
        tn_store_rel(&s->crew->in_use, false); /* the lease keeps takers away from now on: share.h */
        for (unsigned i = 1; i < s->width; i++)
            tn_unpark(s->team->member[i].thread); /* who sleeps shall hold the lease from now on */
    }
    *out = tn_session_name(s, me);
    return 0;
}

int tenure_session_open(tenure_session *out, const tenure_session_options *options)
{
    tenure_session_options o;
    int err = out ? check(options, &o) : -EINVAL;
    if (err)
        return err;
    struct tn_thread *me = tn_self_attach();
    unsigned width = o.width == 1 || tn_host_pool_inside() ? 1 : tn_region_width(me, o.width);
    struct tn_session *s = me->session;
    if (s && s->width == width && s->task == me->task && me->task->icv == &s->icv) {
        s->opens++;
        out->id = tn_load(&s->id);
        return 0;
    }
    return open_new(out, me, &o, width);
}

static void close_last(struct tn_thread *me, struct tn_session *s)
{
    tn_store_rel(&s->id, 0);
    struct tn_session **p = &me->session;
    while (*p != s)
        p = &(*p)->outer;
    *p = s->outer;
    restore_icv(me, s);
    if (s->crew) {
        settle_lease(me, s->crew);
        tn_blas_close();
    }
    put_object(me, s);
}

int tenure_session_close(tenure_session h)
{
    int err;
    struct tn_session *s = tn_session_find(h, &err);
    if (!s)
        return err;
    if (--s->opens == 0) {
        uint64_t t0 = tn_global.profile ? tn_now_ns() : 0;
        close_last(tn_self(), s);
        if (tn_global.profile)
            s->release_ns = tn_now_ns() - t0;
    }
    return 0;
}

void tn_session_thread_end(struct tn_thread *me)
{
    while (me->session)
        close_last(me, me->session);
    tn_session_objects_put(me->sessions_closed);
    me->sessions_closed = NULL;
}

void tn_session_fork_child(void)
{
    tn_session_handle_fork_child();
    tn_blas_fork_child();
    struct tn_thread *me = tn_self();
    for (struct tn_session *s = me->session; s; s = s->outer)
        restore_icv(me, s);
}

/* --- Use ---------------------------------------------------------------------------------------------------------------- */

int tenure_session_pause(tenure_session h)
{
    int err;
    struct tn_session *s = tn_session_find(h, &err);
    if (!s)
        return err;
    if (s->crew) {
        tn_store(&s->crew->paused, true);
        tn_store(&s->crew->hit_icv, 0); /* the next region takes the slow path, which ends the pause */
    }
    return 0;
}

void tn_session_region(struct tn_session *s, void (*fn)(void *), void *arg)
{
    uint64_t t0 = tn_global.profile ? tn_now_ns() : 0;
    s->calls++;
    tn_region(fn, arg, tn_self()->task->icv == &s->icv ? 0 : s->width, 0);
    if (tn_unlikely(t0))
        s->call_ns += tn_now_ns() - t0;
}

int tenure_session_info(tenure_session h, tenure_session_figures *info)
{
    int err;
    struct tn_session *s = tn_session_find(h, &err);
    if (!s)
        return err;
    if (!info || info->size < sizeof info->size)
        return -EINVAL;
    tenure_session_figures f = {.size = info->size,
                                .width = s->width,
                                .opens = s->opens,
                                .regions = s->calls,
                                .build_ns = s->build_ns,
                                .acquire_ns = s->acquire_ns,
                                .call_ns = s->call_ns,
                                .release_ns = s->release_ns,
                                .probes = s->pool.asked,
                                .latched = s->pool.latched,
                                .pool_calls = s->pool.dispatches};
    if (s->team) {
        f.regions = s->team->seq - s->seq_at_open;
        f.sleeps = team_sleeps(s->team) - s->sleeps_at_open;
        f.wakes = s->team->wakes - s->wakes_at_open;
        uint64_t releases = f.regions * (s->width - 1);
        f.spins = releases > f.sleeps ? releases - f.sleeps : 0;
    }
    memcpy(info, &f, info->size < sizeof f ? info->size : sizeof f);
    return 0;
}
