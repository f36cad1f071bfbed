/* SPDX-License-Identifier: MIT */
/* Two futex calls and membarrier, for the threads of this process only. Leaf: Linux. */
#ifndef TN_FUTEX_H
#define TN_FUTEX_H

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base.h"

/* Sleeps while *word == value, `ms` milliseconds at most (0: no bound). May return early for any reason: look again. Keeps
 * errno. */
void tn_futex_wait_for(_Atomic uint32_t *word, uint32_t value, unsigned ms);
TN_INLINE void tn_futex_wait(_Atomic uint32_t *word, uint32_t value) { tn_futex_wait_for(word, value, 0); }
/* Wakes up to `howmany` sleepers. Keeps errno. */
void tn_futex_wake(_Atomic uint32_t *word, int howmany);
/* True: this process may use tn_membarrier. */
bool tn_membarrier_register(void);
/* Every thread of the process that runs has executed a full fence when this returns true. False: the kernel refuses (a
 * sandbox that was closed after the registration). */
bool tn_membarrier(void);

#endif
