/* SPDX-License-Identifier: MIT */
/*
 * The half of bench.h that looks at the process and the machine: options, which runtime serves us, work, pinning,
 * sessions. Main thread only, except bench_work(), bench_elapsed(), bench_pin().
 * Invariant: every row a program prints comes after the line that names the object GOMP_parallel resolves to.
 */
#include "bench.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *program, *only;
    int width;
    bool quick, session;
    double plant;
    cpu_set_t processors; /* as the process was given them: a pinned thread would see only its own */
} opt;

/* Resolved by the loader for us as for any program GCC built. */
extern void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);

/* What the scenarios' pragmas compile to. One of them served by another object than GOMP_parallel is a half-covered
 * runtime, and its figures would be a mixture. */
static const char *const entries[] = {
    "GOMP_barrier", "GOMP_critical_start", "GOMP_critical_end", "GOMP_single_start", "GOMP_ordered_start",
    "GOMP_ordered_end", "GOMP_loop_nonmonotonic_dynamic_start", "GOMP_loop_nonmonotonic_dynamic_next",
    "GOMP_loop_nonmonotonic_guided_start", "GOMP_loop_nonmonotonic_guided_next", "GOMP_loop_ordered_static_start",
    "GOMP_loop_ordered_static_next", "GOMP_loop_end", "GOMP_loop_end_nowait", "GOMP_task", "GOMP_taskwait",
    "GOMP_taskloop", "GOMP_taskgroup_start", "GOMP_taskgroup_end", "GOMP_taskgroup_reduction_register",
    "GOMP_task_reduction_remap", "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads",
};

_Noreturn void bench_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", opt.program ? opt.program : "bench");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    exit(3);
}

static void prove_runtime(void)
{
    Dl_info home, other;
    void (*entry)(void (*)(void *), void *, unsigned, unsigned) = GOMP_parallel;
    if (!dladdr(*(void **)&entry, &home))
        bench_fail("GOMP_parallel resolves to no object");
    printf("info runtime=%s\n", home.dli_fname);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *at = dlsym(RTLD_DEFAULT, entries[i]);
        if (at && dladdr(at, &other) && other.dli_fbase != home.dli_fbase)
            printf("info mixed=%s@%s\n", entries[i], other.dli_fname);
    }
}

static _Noreturn void usage(const char *what, int status)
{
    printf("%s: %s\n"
           "usage: %s [--quick] [--only PREFIX[,PREFIX]] [--width N]\n"
           "environment: BENCH_PLANT=percent (slow every timed stretch), BENCH_SESSION=1 (hold a Tenure session)\n",
           opt.program, what, opt.program);
    exit(status);
}

void bench_start(int argc, char **argv, const char *what)
{
    const char *slash = strrchr(argv[0], '/');
    opt.program = slash ? slash + 1 : argv[0];
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            opt.quick = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            opt.only = argv[++i];
        else if (strcmp(argv[i], "--width") == 0 && i + 1 < argc)
            opt.width = atoi(argv[++i]);
        else
            usage(what, strcmp(argv[i], "--help") == 0 ? 0 : 2);
    }
    sched_getaffinity(0, sizeof opt.processors, &opt.processors);
    const char *plant = getenv("BENCH_PLANT"), *session = getenv("BENCH_SESSION");
    opt.plant = plant ? atof(plant) / 100 : 0;
    opt.session = session && *session == '1';
    prove_runtime();
    printf("info processors=%d width=%d quick=%d session=%d plant=%g\n", bench_processors(), bench_width(), opt.quick,
           opt.session, opt.plant * 100);
    fflush(stdout);
}

int bench_processors(void) { return CPU_COUNT(&opt.processors); }

int bench_width(void)
{
    int n = opt.width > 0 ? opt.width : bench_processors();
    return opt.width > 0 ? n : n < 2 ? 2 : n > 16 ? 16 : n;
}

bool bench_quick(void) { return opt.quick; }

bool bench_want(const char *prefix)
{
    for (const char *p = opt.only; p && *p;) {
        size_t n = strcspn(p, ",");
        if (strncmp(prefix, p, n) == 0 || strncmp(prefix, p, strlen(prefix)) == 0)
            return true;
        p += n + (p[n] == ',');
    }
    return !opt.only;
}

void bench_check_width(int width)
{
    char seen[1024] = {0};
    int told = -1;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        if (me < (int)sizeof seen)
            seen[me] = 1;
#pragma omp master
        told = omp_get_num_threads();
    }
    int members = 0;
    for (size_t i = 0; i < sizeof seen; i++)
        members += seen[i];
    if (told != width || members != width)
        bench_fail("a region of width %d had %d members, and said %d", width, members, told);
}

double bench_elapsed(uint64_t start)
{
    uint64_t t = bench_now();
    if (opt.plant > 0) {
        uint64_t until = t + (uint64_t)((double)(t - start) * opt.plant);
        while (t < until)
            t = bench_now();
    }
    return (double)(t - start);
}

/* A chain of multiplications: nothing to reorder, no memory, so that a step takes the same cycles on every arm. */
void bench_work(uint64_t steps)
{
    uint64_t x = steps;
    for (uint64_t i = 0; i < steps; i++) {
        x *= 6364136223846793005u;
        __asm__ volatile("" : "+r"(x));
    }
}

uint64_t bench_work_steps(double ns)
{
    static double per_step;
    const char *told = getenv("BENCH_STEP_NS"); /* the driver's: the same steps in every arm */
    if (per_step == 0 && told)
        per_step = atof(told);
    if (per_step <= 0) {
        enum { STEPS = 20000 };
        double best = 1e30;
        for (int i = 0; i < 50; i++) {
            uint64_t t = bench_now();
            bench_work(STEPS);
            double d = (double)(bench_now() - t) / STEPS;
            best = d < best ? d : best;
        }
        per_step = best;
    }
    return (uint64_t)(ns / per_step);
}

void bench_sleep(double ns)
{
    uint64_t left = (uint64_t)ns;
    struct timespec t = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        continue;
}

void bench_pin(int nth)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0, k = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &opt.processors) && k++ == nth % bench_processors())
            CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        bench_fail("cannot pin a thread: %s", strerror(errno));
}

long bench_status(const char *field)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long value = -1;
    size_t n = strlen(field);
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, field, n) == 0 && line[n] == ':')
            value = atol(line + n + 1);
    if (f)
        fclose(f);
    return value;
}
