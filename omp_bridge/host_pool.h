/* SPDX-License-Identifier: MIT */
/* A pool of the program's own, lent through a parallel_for callback (DESIGN, "Host pool"). Owned by one session, called
 * by its thread only. Whether the pool has workers is asked with an empty dispatch, never with the caller's work. */
#ifndef TN_HOST_POOL_H
#define TN_HOST_POOL_H

#include "base.h"
#include "tenure.h"

struct tn_host_pool {
    tenure_host_pool lent;
    bool latched;        /* a yes is for good */
    uint32_t asked;      /* questions so far */
    uint32_t wait_calls; /* calls until the next question */
    uint32_t interval;   /* present distance of questions, in calls */
    uint64_t dispatches;
};

/* A session begins with that pool (NULL: none). What was learned about the same pool before still holds. */
void tn_host_pool_lend(struct tn_host_pool *p, const tenure_host_pool *lent);
/* May this call run on the pool? Asks now and then until the answer is yes. False inside a call on a host pool. */
bool tn_host_pool_ready(struct tn_host_pool *p);
/* fn(ctx, i) for i in [0, count), by the pool. */
void tn_host_pool_run(struct tn_host_pool *p, size_t count, void (*fn)(void *, size_t), void *ctx);
/* The calling thread runs a piece of a call on a host pool: what it splits stays serial. */
bool tn_host_pool_inside(void);

#endif
