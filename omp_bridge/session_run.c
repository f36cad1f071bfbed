/* SPDX-License-Identifier: MIT */
/* Running functions on a session's members: tenure_session_run and tenure_session_for. Called by the session's thread. */
#include <errno.h>

#include "session.h"
#include "team.h"

struct run {
    void (*fn)(void *arg, int thread, int width);
    void *arg;
};

static void run_member(void *data)
{
    struct run *r = data;
    struct tn_member *m = tn_self()->cur;
    r->fn(r->arg, (int)m->num, (int)m->team->width);
}

int tenure_session_run(tenure_session h, void (*fn)(void *arg, int thread, int width), void *arg)
{
    int err;
    struct tn_session *s = tn_session_find(h, &err);
    if (!s)
        return err;
    if (!fn)
        return -EINVAL;
    struct run r = {fn, arg};
    tn_session_region(s, run_member, &r);
    return 0;
}

/* Pieces of equal length (the first `longer` of them one longer) so that no product can overflow. */
struct split {
    void (*fn)(void *arg, int64_t lo, int64_t hi);
    void *arg;
    int64_t begin;
    uint64_t piece, longer, count;
    alignas(TN_LINE) _Atomic uint64_t next;
};

static void split_piece(void *data, size_t i)
{
    struct split *p = data;
    uint64_t lo = i * p->piece + (i < p->longer ? i : p->longer);
    uint64_t hi = lo + p->piece + (i < p->longer);
    p->fn(p->arg, (int64_t)((uint64_t)p->begin + lo), (int64_t)((uint64_t)p->begin + hi));
}

static void split_member(void *data)
{
    struct split *p = data;
    for (uint64_t i; (i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->count;)
        split_piece(p, i);
}

int tenure_session_for(tenure_session h, int64_t begin, int64_t end, int64_t grain,
                       void (*fn)(void *arg, int64_t lo, int64_t hi), void *arg)
{
    int err;
    struct tn_session *s = tn_session_find(h, &err);
    if (!s)
        return err;
    if (!fn || end < begin || grain < 0)
        return -EINVAL;
    if (end == begin)
        return 0;
    uint64_t n = (uint64_t)end - (uint64_t)begin;
    bool serial = tn_host_pool_inside() || (grain && n / (uint64_t)grain < 2);
    struct tn_host_pool *pool = serial || !tn_host_pool_ready(&s->pool) ? NULL : &s->pool;
    uint64_t parts = grain ? n / (uint64_t)grain : pool && pool->lent.width ? pool->lent.width : s->width;
    struct split p = {.fn = fn, .arg = arg, .begin = begin};
    p.count = serial ? 1 : parts < n ? parts : n;
    p.piece = n / p.count;
    p.longer = n % p.count;
    if (p.count == 1)
        split_piece(&p, 0);
    else if (pool)
        tn_host_pool_run(pool, p.count, split_piece, &p);
    else
        tn_session_region(s, split_member, &p);
    return 0;
}
