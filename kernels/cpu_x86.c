/* SPDX-License-Identifier: MIT */
/* x86-64: CPUID says what the processor has, XCR0 what the kernel saves over a context switch; a feature counts only if
 * both agree. No state; any thread. */
#include "cpu.h"

#include <cpuid.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { /* XCR0 */
    XCR0_AVX = 0x6,        /* SSE, AVX */
    XCR0_AVX512 = 0xe6,    /* and opmask, upper halves, upper registers */
    XCR0_AMX = 0x60000     /* tile configuration, tile data */
};

static uint64_t xcr0(void)
{
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

uint32_t tn_cpu_features(void)
{
    unsigned a, b, c, d, max_sub, f = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27)) /* OSXSAVE: xgetbv may be used */
        return 0;
    uint64_t state = xcr0();
    if ((state & XCR0_AVX) != XCR0_AVX || !__get_cpuid_count(7, 0, &max_sub, &b, &c, &d))
        return 0;
    if (b & 1u << 5)
        f |= TN_CPU_AVX2;
    const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    if ((state & XCR0_AVX512) == XCR0_AVX512 && (b & avx512) == avx512 && (c & 1u << 11))
        f |= TN_CPU_AVX512_VNNI;
    const unsigned amx = 1u << 24 | 1u << 25; /* TILE, INT8 */
    if ((state & XCR0_AMX) == XCR0_AMX && (d & amx) == amx)
        f |= TN_CPU_AMX_INT8;
    if (max_sub >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 4) && (f & TN_CPU_AVX2))
        f |= TN_CPU_AVX_VNNI;
    return f;
}

int tn_cpu_permit_amx(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 ? 0 : -errno;
}
