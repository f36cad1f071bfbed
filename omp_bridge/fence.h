/* SPDX-License-Identifier: MIT */
/* The fence of two threads that each store and then look at what the other has stored, where one of them does so at every region
 * and the other seldom. Leaf. It owns `tn_fence_mode`, who pays for it:
 *   value | the seldom side (who goes to sleep)     | the often side (who releases, arrives)
 *     0   | membarrier: all running threads fence   | nothing, the compiler's order only
 *     1   | membarrier                              | a fence. On the way between the two
 *     2   | a fence                                 | a fence
 * 0 at first; 2 where the kernel has no membarrier, and while sleeping is not seldom (park.c): it interrupts all processors.
 *
 * One of the two sees the other's store:
 *   each reads the mode between its store and its look. Where the seldom side has read 0 or 1, its membarrier fences for both; where
 *   the often side has read 1 or 2, both fence. It is left to show that a seldom side with 2 and an often side with 0 do as well.
 *   0 to 2: 1 is stored, then membarrier, then 2. An often side that has read 0 did so before its fence in that membarrier, and had
 *     stored before: the seldom side, which has read 2, sees it.
 *   2 to 0: 1, membarrier, 0. A seldom side that has read 2 did so before its fence in that membarrier, and had stored before: the
 *     often side, which has read 0 (acquire: its look comes after), sees it.
 * Model: tests/models/fence.pml. */
#ifndef TN_FENCE_H
#define TN_FENCE_H

#include "base.h"

enum { TN_FENCE_SELDOM, TN_FENCE_BOTH, TN_FENCE_OFTEN };
extern _Atomic uint32_t tn_fence_mode;

/* Before the first worker of a process, also of a forked child; any thread, any number of times. */
void tn_fence_init(void);
void tn_fence_fork_child(void);
/* The often side pays, or the seldom one. Any thread; no effect where there is no membarrier. */
TN_COLD void tn_fence_pay(bool often);
/* membarrier can be had. */
bool tn_fence_has_membarrier(void);
/* A sandbox closed over the process after tn_fence_init: one who had not yet seen that it must fence may have missed a sleeper.
 * From then on nobody may sleep without a bound. */
bool tn_fence_denied(void);

/* Between the store and the look of the seldom side. */
TN_COLD void tn_fence_seldom(void);

/* Out of line: a hot path that never fences holds no fence either (tests/check_budget.sh looks). */
TN_COLD void tn_fence_often_slow(void);

/* Between the store and the look of the often side. */
TN_INLINE void tn_fence_often(void)
{
    atomic_signal_fence(memory_order_seq_cst); /* the store, the mode, the look: in this order in the code */
    if (tn_unlikely(tn_load_acq(&tn_fence_mode) != TN_FENCE_SELDOM))
        tn_fence_often_slow();
}

#endif
