/* SPDX-License-Identifier: MIT */
/* Sessions: a thread's claim on a team that stays awake. A session changes two things: the control-variable block of the
 * task that opened it (nthreads-var is the session's width, so that OpenBLAS and every default region agree on it), and the
 * lease of the crew, which docked workers read as their idle budget. Regions then take the ordinary path and hit.
 *
 * Objects are never freed, so that a stale handle can be told: handle = generation << 20 | index. A thread keeps its closed
 * objects for its next sessions (same width and same outer control variables: the same block with the same id, so the
 * crew's cached decision still holds). Only `id` and `depth` are read by other threads. */
#define _GNU_SOURCE
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crew.h"
#include "fork.h"
#include "lock.h"
#include "region.h"

#define INDEX_BITS 20
#define INDEX_MAX (1u << INDEX_BITS)
#define CHUNK 256

struct tn_session {
    _Atomic uint64_t id;     /* of the open handle; 0: closed. Written by the owner */
    _Atomic(struct tn_thread *) owner; /* who may use it; NULL: its thread has ended */
    unsigned depth;          /* tn_fork_depth() when opened */
    uint32_t generation, index;
    unsigned opens, width;
    struct tn_session *outer; /* session that was innermost before; or next in the thread's list of closed ones */
    struct tn_crew *crew;    /* NULL at width 1 */
    struct tn_team *team;
    uint64_t crew_lease;     /* of the crew before us, restored at close */
    struct tn_task *task;    /* that opened it, and what it had: */
    struct tn_icv *icv_before;
    bool icv_own_before;
    uint64_t icv_base;       /* id of the block `icv` was made from */
    struct tn_icv icv;
    unsigned region_flags;
    struct tn_host_pool pool;
    uint32_t seq_at_open;
    uint64_t sleeps_at_open, wakes_at_open, build_ns, acquire_ns, call_ns;
};

/* Chunks of the table, read without the lock: a pointer once stored never changes. */
static _Atomic(struct tn_session *) table[INDEX_MAX / CHUNK];
static struct tn_lock table_lock;
static unsigned table_len;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct tn_session *object_new(void)
{
    struct tn_session *s = NULL;
    tn_lock_acquire(&table_lock);
    if (table_len < INDEX_MAX) {
        _Atomic(struct tn_session *) *chunk = &table[table_len / CHUNK];
        if (!tn_load(chunk))
            tn_store_rel(chunk, calloc(CHUNK, sizeof *s));
        s = tn_load(chunk);
        if (s) {
            s += table_len % CHUNK;
            s->index = table_len++;
        }
    }
    tn_lock_release(&table_lock);
    return s;
}

struct tn_session *tn_session_find(tenure_session h, int *err)
{
    *err = -EINVAL;
    uint32_t index = (uint32_t)(h.id & (INDEX_MAX - 1));
    struct tn_session *s = tn_load_acq(&table[index / CHUNK]);
    if (!s || h.id < INDEX_MAX)
        return NULL;
    s += index % CHUNK;
    if (tn_load_acq(&s->id) != h.id)
        return NULL;
    if (s->depth != tn_fork_depth()) {
        *err = -ECHILD;
        return NULL;
    }
    if (tn_load(&s->owner) != tn_self()) {
        *err = -EPERM;
        return NULL;
    }
    return s;
}

unsigned tn_session_width(const struct tn_session *s)
{
    return s->width;
}

struct tn_host_pool *tn_session_host_pool(struct tn_session *s)
{
    return &s->pool;
}

static uint64_t team_sleeps(const struct tn_team *team)
{
    uint64_t sum = 0;
    for (unsigned i = 1; team && i < team->width; i++)
        sum += tn_load(&team->member[i].thread->park.sleeps);
    return sum;
}

