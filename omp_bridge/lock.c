/* SPDX-License-Identifier: MIT */
/* Waiting for a tn_lock, and waking who waits. Any thread.
 * Invariant: a thread sleeps only on value 2, and whoever replaces a 2 by 0 wakes one sleeper, which puts 2 back. */
#include "lock.h"

#include <sched.h>

#include "futex_linux.h"
#include "icv.h"

struct tn_lock_line tn_lock_critical, tn_lock_atomic;

/* Looks before sleeping, with up to PAUSES_MAX pauses (10 to 45 ns each, by processor) between them: 1 to 5 us in all,
 * longer than the short sections that most locks guard, no longer than a futex sleep and wake (about 5 us here). With one
 * processor the holder cannot run while we spin. */
#define SPINS 16
#define PAUSES_MAX 8

void tn_lock_acquire_slow(struct tn_lock *l)
{
    unsigned pauses = 1;
    for (int i = 0; i < SPINS && tn_global.procs > 1; i++) {
        for (unsigned p = 0; p < pauses; p++)
            tn_cpu_relax();
        if (pauses < PAUSES_MAX)
            pauses *= 2; /* waiters that look too often slow the holder's release down */
        uint32_t seen = tn_load(&l->word);
        if (seen == 0 && tn_lock_try(l))
            return;
        if (seen == 2)
            break; /* others gave up before us */
    }
    while (atomic_exchange_explicit(&l->word, 2, memory_order_acquire) != 0)
        tn_futex_wait(&l->word, 2);
}

void tn_lock_wake_slow(struct tn_lock *l)
{
    tn_futex_wake(&l->word, 1);
}

void tn_lock_fork_child(void)
{
    tn_store(&tn_lock_critical.lock.word, 0);
    tn_store(&tn_lock_atomic.lock.word, 0);
}
