/* SPDX-License-Identifier: MIT */
/* Any other architecture: nothing beyond C. No state; any thread. */
#include "cpu.h"

#include <errno.h>

uint32_t tn_cpu_features(void)
{
    return 0;
}

int tn_cpu_permit_amx(void)
{
    return -EOPNOTSUPP;
}
