/* SPDX-License-Identifier: MIT */
/* Asking a lent pool whether it has workers, and running on it. The question: PROBE_INDICES empty indices; whoever gets
 * the first to run waits in it until an index runs on another thread or HOLD_NS have passed. A pool with workers takes
 * another index meanwhile; one without runs the held one to its deadline and has then cost the question, not the work.
 * A burst of questions at first (pools start lazily), then at intervals that grow. */
#define _GNU_SOURCE
#include "host_pool.h"
#include "clock.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define PROBE_INDICES 8
#define HOLD_NS 400000u
#define BURST 8
#define INTERVAL_MIN 64
#define INTERVAL_MAX 1024

static __thread bool inside __attribute__((tls_model("initial-exec")));

struct probe {
    _Atomic int first;   /* 0: nobody has come yet */
    _Atomic int others;  /* an index ran on a thread that is not the first one's */
    pthread_t holder;    /* written before `first` becomes 2 */
};

static void probe_index(void *ctx, size_t i)
{
    struct probe *p = ctx;
    int none = 0;
    (void)i;
    if (atomic_compare_exchange_strong_explicit(&p->first, &none, 1, memory_order_relaxed, memory_order_relaxed)) {
        p->holder = pthread_self();
        tn_store_rel(&p->first, 2); /* pairs with the acquire below: holder is written */
        for (uint64_t end = tn_now_ns() + HOLD_NS; !tn_load(&p->others) && tn_now_ns() < end;)
            sched_yield(); /* another thread may want this processor */
        return;
    }
    while (tn_load_acq(&p->first) != 2)
        tn_cpu_relax();
    if (!pthread_equal(p->holder, pthread_self()))
        tn_store(&p->others, 1);
}

static bool ask(struct tn_host_pool *p)
{
    struct probe probe = {0};
    p->asked++;
    inside = true;
    p->lent.parallel_for(p->lent.pool, PROBE_INDICES, probe_index, &probe);
    inside = false;
    return tn_load(&probe.others) != 0;
}

void tn_host_pool_lend(struct tn_host_pool *p, const tenure_host_pool *lent)
{
    static const tenure_host_pool none;
    if (!lent)
        lent = &none;
    if (p->lent.parallel_for != lent->parallel_for || p->lent.pool != lent->pool)
        memset(p, 0, sizeof *p);
    p->lent = *lent;
}

bool tn_host_pool_ready(struct tn_host_pool *p)
{
    if (!p->lent.parallel_for || inside)
        return false;
    if (p->latched)
        return true;
    if (p->wait_calls > 0) {
        p->wait_calls--;
        return false;
    }
    if (ask(p))
        return p->latched = true;
    if (p->asked >= BURST) {
        p->interval = p->interval == 0 ? INTERVAL_MIN : p->interval < INTERVAL_MAX ? p->interval * 2 : INTERVAL_MAX;
        p->wait_calls = p->interval;
    }
    return false;
}

struct call {
    void (*fn)(void *, size_t);
    void *ctx;
};

static void call_index(void *arg, size_t i)
{
    struct call *c = arg;
    bool was = inside;
    inside = true;
    c->fn(c->ctx, i);
    inside = was;
}

void tn_host_pool_run(struct tn_host_pool *p, size_t count, void (*fn)(void *, size_t), void *ctx)
{
    struct call c = {fn, ctx};
    p->dispatches++;
    p->lent.parallel_for(p->lent.pool, count, call_index, &c);
}

bool tn_host_pool_inside(void)
{
    return inside;
}
