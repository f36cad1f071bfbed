/* SPDX-License-Identifier: MIT */
/* The slow halves of fence.h, and the change between the two modes. Invariant: the mode changes under `lock` only, 0 to 1 to 2 or
 * back, with a membarrier after each 1; or to 2 for good where there is none. */
#include "fence.h"

#include "futex_linux.h"
#include "lock.h"

_Atomic uint32_t tn_fence_mode = TN_FENCE_OFTEN;

static struct tn_lock lock;
static _Atomic bool ready; /* this process has asked for membarrier */
static _Atomic bool has;   /* and has got it */
static _Atomic bool denied;

void tn_fence_init(void)
{
    if (tn_load_acq(&ready))
        return;
    tn_lock_acquire(&lock);
    if (!tn_load(&ready)) {
        tn_store(&has, tn_membarrier_register());
        tn_store(&tn_fence_mode, tn_load(&has) ? TN_FENCE_SELDOM : TN_FENCE_OFTEN);
        tn_store_rel(&ready, true);
    }
    tn_lock_release(&lock);
}

void tn_fence_fork_child(void)
{
    tn_store(&lock.word, 0);
    tn_store(&ready, false);
    tn_store(&has, false);
    tn_store(&denied, false);
    tn_store(&tn_fence_mode, TN_FENCE_OFTEN);
}

bool tn_fence_has_membarrier(void)
{
    return tn_load(&has);
}

bool tn_fence_denied(void)
{
    return tn_load(&denied);
}

static bool all_fence(void)
{
    if (tn_load(&has) && tn_membarrier())
        return true;
    if (tn_load(&has)) {
        tn_store(&denied, true);
        tn_store(&has, false);
    }
    return false;
}

void tn_fence_pay(bool often)
{
    uint32_t want = often ? TN_FENCE_OFTEN : TN_FENCE_SELDOM;
    if (!tn_load(&has))
        return;
    tn_lock_acquire(&lock);
    if (tn_load(&tn_fence_mode) != want && tn_load(&has)) {
        tn_store_rel(&tn_fence_mode, TN_FENCE_BOTH);
        tn_store_rel(&tn_fence_mode, all_fence() ? want : TN_FENCE_OFTEN);
    }
    tn_lock_release(&lock);
}

void tn_fence_seldom(void)
{
    atomic_signal_fence(memory_order_seq_cst); /* the store comes before this in the code: see fence.h */
    if (tn_load(&tn_fence_mode) != TN_FENCE_OFTEN) {
        if (all_fence())
            return;
        tn_store(&tn_fence_mode, TN_FENCE_OFTEN);
    }
    atomic_thread_fence(memory_order_seq_cst); /* pairs with tn_fence_often_slow */
}

void tn_fence_often_slow(void)
{
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in tn_fence_seldom */
}
