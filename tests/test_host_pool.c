/* SPDX-License-Identifier: MIT */
/* Lent pools: what asking costs, when it stops, who runs the work. Pools of this test's own: one without workers, one with,
 * one that starts its workers late. On the threads' convenience library. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "base.h"
#include "host_pool.h"
#include "tenure.h"

/* A pool whose helpers come and go with each call; `lazy`: only after that many calls. */
struct pool {
    int helpers, lazy;
    _Atomic int calls, work; /* parallel_for calls; indices of more than the question's */
    int most;                /* largest count seen */
};

struct share {
    void (*fn)(void *, size_t);
    void *ctx;
    size_t count;
    _Atomic size_t next;
};

static void *help(void *arg)
{
    struct share *s = arg;
    for (size_t i; (i = s->next++) < s->count;)
        s->fn(s->ctx, i);
    return NULL;
}

static void parallel_for(void *arg, size_t count, void (*fn)(void *, size_t), void *ctx)
{
    struct pool *p = arg;
    struct share s = {.fn = fn, .ctx = ctx, .count = count};
    pthread_t helper[8];
    int helpers = p->calls++ < p->lazy ? 0 : p->helpers;
    p->most = (int)count > p->most ? (int)count : p->most;
    for (int i = 0; i < helpers; i++)
        cr_assert_eq(pthread_create(&helper[i], NULL, help, &s), 0);
    help(&s);
    for (int i = 0; i < helpers; i++)
        pthread_join(helper[i], NULL);
}

static void lend(struct tn_host_pool *p, struct pool *pool)
{
    tenure_host_pool lent = {.parallel_for = parallel_for, .pool = pool};
    tn_host_pool_lend(p, &lent);
}

Test(host_pool, none)
{
    struct tn_host_pool p = {.asked = 0};
    tn_host_pool_lend(&p, NULL);
    cr_expect_not(tn_host_pool_ready(&p));
    cr_expect_eq(p.asked, 0);
}

/* Calls after which the pool has been asked for the k-th time: a burst of 8, then 64, 128 … 1024, 1024 calls between. */
Test(host_pool, without_workers_is_asked_ever_more_rarely)
{
    struct tn_host_pool p = {.asked = 0};
    struct pool pool = {.helpers = 0};
    lend(&p, &pool);
    long call = 0, expected = 0;
    for (int k = 1; k <= 15; k++) {
        long between = k <= 8 ? 1 : 64L << (k - 9 < 4 ? k - 9 : 4);
        expected += k <= 8 ? 1 : between + 1;
        while (p.asked < (uint32_t)k) {
            cr_assert_not(tn_host_pool_ready(&p));
            call++;
        }
        cr_expect_eq(call, expected, "question %d came at call %ld, not %ld", k, call, expected);
    }
    cr_expect_eq(pool.calls, 15);
    cr_expect_eq(pool.most, 8, "eight empty indices");
    cr_expect_not(p.latched);
}

Test(host_pool, with_workers_is_latched_for_good, .timeout = 60)
{
    struct tn_host_pool p = {.asked = 0};
    struct pool pool = {.helpers = 2};
    lend(&p, &pool);
    while (!tn_host_pool_ready(&p)) /* a helper may start too late for a question: there is another */
        cr_assert_leq(p.asked, 1000);
    uint32_t asked = p.asked;
    pool.helpers = 0;
    for (int i = 0; i < 10000; i++)
        cr_assert(tn_host_pool_ready(&p));
    cr_expect_eq(p.asked, asked);
    lend(&p, &pool);
    cr_expect(p.latched, "the same pool again");
    struct pool other = {.helpers = 0};
    lend(&p, &other);
    cr_expect_not(p.latched);
    cr_expect_eq(p.asked, 0);
}

Test(host_pool, that_starts_late_is_found, .timeout = 60)
{
    struct tn_host_pool p = {.asked = 0};
    struct pool pool = {.helpers = 2, .lazy = 11};
    lend(&p, &pool);
    while (!tn_host_pool_ready(&p))
        cr_assert_lt(pool.calls, 1000);
    cr_expect_gt(p.asked, 11);
}

/* --- In a session */

struct work {
    tenure_session s;
    _Atomic int64_t sum;
    _Atomic int pieces, nested;
};

static void nested(void *arg, int64_t lo, int64_t hi)
{
    struct work *w = arg;
    w->nested++;
    w->sum += hi - lo;
}

static void piece(void *arg, int64_t lo, int64_t hi)
{
    struct work *w = arg;
    w->pieces++;
    w->sum += hi - lo;
    tenure_session mine;
    tenure_session_options o = {.size = sizeof o, .width = 4};
    cr_assert_eq(tenure_session_open(&mine, &o), 0);
    tenure_session_figures f = {.size = sizeof f};
    tenure_session_info(mine, &f);
    cr_expect_eq(tenure_session_for(mine, 0, 100, 1, nested, w), 0);
    cr_expect_eq(f.width, tn_host_pool_inside() ? 1 : f.width, "a nested split stays serial");
    tenure_session_close(mine);
}

static tenure_session_figures in_session(struct pool *pool, int calls, struct work *w)
{
    tenure_host_pool lent = {.parallel_for = parallel_for, .pool = pool, .width = 5};
    tenure_session_options o = {.size = sizeof o, .width = 2, .host_pool = &lent};
    tenure_session_figures f = {.size = sizeof f};
    cr_assert_eq(tenure_session_open(&w->s, &o), 0);
    for (int i = 0; i < calls || (pool->helpers && !f.latched); i++) {
        cr_assert_eq(tenure_session_for(w->s, 0, 1000, 0, piece, w), 0);
        cr_assert_eq(tenure_session_info(w->s, &f), 0);
    }
    return f;
}

Test(host_pool, without_workers_the_team_works, .timeout = 60)
{
    struct pool pool = {.helpers = 0};
    struct work w = {.sum = 0};
    tenure_session_figures f = in_session(&pool, 20, &w);
    cr_expect_eq(w.sum, 20 * 1000 + 100 * w.pieces);
    cr_expect_eq(w.pieces, 40, "one piece for each of two members");
    cr_expect_eq(f.pool_calls, 0);
    cr_expect_eq(f.probes, 8);
    cr_expect_eq(pool.calls, 8, "and never the work");
    cr_expect_eq(f.regions, 20);
    tenure_session_close(w.s);
    w.s = (tenure_session){0};
    f = in_session(&pool, 1, &w);
    cr_expect_eq(f.probes, 8, "a new session knows what the last one learned");
}

Test(host_pool, with_workers_the_pool_works, .timeout = 60)
{
    struct pool pool = {.helpers = 2};
    struct work w = {.sum = 0};
    tenure_session_figures f = in_session(&pool, 20, &w);
    cr_expect_eq(f.latched, 1);
    int64_t calls = (int64_t)(f.regions + f.pool_calls);
    cr_expect_geq(calls, 20);
    cr_expect_eq(f.pool_calls + f.probes, (uint64_t)pool.calls);
    cr_expect_eq(w.pieces, (int)(2 * f.regions + 5 * f.pool_calls), "as many pieces as the pool is wide");
    cr_expect_eq(w.sum, calls * 1000 + 100 * w.pieces);
    int before = w.nested, pieces = w.pieces;
    cr_assert_eq(tenure_session_for(w.s, 0, 1000, 0, piece, &w), 0);
    cr_expect_eq(w.nested - before, w.pieces - pieces, "nested: one piece each");
}