/* Members look at the lease when they look at the clock; those that sleep are woken so that they hold it from now on. */
static void set_lease(struct tn_session *s, uint64_t ns, bool wake)
{
    tn_store(&s->crew->lease_ns, ns);
    for (unsigned i = 1; wake && i < s->width; i++)
        tn_unpark(s->team->member[i].thread);
}

static int check(const tenure_session_options *o, tenure_session_options *out)
{
    memset(out, 0, sizeof *out);
    if (o) {
        if (o->size < offsetof(tenure_session_options, lease_ns))
            return -EINVAL;
        memcpy(out, o, o->size < sizeof *out ? o->size : sizeof *out);
    }
    if (out->width > 65535 || out->affinity > TENURE_AFFINITY_SPREAD || (out->flags & ~1u))
        return -EINVAL;
    if (out->lease_ns == 0)
        out->lease_ns = TENURE_LEASE_DEFAULT_NS;
    if (out->flags & TENURE_LEASE_UNTIL_CLOSE)
        out->lease_ns = UINT64_MAX;
    else if (out->lease_ns > TENURE_LEASE_MAX_NS)
        return -EINVAL;
    if (out->host_pool && !out->host_pool->parallel_for)
        return -EINVAL;
    return 0;
}

/* The closed object of this thread that served the same width under the same control variables last, else any. */
static struct tn_session *take_object(struct tn_thread *me, unsigned width)
{
    struct tn_session **best = &me->sessions_closed;
    for (struct tn_session **p = best; *p; p = &(*p)->outer)
        if ((*p)->icv.nthreads == width && (*p)->icv_base == me->task->icv->id) {
            best = p;
            break;
        }
    struct tn_session *s = *best;
    if (!s)
        return object_new();
    *best = s->outer;
    return s;
}

static void install_icv(struct tn_session *s, struct tn_thread *me, unsigned width)
{
    struct tn_task *t = me->task;
    if (s->icv.nthreads != width || s->icv_base != t->icv->id) {
        s->icv = *t->icv;
        s->icv.nthreads = width;
        s->icv.id = tn_icv_new_id();
        s->icv_base = t->icv->id;
    }
    s->task = t;
    s->icv_before = t->icv;
    s->icv_own_before = t->icv_own;
    t->icv = &s->icv;
    t->icv_own = false;
}

static void restore_icv(struct tn_session *s)
{
    s->task->icv = s->icv_before;
    s->task->icv_own = s->icv_own_before;
}

static void put_object(struct tn_thread *me, struct tn_session *s)
{
    s->outer = me->sessions_closed;
    me->sessions_closed = s;
}

/* The team of the session, its members awake. False: threads cannot be had. */
static bool hold_team(struct tn_session *s, struct tn_thread *me, uint64_t lease_ns)
{
    unsigned built = tn_workers_spawned();
    uint64_t t0 = now_ns();
    s->team = tn_region_team(me, s->icv.nthreads, s->region_flags, TN_ASK_SESSION);
    s->crew = s->team->crew;
    if (s->crew->shortage)
        return false;
    uint64_t ns = now_ns() - t0;
    s->build_ns = tn_workers_spawned() != built ? ns : 0;
    s->acquire_ns = ns - s->build_ns;
    s->width = s->team->width;
    s->crew_lease = tn_load(&s->crew->lease_ns);
    s->seq_at_open = s->team->seq;
    s->sleeps_at_open = team_sleeps(s->team);
    s->wakes_at_open = s->team->wakes;
    set_lease(s, lease_ns, true);
    return true;
}

