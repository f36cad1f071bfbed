/* SPDX-License-Identifier: MIT */
/* aarch64: the kernel's hardware capability bits already are "present and usable". No state; any thread. */
#include "cpu.h"

#include <errno.h>
#include <sys/auxv.h>

uint32_t tn_cpu_features(void)
{
    enum { HWCAP_DOTPROD = 1 << 20 }; /* HWCAP_ASIMDDP of asm/hwcap.h */
    return getauxval(AT_HWCAP) & HWCAP_DOTPROD ? TN_CPU_DOTPROD : 0;
}

int tn_cpu_permit_amx(void)
{
    return -EOPNOTSUPP;
}
