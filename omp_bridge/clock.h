/* SPDX-License-Identifier: MIT */
/* The clock of budgets, leases and figures. Any thread; no system call where the kernel has a vDSO clock (25 ns). */
#ifndef TN_CLOCK_H
#define TN_CLOCK_H

#include <time.h>

#include "base.h"

/* Nanoseconds of CLOCK_MONOTONIC. */
TN_INLINE uint64_t tn_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
