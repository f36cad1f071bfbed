/* SPDX-License-Identifier: MIT */
/* A program built with ThreadSanitizer runs on a runtime that is not: it cannot see our hand-offs and reports races that
 * are none. Where its run-time library is in the process we tell it (weak names, resolved when we are loaded); elsewhere each
 * call is one load and a branch. `at` names the hand-off: any address the two sides share. */
#ifndef TN_HAPPENS_H
#define TN_HAPPENS_H

#include "base.h"

extern void __tsan_acquire(void *at) __attribute__((weak));
extern void __tsan_release(void *at) __attribute__((weak));

/* What this thread did so far happens before what another does after tn_happens_after(at). */
TN_INLINE void tn_happens_before(const volatile void *at)
{
    if (tn_unlikely(__tsan_release != NULL))
        __tsan_release((void *)(uintptr_t)at);
}

TN_INLINE void tn_happens_after(const volatile void *at)
{
    if (tn_unlikely(__tsan_acquire != NULL))
        __tsan_acquire((void *)(uintptr_t)at);
}

/* Around our own work that calls functions of the C library it watches (memset, memcmp, free). Pairs nest. */
extern void __tsan_ignore_thread_begin(void) __attribute__((weak));
extern void __tsan_ignore_thread_end(void) __attribute__((weak));

TN_INLINE void tn_happens_ignore_begin(void)
{
    if (tn_unlikely(__tsan_ignore_thread_begin != NULL))
        __tsan_ignore_thread_begin();
}

TN_INLINE void tn_happens_ignore_end(void)
{
    if (tn_unlikely(__tsan_ignore_thread_end != NULL))
        __tsan_ignore_thread_end();
}

#endif
