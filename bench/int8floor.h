/* SPDX-License-Identifier: MIT */
/*
 * What the machine itself charges for an int8 product: the measured peak of the variant's instruction and the measured
 * bandwidth of reading B, from `threads` threads at once. Main thread only; plain OpenMP.
 * Invariant: the loops are assembly on registers, so that no compiler can make them shorter.
 */
#ifndef INT8FLOOR_H
#define INT8FLOOR_H

#include "bench.h"

#include <string.h>

#if defined __x86_64__
#define INT8_REGISTERS                                                                                                 \
    "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define INT8_WD(to, tmp) "vpmaddwd %%ymm0,%%ymm1,%%ymm" #tmp "\n vpaddd %%ymm" #tmp ",%%ymm" #to ",%%ymm" #to "\n "
#define INT8_VNNI(form, r, n) form "vpdpbusd %%" #r "mm0,%%" #r "mm1,%%" #r "mm" #n "\n "
#define INT8_VNNI12(form, r)                                                                                           \
    INT8_VNNI(form, r, 2) INT8_VNNI(form, r, 3) INT8_VNNI(form, r, 4) INT8_VNNI(form, r, 5) INT8_VNNI(form, r, 6)      \
    INT8_VNNI(form, r, 7) INT8_VNNI(form, r, 8) INT8_VNNI(form, r, 9) INT8_VNNI(form, r, 10) INT8_VNNI(form, r, 11)    \
    INT8_VNNI(form, r, 12) INT8_VNNI(form, r, 13)

/* Each returns the multiplications it did in n turns. AMX and NEON have none here: their rows get no floor. */
static double int8_peak_avx2(long n)
{
    for (long i = 0; i < n; i++)
        __asm__ volatile(INT8_WD(8, 2) INT8_WD(9, 3) INT8_WD(10, 4) INT8_WD(11, 5) INT8_WD(12, 6) INT8_WD(13, 7)
                         INT8_WD(14, 2) INT8_WD(15, 3) ::: INT8_REGISTERS);
    return 8 * 16.0 * (double)n;
}

static double int8_peak_avxvnni(long n)
{
    for (long i = 0; i < n; i++)
        __asm__ volatile(INT8_VNNI12("%{vex%} ", y) ::: INT8_REGISTERS);
    return 12 * 32.0 * (double)n;
}

static double int8_peak_avx512vnni(long n)
{
    for (long i = 0; i < n; i++)
        __asm__ volatile(INT8_VNNI12("", z) ::: INT8_REGISTERS);
    return 12 * 64.0 * (double)n;
}
#endif

typedef double int8_peak(long turns);

static int8_peak *int8_peak_of(const char *variant)
{
#if defined __x86_64__
    static const struct {
        const char *name;
        int8_peak *peak;
    } all[] = {{"avx2", int8_peak_avx2}, {"avxvnni", int8_peak_avxvnni}, {"avx512vnni", int8_peak_avx512vnni}};
    for (size_t i = 0; variant && i < sizeof all / sizeof *all; i++)
        if (strcmp(variant, all[i].name) == 0)
            return all[i].peak;
#endif
    (void)variant;
    return NULL;
}

/* Multiplications per ns of all threads; 0: no peak is known for the variant. The best of a few. */
static double int8_peak_measure(const char *variant, int threads)
{
    int8_peak *peak = int8_peak_of(variant);
    double best = 0;
    for (int r = 0; peak && r < 7; r++) {
        double done = 0;
        uint64_t t = bench_now();
#pragma omp parallel num_threads(threads) reduction(+ : done)
        done += peak(20000);
        double rate = done / (double)(bench_now() - t);
        best = rate > best ? rate : best;
    }
    return best;
}

/* ns to read `bytes` from each of the blocks in turn: the least of a few. */
static double int8_read_ns(void *const *block, int blocks, size_t bytes, int threads)
{
    double best = 1e18;
    for (int r = 0; r < 3 * blocks + 6; r++) {
        const uint64_t *p = block[r % blocks];
        uint64_t sum = 0;
        uint64_t t = bench_now();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : sum)
        for (size_t line = 0; line < bytes / 64; line += 4) {
            uint64_t s0 = p[line * 8], s1 = p[line * 8 + 8], s2 = p[line * 8 + 16], s3 = p[line * 8 + 24];
            sum |= s0 | s1 | s2 | s3;
        }
        double ns = (double)(bench_now() - t);
        __asm__ volatile("" ::"r"(sum));
        best = r >= blocks && ns < best ? ns : best;
    }
    return best;
}

#endif
