/* SPDX-License-Identifier: MIT */
/* What the worksharing files share and nobody else sees: entering a construct, filling its slot, waiting for an event that
 * one member makes and waking exactly those who wait for it. Called by members of the team.
 *
 * Waiting: the waiter names what it waits for in `want` before it marks itself asleep, so a waker that sees it asleep sees
 * the name too (park.h). Names are addresses, or an address plus a small number; two events with one name cost a needless
 * wake and no more. */
#ifndef TN_LOOP_IMPL_H
#define TN_LOOP_IMPL_H

#include "team.h"

#define tn_ws_wait_by(how, me, m, name, cond)                            \
    do {                                                                 \
        if (!(cond)) {                                                   \
            tn_store(&(m)->ws.want, (uintptr_t)(name));                  \
            how(me, (m)->team, cond, .crowded = tn_load(&(m)->team->crowded)); \
            tn_store(&(m)->ws.want, 0);                                  \
        }                                                                \
    } while (0)
#define tn_ws_wait(me, m, name, cond) tn_ws_wait_by(tn_wait_until, me, m, name, cond)

TN_COLD void tn_ws_wake_slow(struct tn_team *team, uintptr_t name);

/* After the store that makes the event true. */
TN_INLINE void tn_ws_wake(struct tn_team *team, uintptr_t name)
{
    tn_fence_often();
    if (tn_unlikely(tn_load(&team->sleepers)))
        tn_ws_wake_slow(team, name);
}

/* The member's next construct; returns its slot, free for it. */
struct tn_ws_slot *tn_ws_enter(struct tn_thread *me, struct tn_member *m);

/* True: the caller is the first and fills the slot, then tn_ws_publish. False: it is filled. */
bool tn_ws_open(struct tn_thread *me, struct tn_member *m, struct tn_ws_slot *slot);
TN_INLINE void tn_ws_publish(struct tn_team *team, struct tn_ws_slot *slot, uint64_t epoch)
{
    tn_store_rel(&slot->ready, epoch);
    tn_ws_wake(team, (uintptr_t)&slot->ready);
}

/* `size` zero bytes, aligned to a line; stops the process where there are none. */
void *tn_ws_buf_zeroed(struct tn_ws_buf *buf, size_t size);

/* Ordered, around taking a chunk: the turn of the last one goes on; the new one is units [lo, hi). */
void tn_ws_ordered_finish(struct tn_thread *me, struct tn_member *m);
void tn_ws_ordered_begin(struct tn_ws_member *ws, uint64_t lo, uint64_t hi);

/* Doacross: memory for what is posted, in a slot that is being filled. */
void tn_doacross_fill(struct tn_ws_slot *slot, const struct tn_ws_shape *s, unsigned dims, unsigned width);

/* Static: first unit of member `i` of `width`; the first units % width members have one more. */
TN_INLINE uint64_t tn_ws_block(uint64_t units, unsigned width, unsigned i)
{
    uint64_t q = units / width, r = units % width;
    return q * i + (i < r ? i : r);
}

#endif
