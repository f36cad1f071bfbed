/* SPDX-License-Identifier: MIT */
/* The finish of requant.h for the processor every build may assume (SSE2, or NEON). Any thread, no state. */
#include "requant.h"

void tn_finish_baseline(const tn_i8_tile *t)
{
    tn_finish_tile(t);
}
