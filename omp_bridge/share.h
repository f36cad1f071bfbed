/* SPDX-License-Identifier: MIT */
/* TENURE_SHARE_IDLE: a crew that has idled for so long may be taken by another calling thread. Biased ownership: the owner
 * pays two plain stores to its own line per region, the taker a membarrier.
 *
 * crew->in_use: true from before a region's decision is looked at until after its join; owner writes. crew->owner: written
 * under the registry's lock (thread.h) where sharing is on.
 *   owner: a. in_use = true      b. look at tn_gen: as in the cached decision? then the crew is its own
 *   taker: c. tn_gen moves on    d. membarrier    e. in_use? true: leave it alone. f. owner = taker, all under the lock
 * As in park.h: d puts a full fence into the owner either before a, then b sees c (the owner goes the slow way, takes the
 * lock and sees f); or after a, then e sees a. What the owner sees of the decision in b is the taker's by then, or becomes so
 * while it looks: `outer` is the taker's before `hit_gen` is the new tn_gen, and is looked at after it. Until it knows, the
 * owner touches nothing but the fields that crew.h sets apart for that, which are atomic. The rest of a crew passes from who
 * leaves a region (in_use = false, release) to the taker (acquire). Model: tests/models/share.pml. */
#ifndef TN_SHARE_H
#define TN_SHARE_H

#include "crew.h"

/* An idle crew of another thread with a worker at least, or NULL. It belongs to `me` then. */
struct tn_crew *tn_share_take(struct tn_thread *me, unsigned workers);
/* Before the slow way of a region: forgets a crew that somebody has taken. */
void tn_share_settle(struct tn_thread *me);
/* Makes `c` the thread's outermost crew, and returns the one it was (tn_crew_none if somebody has taken it): where this
 * returns, no taker looks at the old one any more. */
struct tn_crew *tn_share_replace(struct tn_thread *me, struct tn_crew *c);

#endif
