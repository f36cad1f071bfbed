/* SPDX-License-Identifier: MIT */
/* What this processor has and what the kernel lets us use of it. One leaf file per architecture answers (cpu_x86.c,
 * cpu_aarch64.c, cpu_generic.c; the build picks). Any thread; the answer is the same every time. */
#ifndef TN_CPU_H
#define TN_CPU_H

#include <stdint.h>

enum {
    TN_CPU_AVX2 = 1u << 0,
    TN_CPU_AVX_VNNI = 1u << 1,    /* VEX-coded vpdpbusd */
    TN_CPU_AVX512_VNNI = 1u << 2, /* with F, BW, DQ and VL, and the state enabled in XCR0 */
    TN_CPU_AMX_INT8 = 1u << 3,    /* with tile state in XCR0; permission is asked for apart, below */
    TN_CPU_DOTPROD = 1u << 4      /* aarch64 sdot, udot */
};

/* TN_CPU_* bits. Asks the processor each time (a microsecond under a hypervisor): keep the answer. */
uint32_t tn_cpu_features(void);

/* Asks the kernel for the tile registers, for the whole process, threads made later included. 0, or -errno: then AMX
 * may not be used (EOPNOTSUPP, or ENOSPC where a thread's alternate signal stack is too small for the state). */
int tn_cpu_permit_amx(void);

#endif