static int open_new(tenure_session *out, struct tn_thread *me, const tenure_session_options *o, unsigned width)
{
    static const unsigned bind_flags[] = {0, 0, TN_BIND_CLOSE, TN_BIND_SPREAD};
    struct tn_session *s = take_object(me, width);
    if (!s)
        return -EAGAIN;
    s->region_flags = bind_flags[o->affinity];
    s->crew = NULL;
    s->team = NULL;
    s->width = 1;
    s->call_ns = s->build_ns = s->acquire_ns = 0;
    install_icv(s, me, width);
    if (width > 1) {
        if (!hold_team(s, me, o->lease_ns)) {
            restore_icv(s);
            put_object(me, s);
            return -EAGAIN;
        }
    }
    tn_host_pool_init(&s->pool, o->host_pool);
    s->opens = 1;
    s->depth = tn_fork_depth();
    s->outer = me->session;
    me->session = s;
    tn_store(&s->owner, me);
    s->generation = s->generation + 1 ? s->generation + 1 : 1;
    out->id = (uint64_t)s->generation << INDEX_BITS | s->index;
    tn_store_rel(&s->id, out->id);
    return 0;
}

int tenure_session_open(tenure_session *out, const tenure_session_options *options)
{
    tenure_session_options o;
    int err = out ? check(options, &o) : -EINVAL;
    if (err)
        return err;
    struct tn_thread *me = tn_self_attach();
    unsigned width = o.width ? o.width : me->task->icv->nthreads;
    if (me->cur->team->active_level >= me->task->icv->max_active_levels || tn_host_pool_inside())
        width = 1;
    struct tn_session *s = me->session;
    if (s && s->icv.nthreads == width && s->task == me->task && me->task->icv == &s->icv) {
        s->opens++;
        out->id = tn_load(&s->id);
        return 0;
    }
    return open_new(out, me, &o, width);
}

/* Takes the session out of its thread's chain, wherever it is in it. */
static void unlink_session(struct tn_thread *me, struct tn_session *s)
{
    struct tn_session **p = &me->session;
    while (*p != s)
        p = &(*p)->outer;
    *p = s->outer;
}

static void close_last(struct tn_thread *me, struct tn_session *s)
{
    tn_store_rel(&s->id, 0);
    if (s->crew)
        set_lease(s, s->crew_lease, false);
    if (s->task == me->task && me->task->icv == &s->icv)
        restore_icv(s);
    unlink_session(me, s);
    put_object(me, s);
}

int tenure_session_close(tenure_session h)
{
    int err;
    struct tn_session *s = tn_session_find(h, &err);
    if (!s)
        return err;
    if (--s->opens == 0)
        close_last(tn_self(), s);
    return 0;
}

int tenure_session_pause(tenure_session h)
{
    int err;
    struct tn_session *s = tn_session_find(h, &err);
    if (!s)
        return err;
    if (s->crew) {
        tn_store(&s->crew->paused, true);
        s->crew->hit_icv = 0; /* the next region takes the slow path, which ends the pause */
    }
    return 0;
}

void tn_session_region(struct tn_session *s, void (*fn)(void *), void *arg)
{
    struct tn_thread *me = tn_self();
    bool at_home = me->task->icv == &s->icv;
    uint64_t t0 = tn_global.profile ? now_ns() : 0;
    tn_region(fn, arg, at_home ? 0 : s->width, s->region_flags);
    if (tn_global.profile)
        s->call_ns += now_ns() - t0;
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
                                .build_ns = s->build_ns,
                                .acquire_ns = s->acquire_ns,
                                .call_ns = s->call_ns,
                                .probes = s->pool.asked,
                                .latched = s->pool.latched,
                                .pool_calls = s->pool.dispatches};
    if (s->team) {
        f.regions = s->team->seq - s->seq_at_open;
        f.sleeps = team_sleeps(s->team) - s->sleeps_at_open;
        f.wakes = s->team->wakes - s->wakes_at_open;
    }
    memcpy(info, &f, info->size < sizeof f ? info->size : sizeof f);
    return 0;
}

void tn_session_thread_end(struct tn_thread *me)
{
    while (me->session)
        close_last(me, me->session);
    for (struct tn_session *s = me->sessions_closed; s; s = s->outer)
        tn_store(&s->owner, NULL);
    me->sessions_closed = NULL;
}

void tn_session_fork_child(void)
{
    memset(&table_lock, 0, sizeof table_lock);
}
