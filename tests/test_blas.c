/* SPDX-License-Identifier: MIT */
/* OpenBLAS in sessions. Its OpenMP build ($OPENBLAS) comes to us by its regions: the result is right and the session's
 * team has served, wherever and however it is called. A pthreads build comes by its callback: a stand-in
 * (openblas_standin.c), since few systems have one that offers it. Each test is a process of its own. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_abi.h"
#include "tenure.h"

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n, unsigned flags);

static tenure_session open_width(unsigned width)
{
    tenure_session s = {0};
    tenure_session_options o = {.size = sizeof o, .width = width};
    cr_assert_eq(tenure_session_open(&s, &o), 0);
    return s;
}

static uint64_t regions(tenure_session s)
{
    tenure_session_figures f = {.size = sizeof f};
    cr_assert_eq(tenure_session_info(s, &f), 0);
    return f.regions;
}

/* --- The OpenMP build */

enum { N = 192 };

static struct {
    void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
    double (*ddot)(int, const double *, int, const double *, int);
    void (*set_num_threads)(int);
    int (*get_num_threads)(void);
} blas;

static void *open_library(const char *path)
{
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    return library;
}

static void open_blas(void)
{
    void *library = open_library(getenv("OPENBLAS"));
    if (!library)
        cr_skip_test("no OpenBLAS (OPENBLAS is not set)");
    *(void **)&blas.dgemm = dlsym(library, "cblas_dgemm");
    *(void **)&blas.ddot = dlsym(library, "cblas_ddot");
    *(void **)&blas.set_num_threads = dlsym(library, "openblas_set_num_threads");
    *(void **)&blas.get_num_threads = dlsym(library, "openblas_get_num_threads");
    cr_assert(blas.dgemm && blas.ddot && blas.set_num_threads && blas.get_num_threads);
}

/* A product whose every element is known: A is i + 1 in row i, B is 1. */
static bool dgemm_right(void)
{
    double *a = malloc(3 * N * N * sizeof *a), *b = a + N * N, *c = b + N * N;
    bool right = true;
    for (int i = 0; i < N * N; i++)
        a[i] = i / N + 1, b[i] = 1, c[i] = NAN;
    blas.dgemm(101, 111, 111, N, N, N, 1, a, N, b, N, 0, c, N);
    for (int i = 0; i < N * N; i++)
        right &= c[i] == (double)N * (i / N + 1);
    free(a);
    return right;
}

static bool ddot_right(void)
{
    enum { LONG = 40000 };
    double *x = malloc(LONG * sizeof *x);
    for (int i = 0; i < LONG; i++)
        x[i] = i % 2 + 1;
    bool right = blas.ddot(LONG, x, 1, x, 1) == LONG / 2 * 5.0;
    free(x);
    return right;
}

Test(blas_openmp, widths_follow_the_session, .timeout = 120)
{
    open_blas();
    for (unsigned width = 1; width <= 5; width++) {
        tenure_session s = open_width(width);
        uint64_t before = regions(s);
        cr_expect(dgemm_right() && ddot_right());
        if (width > 1) { /* it makes nothing of a width of one: it asks, and stays serial */
            cr_expect_eq(blas.get_num_threads(), (int)width);
            cr_expect_gt(regions(s), before, "width %u: its team has served", width);
        }
        tenure_session_close(s);
    }
}

Test(blas_openmp, set_num_threads_in_between, .timeout = 120)
{
    open_blas();
    tenure_session s = open_width(2);
    cr_expect(dgemm_right());
    blas.set_num_threads(3);
    cr_expect_eq(omp_get_max_threads(), 3);
    cr_expect(dgemm_right() && ddot_right());
    cr_expect_eq(blas.get_num_threads(), 3);
    tenure_session inner = open_width(2);
    uint64_t before = regions(inner);
    cr_expect(dgemm_right());
    cr_expect_eq(blas.get_num_threads(), 2);
    cr_expect_gt(regions(inner), before);
    tenure_session_close(inner);
    tenure_session_close(s);
    cr_expect(dgemm_right());
}

/* All of one width: OpenBLAS keeps its width in a global, and with two of them hangs under any runtime (tenure.h). */
static void *calls(void *arg)
{
    for (int i = 0; i < 20; i++) {
        tenure_session s = open_width(3);
        cr_expect(dgemm_right() && ddot_right());
        tenure_session_close(s);
    }
    return arg;
}

