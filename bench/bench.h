/* SPDX-License-Identifier: MIT */
/*
 * What every scenario program shares: a clock, phases with warm-up and a time budget, and one line per row on stdout.
 * All calls are made by the program's main thread, except the clocks and bench_work().
 * Invariant: nothing here calls into an OpenMP runtime inside a timed stretch; the programs do, by plain pragmas.
 *
 *     bench_phase("w2");                      control work, then warm-up until a fifth of the budget is used
 *     while (bench_more()) {
 *         uint64_t t = bench_now();
 *         for (int i = 0; i < 100; i++) region();
 *         bench_add(bench_elapsed(t) / 100.0);  one sample, ns per operation
 *     }
 *     bench_done(100);                        control again, CPU time and switches per operation, prints the row
 *
 * A row: `row NAME key=value …`; other lines: `info key=value …`. README.md explains every key.
 */
#ifndef BENCH_H
#define BENCH_H

#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define BENCH_LIKE_PRINTF(f) __attribute__((format(printf, f, (f) + 1)))

static inline uint64_t bench_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t bench_now(void) { return bench_clock(CLOCK_MONOTONIC); }

/* Nothing before it may move behind it, nothing behind it before, and no region is known to be empty. */
static inline void bench_keep(void) { __asm__ volatile("" ::: "memory"); }

/* ns since `start`. With BENCH_PLANT=P it first burns P percent of that time: the slowdown the harness must find. */
double bench_elapsed(uint64_t start);

/* Reads the command line, proves which runtime serves us, prints it; exits 0 on --help, 2 on a bad option. */
void bench_start(int argc, char **argv, const char *what);

int bench_processors(void); /* in our CPU set */
int bench_width(void);      /* the width of scenarios that have one: --width, else the processors, 2 to 16 */
bool bench_quick(void);
bool bench_want(const char *prefix); /* false when --only names something else */

/* A team of `width` really is that wide, with distinct numbers; else the process ends with status 3. */
void bench_check_width(int width);

/* Phases. A name is formatted; a cold phase has no warm-up; `budget` (ms) and `most` (samples) replace the defaults. */
void bench_phase(const char *format, ...) BENCH_LIKE_PRINTF(1);
void bench_phase_cold(const char *format, ...) BENCH_LIKE_PRINTF(1);
void bench_limits(double budget_ms, int least, int most); /* of the phase just begun; 3 samples after 4 budgets do */
bool bench_more(void);
bool bench_measuring(void); /* false while warming up */
void bench_add(double ns);  /* to the phase's own row */
void bench_add_to(const char *series, double value, const char *unit); /* to a row PHASE/series */
double bench_done(double operations_per_sample); /* the phase's median */

/* A row that is one figure. */
void bench_value(const char *name, double value, const char *unit);

/* About `ns` of dependent integer work on an undisturbed processor: a fixed number of steps, whatever the load. */
uint64_t bench_work_steps(double ns);
void bench_work(uint64_t steps);

/* A session of that width, where the runtime has sessions and BENCH_SESSION=1 asks for one; else nothing. */
bool bench_session_open(int width);
void bench_session_close(void);

/* Tenure's own int8 product in that session, with BENCH_INT8=1: y[m][n] = sum of u8 x[m][k] times s8 w[n][k]. NULL: not asked. */
void *bench_int8_pack(const int8_t *w, int64_t n, int64_t k);
void bench_int8_gemm(const void *packed, const uint8_t *x, int32_t *y, int64_t m, int64_t n, int64_t k);

void bench_sleep(double ns);
void bench_pin(int nth); /* this thread onto the nth processor of our set */
long bench_status(const char *field); /* a number from /proc/self/status, such as "Threads" or "VmHWM" */
_Noreturn void bench_fail(const char *format, ...) BENCH_LIKE_PRINTF(1);

#endif
