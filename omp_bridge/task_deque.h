/* SPDX-License-Identifier: MIT */
/* The deque of a member: bounded, owner pushes and pops at the bottom, thieves take from the top (after Chase and Lev,
 * SPAA 2005). Push and pop: the member only. Steal: any member of the team, also one that has left the region: the deque lives
 * as long as the team, and nothing can be taken twice.
 *
 * Orders. S is the order of the sequentially consistent operations.
 *   Contents: push writes the slot, then bottom (release); a thief reads bottom (acquire), then the slot.
 *   One taker: a thief takes index i by moving top from i to i + 1; top only grows, so one thief at most. The owner takes i
 *   without touching top only if after a. bottom = i it reads b. top < i. A thief of i has c. read top == i, then
 *   d. bottom > i. If d were after a in S it would read i or less (or i was pushed anew, which only follows the owner's
 *   taking it). So d is before a, c before b, and b reads i or more: the owner goes the way of the last entry, by
 *   exchange of top like a thief.
 *   Reuse: slot i is written again only when top > i was read, now or earlier (top_seen: top only grows), so the exchange of a
 *   thief that read the new content fails. */
#ifndef TN_TASK_DEQUE_H
#define TN_TASK_DEQUE_H

#include "task.h"

#define TN_TASK_FULL 16 /* tasks run at once before a deque found full is looked at again */

/* Owner. `top` moves with every theft, so its line is read only when the room last seen is used up; and one who finds the deque
 * full does not ask again for the next TN_TASK_FULL entries, unless a member has found nothing to run (`hungry`: advice). */
TN_INLINE bool tn_task_deque_full(struct tn_task_member *q, _Atomic bool *hungry)
{
    if (tn_likely(tn_load(&q->bottom) - q->top_seen <= q->mask))
        return false;
    if (q->full > 0 && !tn_load(hungry)) {
        q->full--;
        return true;
    }
    if (tn_load(hungry))
        tn_store(hungry, false);
    q->top_seen = tn_load_acq(&q->top); /* acquire: a slot is reused after its thief has read it */
    if (tn_load(&q->bottom) - q->top_seen <= q->mask)
        return false;
    q->full = TN_TASK_FULL;
    return true;
}

/* False: full. The slots exist. */
TN_INLINE bool tn_task_deque_push(struct tn_task_member *q, struct tn_task_x *x, _Atomic bool *hungry)
{
    uint32_t b = tn_load(&q->bottom);
    if (tn_unlikely(tn_task_deque_full(q, hungry)))
        return false;
    tn_store(&q->slots[b & q->mask], x);
    tn_store_rel(&q->bottom, b + 1);
    return true;
}

TN_INLINE bool tn_task_deque_take_top(struct tn_task_member *q, uint32_t t)
{
    return atomic_compare_exchange_strong_explicit(&q->top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed);
}

/* The owner has nothing left for thieves. */
TN_INLINE bool tn_task_deque_empty(const struct tn_task_member *q)
{
    return tn_load(&q->bottom) == tn_load(&q->top);
}

/* The newest entry that is not older than index `base`. */
TN_INLINE struct tn_task_x *tn_task_deque_pop(struct tn_task_member *q, uint32_t base)
{
    uint32_t b = tn_load(&q->bottom);
    if ((int32_t)(b - base) <= 0 || (int32_t)(b - tn_load(&q->top)) <= 0) /* top is never too large here: no miss */
        return NULL;
    b--;
    atomic_store_explicit(&q->bottom, b, memory_order_seq_cst); /* a */
    uint32_t t = atomic_load_explicit(&q->top, memory_order_seq_cst); /* b */
    struct tn_task_x *x = NULL;
    if (tn_likely((int32_t)(b - t) > 0))
        return tn_load(&q->slots[b & q->mask]);
    if (b == t && tn_task_deque_take_top(q, t))
        x = tn_load(&q->slots[b & q->mask]);
    tn_store_rel(&q->bottom, b + 1);
    return x;
}

/* The oldest entry and its index, not taken: NULL: none. Until tn_task_deque_take_top succeeds it may be anybody's. */
TN_INLINE struct tn_task_x *tn_task_deque_peek(struct tn_task_member *q, uint32_t *index)
{
    *index = atomic_load_explicit(&q->top, memory_order_seq_cst); /* c */
    uint32_t b = atomic_load_explicit(&q->bottom, memory_order_seq_cst); /* d */
    if ((int32_t)(b - *index) <= 0)
        return NULL;
    return tn_load(&q->slots[*index & q->mask]);
}

#endif