Test(blas_openmp, several_threads_at_once, .timeout = 120)
{
    pthread_t t[4];
    open_blas();
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, calls, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

Test(blas_openmp, after_fork, .timeout = 120)
{
    open_blas();
    open_width(3);
    cr_expect(dgemm_right());
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            bool right = dgemm_right();
            tenure_session mine;
            tenure_session_options o = {.size = sizeof o, .width = 2};
            right = right && tenure_session_open(&mine, &o) == 0 && dgemm_right() && blas.get_num_threads() == 2;
            _exit(right ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        cr_expect_eq(status, 0);
        cr_expect(dgemm_right());
    }
    cr_expect_eq(blas.get_num_threads(), 3);
}

static void inside(void *arg)
{
    *(_Atomic int *)arg += dgemm_right();
}

Test(blas_openmp, inside_a_region, .timeout = 120)
{
    open_blas();
    tenure_session s = open_width(3);
    uint64_t before = regions(s);
    _Atomic int right = 0;
    GOMP_parallel(inside, &right, 0, 0);
    cr_expect_eq(right, 3);
    cr_expect_eq(regions(s), before + 1, "serial there: the region is our own");
}

/* --- A pthreads build with a callback */

static struct {
    int (*level3)(int);
    void (*level1)(void);
    int *parallel, *overlaps;
} standin;

static void open_standin(void)
{
    void *library = open_library(getenv("OPENBLAS_STANDIN"));
    if (!library)
        cr_skip_test("no stand-in (OPENBLAS_STANDIN is not set)");
    *(void **)&standin.level3 = dlsym(library, "standin_level3");
    *(void **)&standin.level1 = dlsym(library, "standin_level1");
    standin.parallel = dlsym(library, "standin_parallel");
    standin.overlaps = dlsym(library, "standin_overlaps");
}

Test(blas_pthreads, has_the_callback_while_a_session_is_open, .timeout = 60)
{
    tenure_session early = open_width(2);
    open_standin();
    cr_expect_eq(standin.level3(2), -1, "loaded after the session was opened");
    for (int i = 0; i < 3; i++) {
        tenure_session one = open_width(1);
        tenure_session_close(one);
        tenure_session s = open_width(3);
        cr_expect_eq(standin.level3(3), 1, "opened after it was loaded");
        tenure_session_close(s);
        cr_expect_eq(standin.level3(3), 1, "one is open still");
    }
    tenure_session_close(early);
    cr_expect_eq(standin.level3(3), -1, "the last is closed");
    early = open_width(2);
    cr_expect_eq(standin.level3(2), 1);
    tenure_session_close(early);
}

Test(blas_pthreads, an_openmp_build_is_left_alone)
{
    open_standin();
    *standin.parallel = 2;
    tenure_session s = open_width(2);
    cr_expect_eq(standin.level3(2), -1);
    tenure_session_close(s);
}

Test(blas_pthreads, jobs_run_on_the_team, .timeout = 60)
{
    open_standin();
    tenure_session s = open_width(4);
    unsigned spawned = tenure_spawned_workers();
    for (int i = 0; i < 50; i++)
        for (int jobs = 0; jobs <= 4; jobs++)
            cr_assert_eq(standin.level3(jobs), 1);
    cr_expect_eq(tenure_spawned_workers(), spawned);
    cr_expect_eq(regions(s), 50, "those of four jobs");
    cr_expect_eq(standin.level3(9), 1, "all at the same time, whatever the width");
}

static void level3_inside(void *arg)
{
    if (omp_get_thread_num() == 1)
        *(int *)arg = standin.level3(3);
}

/* OpenMP would run a nested region with one thread there: the jobs would wait for each other for ever. */
Test(blas_pthreads, all_jobs_at_once_inside_a_region_too, .timeout = 60)
{
    open_standin();
    tenure_session s = open_width(2);
    int result = 0;
    GOMP_parallel(level3_inside, &result, 2, 0);
    cr_expect_eq(result, 1);
    cr_expect_eq(omp_get_max_active_levels(), 1);
    tenure_session_close(s);
}

static void *one_job(void *arg)
{
    for (int i = 0; i < 500; i++)
        standin.level1();
    return arg;
}

Test(blas_pthreads, one_call_at_a_time, .timeout = 60)
{
    pthread_t t[4];
    open_standin();
    tenure_session s = open_width(2);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, one_job, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    cr_expect_eq(*standin.overlaps, 0);
    tenure_session_close(s);
}

Test(blas_pthreads, child_of_fork_has_no_callback, .timeout = 60)
{
    open_standin();
    tenure_session s = open_width(2);
    pid_t child = fork();
    if (child == 0) {
        bool right = standin.level3(2) == -1;
        tenure_session mine;
        tenure_session_options o = {.size = sizeof o, .width = 2};
        right = right && tenure_session_open(&mine, &o) == 0 && standin.level3(2) == 1 && tenure_session_close(mine) == 0;
        _exit(right && standin.level3(2) == -1 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    cr_expect_eq(status, 0);
    cr_expect_eq(standin.level3(2), 1);
    tenure_session_close(s);
}
