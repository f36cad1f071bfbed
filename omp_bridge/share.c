/* SPDX-License-Identifier: MIT */
/* Taking idle crews from threads that live; the protocol and its proof are in share.h. Only outermost crews without inner
 * ones change hands, and none that a session holds. */
#define _GNU_SOURCE
#include "share.h"

#include "clock.h"
#include "futex_linux.h"

/* How long its workers have waited, by what the first one says; 0: they run. */
static uint64_t idle_ns(const struct tn_crew *c, uint64_t now)
{
    uint64_t since = tn_load(&c->worker[0]->idle_since);
    return since && since < now ? now - since : 0;
}

static bool idles(const struct tn_crew *c, const struct tn_thread *t, uint64_t now)
{
    return c != &tn_crew_none && tn_load(&c->owner) == t && !tn_load_acq(&c->in_use) && tn_load(&c->lease_ns) == 0 && c->workers > 0 &&
           c->inner == &tn_crew_none && idle_ns(c, now) >= tn_global.share_idle_ns;
}

struct tn_crew *tn_share_take(struct tn_thread *me, unsigned workers)
{
    if (tn_likely(tn_global.share_idle_ns == 0) || !tn_fence_has_membarrier())
        return NULL; /* without membarrier the owner's stores prove nothing */
    uint64_t now = tn_now_ns();
    struct tn_crew *best = NULL;
    for (struct tn_thread *t = tn_thread_all_lock(); t; t = t->next_all) {
        struct tn_crew *c = t == me ? &tn_crew_none : tn_load_acq(&t->root_crew);
        if (idles(c, t, now) && (!best || (best->workers < workers && c->workers > best->workers)))
            best = c;
    }
    if (best) {
        atomic_fetch_add_explicit(&tn_gen, 1, memory_order_release);
        if (!tn_membarrier() || tn_load_acq(&best->in_use)) {
            best = NULL;
        } else {
            tn_store(&best->owner, me);
            tn_store(&best->hit_icv, 0);
            tn_store(&best->mask_kept, false); /* its set is compared with the new owner's */
            best->shown = NULL;
        }
    }
    tn_thread_all_unlock();
    return best;
}

struct tn_crew *tn_share_replace(struct tn_thread *me, struct tn_crew *c)
{
    bool shared = tn_global.share_idle_ns != 0;
    if (shared)
        tn_thread_all_lock();
    struct tn_crew *was = tn_load(&me->root_crew);
    if (was != &tn_crew_none && tn_load(&was->owner) != me) {
        if (me->crew == was)
            me->crew = &tn_crew_none;
        was = &tn_crew_none;
    }
    tn_store_rel(&me->root_crew, c);
    if (shared)
        tn_thread_all_unlock();
    return was;
}

void tn_share_settle(struct tn_thread *me)
{
    struct tn_crew *c = tn_load(&me->root_crew);
    if (tn_likely(tn_global.share_idle_ns == 0) || c == &tn_crew_none)
        return;
    tn_thread_all_lock();
    bool mine = tn_load(&c->owner) == me;
    tn_thread_all_unlock();
    if (!mine)
        tn_share_replace(me, &tn_crew_none);
}
