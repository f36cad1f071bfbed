/* SPDX-License-Identifier: MIT */
/* A lock in one 32-bit word: criticals, atomics that the processor lacks, the locks of the user API, and the runtime's own
 * rare paths. Any thread, with or without a record; no owner is kept, so any thread may release. All zero is a free lock.
 *
 * Values of `word` (futex word):
 *   value | meaning                              | set by                  | cleared by
 *     0   | free                                 | release                 |
 *     1   | held, nobody sleeps for it           | acquire, try            | release
 *     2   | held, somebody may sleep for it      | an acquire that waits   | release, which wakes one
 * Who has slept takes the lock with 2: others may still sleep. */
#ifndef TN_LOCK_H
#define TN_LOCK_H

#include "base.h"
#include "happens.h"

struct tn_lock {
    _Atomic uint32_t word;
};

/* The unnamed critical construct, and `atomic` on what the processor has no atomic instruction for: one line each. */
struct tn_lock_line {
    alignas(TN_LINE) struct tn_lock lock;
};
extern struct tn_lock_line tn_lock_critical, tn_lock_atomic;

TN_COLD void tn_lock_acquire_slow(struct tn_lock *l);
TN_COLD void tn_lock_wake_slow(struct tn_lock *l);

/* True: now held by the caller. Acquire; pairs with tn_lock_release. */
TN_INLINE bool tn_lock_try(struct tn_lock *l)
{
    uint32_t free = 0;
    return atomic_compare_exchange_strong_explicit(&l->word, &free, 1, memory_order_acquire, memory_order_relaxed);
}

TN_INLINE void tn_lock_acquire(struct tn_lock *l)
{
    if (tn_unlikely(!tn_lock_try(l)))
        tn_lock_acquire_slow(l);
    tn_happens_after(l);
}

/* `l` may be gone (destroyed, freed) as soon as the word is 0: the wake that may follow only names its address. */
TN_INLINE void tn_lock_release(struct tn_lock *l)
{
    tn_happens_before(l);
    if (tn_unlikely(atomic_exchange_explicit(&l->word, 0, memory_order_release) == 2))
        tn_lock_wake_slow(l);
}

/* fork.c's child handler: the two above are free. */
void tn_lock_fork_child(void);

#endif
