/* SPDX-License-Identifier: MIT */
/* Crews: handing out, growing, the process-wide cache of idle ones, and retiring what is beyond its cap.
 *
 * A worker keeps looking at the team it served last (its `tasking` word) until it is given another place. So a crew that
 * was emptied into another one is not freed but put into that one's attic. A region moves on every worker that serves
 * in it; so after one that used the first `attic_workers` workers nobody looks at the attic any more. */
#define _GNU_SOURCE
#include "crew.h"

#include <stdlib.h>
#include <string.h>

#include "lock.h"
#include "msg.h"
#include "places.h"
#include "share.h"
#include "worker.h"

struct tn_crew tn_crew_none = {.hit = &tn_team_none, .inner = &tn_crew_none};
_Atomic uint32_t tn_gen = 1;

static struct {
    struct tn_lock lock;
    struct tn_crew *head; /* youngest first */
    unsigned idle;        /* workers in it */
    unsigned widest;      /* widest team so far */
    bool closed;          /* tn_crew_close */
    struct tn_crew *unused; /* memory for crews, never given back: whose crew was taken looks at it once more (share.h) */
} cache;

static struct tn_crew *crew_new(void)
{
    tn_lock_acquire(&cache.lock);
    struct tn_crew *c = cache.unused;
    if (c)
        cache.unused = c->cache_next;
    tn_lock_release(&cache.lock);
    if (c) {
        tn_store(&c->hit_gen, 0);
        memset(&c->hit, 0, sizeof *c - offsetof(struct tn_crew, hit)); /* the rest is as crew_free left it */
    } else if (!(c = calloc(1, sizeof *c)))
        tn_fatal("out of memory for a crew (%zu bytes)", sizeof *c);
    c->hit = &tn_team_none;
    c->inner = &tn_crew_none;
    return c;
}

static void crew_free(struct tn_crew *c);

static void attic_free(struct tn_crew *c)
{
    if (c->attic) /* an inner crew's `outer` may name a member whose address is about to be used again */
        atomic_fetch_add_explicit(&tn_gen, 1, memory_order_relaxed);
    for (struct tn_crew *a = c->attic, *next; a; a = next) {
        next = a->cache_next;
        crew_free(a);
    }
    c->attic = NULL;
    c->attic_workers = 0;
}

/* Frees a crew without workers. */
static void crew_free(struct tn_crew *c)
{
    attic_free(c);
    for (unsigned w = 0; w < c->teams_len; w++)
        if (c->teams[w])
            tn_team_free(c->teams[w]);
    tn_affinity_crew_free(c);
    free(c->teams);
    free(c->worker);
    tn_store(&c->owner, NULL);
    tn_store(&c->hit_icv, 0);
    tn_lock_acquire(&cache.lock);
    c->cache_next = cache.unused;
    cache.unused = c;
    tn_lock_release(&cache.lock);
}

/* Ends the workers of crews on the list, waits until they are gone, frees. No lock held: a worker that ends puts its own
 * nested crews into the cache. */
static void retire(struct tn_crew *list)
{
    for (struct tn_crew *c = list; c; c = c->cache_next)
        for (unsigned i = 0; i < c->workers; i++)
            tn_worker_dismiss(c->worker[i]);
    for (struct tn_crew *next; list; list = next) {
        next = list->cache_next;
        for (unsigned i = 0; i < list->workers; i++)
            tn_worker_join(list->worker[i]);
        list->workers = 0;
        crew_free(list);
    }
}

/* Takes out of the cache what makes it exceed `cap`, oldest first. Cache locked. */
static struct tn_crew *cut(unsigned cap)
{
    struct tn_crew *out = NULL;
    while (cache.idle > cap) {
        struct tn_crew **p = &cache.head;
        while ((*p)->cache_next)
            p = &(*p)->cache_next;
        struct tn_crew *oldest = *p;
        *p = NULL;
        cache.idle -= oldest->workers;
        oldest->cache_next = out;
        out = oldest;
    }
    return out;
}

static void cache_put(struct tn_crew *c)
{
    if (c->workers == 0) {
        crew_free(c);
        return;
    }
    tn_store(&c->owner, NULL);
    c->inner = &tn_crew_none;
    tn_store(&c->hit_icv, 0);
    tn_store(&c->mask_kept, false);
    c->shown = NULL;
    tn_lock_acquire(&cache.lock);
    c->cache_next = cache.head;
    cache.head = c;
    cache.idle += c->workers;
    unsigned cap = cache.widest > tn_global.procs ? cache.widest : tn_global.procs;
    struct tn_crew *out = cut(cache.closed ? 0 : cap);
    tn_lock_release(&cache.lock);
    retire(out);
}

/* The youngest crew with `workers` or more; else the youngest. NULL: the cache is empty. */
static struct tn_crew *cache_get(unsigned workers)
{
    tn_lock_acquire(&cache.lock);
    struct tn_crew **found = &cache.head;
    for (struct tn_crew **p = &cache.head; *p; p = &(*p)->cache_next)
        if ((*p)->workers >= workers) {
            found = p;
            break;
        }
    struct tn_crew *c = *found;
    if (c) {
        *found = c->cache_next;
        c->cache_next = NULL;
        cache.idle -= c->workers;
    }
    tn_lock_release(&cache.lock);
    return c;
}

static void want_room(struct tn_crew *c, unsigned workers)
{
    if (workers <= c->workers_cap)
        return;
    unsigned cap = workers + workers / 2;
    struct tn_thread **w = realloc(c->worker, cap * sizeof *w);
    if (!w)
        tn_fatal("out of memory for a crew of %u workers", workers);
    c->worker = w;
    c->workers_cap = cap;
}

