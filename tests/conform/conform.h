/* SPDX-License-Identifier: MIT */
/* What the plain OpenMP programs of this folder share. A program checks what the standard fixes by CHECK, prints what
 * libgomp answers and the standard leaves open, and ends with conform_end(): status 1 if a check failed.
 * tests/run_conform.sh runs the same binary under libgomp and under Tenure and compares output and status. */
#ifndef CONFORM_H
#define CONFORM_H

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int conform_faults;

/* Any thread; the first ten are printed. */
__attribute__((unused)) static void conform_fault(int line, const char *what)
{
    if (__atomic_fetch_add(&conform_faults, 1, __ATOMIC_RELAXED) < 10)
        printf("line %d: not so: %s\n", line, what);
}

#define CHECK(what) ((what) ? (void)0 : conform_fault(__LINE__, #what))

static inline int conform_end(void)
{
    int faults = __atomic_load_n(&conform_faults, __ATOMIC_RELAXED);

    printf(faults ? "%d checks failed\n" : "ok\n", faults);
    fflush(stdout);
    return faults != 0;
}

#endif
