/* SPDX-License-Identifier: MIT */
/* The system calls behind futex_linux.h. errno belongs to the program: an OpenMP construct must not change it. */
#define _GNU_SOURCE
#include "futex_linux.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

void tn_futex_wait_for(_Atomic uint32_t *word, uint32_t value, unsigned ms)
{
    int saved = errno;
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ms ? &t : NULL, NULL, 0);
    errno = saved;
}

void tn_futex_wake(_Atomic uint32_t *word, int howmany)
{
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, howmany, NULL, NULL, 0);
    errno = saved;
}

bool tn_membarrier_register(void)
{
    int saved = errno;
    long r = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    errno = saved;
    return r == 0;
}

bool tn_membarrier(void)
{
    int saved = errno;
    long r = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    errno = saved;
    return r == 0;
}
