/* SPDX-License-Identifier: MIT */
/* A parallel region from entry to join: decide the width, find the team, release it, run, join. This header is the part
 * that runs at every region; deciding anew is in region.c. The public face is in team.h (tn_region and its three steps).
 *
 * Budget of a width-2 region when nothing has changed: the worker's dock line out and back (2 transfers); no fence, no atomic
 * read-modify-write, no system call (a wait that lasts yields: park.h). Instructions of thread 0, GCC -O2 x86-64, a loop's turn and a
 * call of an empty body included; tests/check_budget.sh reads them here:
 *   BUDGET one 160
 *   BUDGET counted 290 */
#ifndef TN_REGION_H
#define TN_REGION_H

#include "barrier.h"
#include "crew.h"
#include "happens.h"
#include "team.h"

/* The member's own state for a new region, and the thread into its place. */
TN_INLINE void tn_region_start_member(struct tn_thread *me, struct tn_member *m, uint32_t seq, struct tn_icv *icv)
{
    m->seq = seq;
    m->bar_idx = 0;
    tn_ws_region_start(&m->ws);
    tn_task_implicit_start(&m->implicit, icv, NULL);
    me->cur = m;
    me->task = &m->implicit;
}

/* Hands the region to the members below `m`. True: somebody slept and had to be woken. */
TN_INLINE bool tn_region_release_children(struct tn_member *m, void (*fn)(void *), void *data, struct tn_icv *icv,
                                          uint32_t seq, unsigned flags)
{
    if (m->child_lo >= m->child_hi)
        return false;
    struct tn_member *const *kid = m->team->kid;
    bool asleep = false;
    int cpu = tn_cpu_now();
    for (unsigned i = m->child_lo; i < m->child_hi; i++) {
        struct tn_member *child = kid[i];
        struct tn_thread *t = child->thread;
        struct tn_dock *d = &t->dock;
        d->member = child;
        d->fn = fn;
        d->data = data;
        d->icv = icv;
        d->seq = seq;
        d->cpu = cpu;
        tn_store(&d->go, 0); /* another team of this worker may have had the same epoch */
        tn_store(&d->arrived, 0);
        tn_count_line();
        tn_happens_before(d);
        tn_store_rel(&d->word, ((tn_load(&d->word) >> 8) + 1) << 8 | flags);
        if (tn_unlikely(tn_unpark(t)))
            asleep = true;
    }
    return asleep;
}

/* The width a region with that num_threads clause (0: none) would get now. */
unsigned tn_region_width(struct tn_thread *me, unsigned n);
/* The team a region would get, without running one; a place under a thread limit is not kept. For sessions. */
struct tn_team *tn_region_team(struct tn_thread *me, unsigned n, unsigned flags, enum tn_ask ask);
/* TENURE_VERBOSE: the line at the first region. */
void tn_region_banner(unsigned width);

#endif