/* All workers of `from` join `to`. */
static void adopt(struct tn_crew *to, struct tn_crew *from)
{
    want_room(to, to->workers + from->workers);
    memcpy(to->worker + to->workers, from->worker, from->workers * sizeof *from->worker);
    to->workers += from->workers;
    from->workers = 0;
    from->cache_next = to->attic;
    to->attic = from;
    to->attic_workers = to->workers;
}

/* A crew with nothing in it stands in the place of a fresh one from the cache: same owner, same depth. */
static struct tn_crew *trade(struct tn_crew *mine, struct tn_crew *got)
{
    tn_store(&got->owner, tn_load(&mine->owner));
    got->inner = mine->inner;
    return got;
}

/* Threads that could not be had: DESIGN promise 3. Returns if the region may go on narrower. */
static void short_of_workers(const struct tn_crew *c, unsigned workers, enum tn_ask ask, int err)
{
    if (ask == TN_ASK_SESSION)
        return;
    char limit[160];
    tn_worker_limit(limit, sizeof limit, err);
    if (ask == TN_ASK_NUM_THREADS && tn_global.on_failure != TN_FAIL_SHRINK)
        tn_fatal("cannot start thread %u of the %u that num_threads asks for: %s (TENURE_ON_THREAD_FAILURE=shrink goes on "
                 "with fewer)", c->workers + 2, workers + 1, limit);
    static _Atomic int warned;
    if (atomic_exchange(&warned, 1) == 0)
        tn_warn("cannot start thread %u of %u: %s; going on with %u threads", c->workers + 2, workers + 1, limit,
                c->workers + 1);
}

static void grow(struct tn_crew *c, unsigned workers, enum tn_ask ask)
{
    want_room(c, workers);
    while (c->workers < workers) {
        struct tn_crew *idle = cache_get(workers - c->workers);
        if (!idle)
            break;
        adopt(c, idle);
    }
    tn_fence_init();
    while (c->workers < workers) {
        int err = tn_worker_spawn(&c->worker[c->workers]);
        if (err == 0) {
            c->workers++;
            continue;
        }
        struct tn_crew *idle = cache_get(1); /* given back meanwhile? */
        if (!idle) {
            c->shortage = true;
            short_of_workers(c, workers, ask, err);
            break;
        }
        adopt(c, idle);
    }
}

struct tn_crew *tn_crew_get(struct tn_thread *me, unsigned workers, enum tn_ask ask)
{
    struct tn_crew *c = me->crew;
    bool fresh = c == &tn_crew_none, taken = false;
    if (fresh || (c->workers == 0 && workers > 0)) {
        struct tn_crew *got = workers ? cache_get(workers) : NULL;
        if (!got && workers)
            got = tn_share_take(me, workers);
        taken = got != NULL;
        if (fresh) {
            c = got ? got : crew_new();
            tn_store(&c->owner, me);
        } else if (got) {
            struct tn_crew *empty = c;
            c = trade(empty, got);
            empty->cache_next = c->attic; /* its teams of width 1: nobody looks at them, the attic is simply near */
            c->attic = empty;
        }
        tn_store(&c->in_use, true); /* before a taker can find it */
        me->crew = c;
        struct tn_team *in = me->cur->team;
        if (in->crew && tn_load(&in->crew->owner) == me && me->cur->num == 0)
            in->crew->inner = c;
        else
            tn_share_replace(me, c);
    } else if (c->hit->width > c->attic_workers && c->hit->seq != c->hit_seq) {
        attic_free(c); /* the last region, over by now, moved all of them on */
    }
    c->shortage = false;
    if (c->workers < workers) {
        unsigned had = c->workers;
        grow(c, workers, ask);
        taken |= c->workers > had;
    }
    if (workers + 1 > cache.widest) {
        tn_lock_acquire(&cache.lock);
        if (workers + 1 > cache.widest)
            cache.widest = workers + 1;
        tn_lock_release(&cache.lock);
    }
    if (taken)
        tn_affinity_crew_taken(c, me);
    return c;
}

void tn_crew_put_all(struct tn_thread *me)
{
    struct tn_crew *c = tn_share_replace(me, &tn_crew_none);
    me->crew = &tn_crew_none;
    while (c != &tn_crew_none) {
        struct tn_crew *inner = c->inner;
        cache_put(c);
        c = inner;
    }
}

static void cache_empty(bool close)
{
    tn_lock_acquire(&cache.lock);
    cache.closed |= close;
    struct tn_crew *idle = cut(0);
    tn_lock_release(&cache.lock);
    retire(idle);
}

void tn_crew_close(void)
{
    cache_empty(true);
}

void tn_crew_pause(struct tn_thread *me)
{
    tn_share_settle(me);
    if (me->crew != tn_load(&me->root_crew) || me->session)
        return; /* inside a region, or promised to a session */
    struct tn_crew *list = tn_share_replace(me, &tn_crew_none);
    me->crew = &tn_crew_none;
    struct tn_crew *all = NULL;
    while (list != &tn_crew_none) {
        struct tn_crew *inner = list->inner;
        list->cache_next = all;
        all = list;
        list = inner;
    }
    retire(all);
    cache_empty(false);
}

void tn_crew_fork_child(void)
{
    memset(&cache, 0, sizeof cache);
    tn_worker_fork_child();
    atomic_fetch_add(&tn_gen, 1);
}
