/* SPDX-License-Identifier: MIT */
/* Sessions at work: splitting ranges, staying awake and sleeping, several at once, limits, affinity, the example that
 * tenure.h shows. Each test is a process of its own. */
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "omp_abi.h"
#include "tenure.h"

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n, unsigned flags);
void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned limit, unsigned flags);

static tenure_session open_with(tenure_session_options o)
{
    tenure_session s = {0};
    o.size = sizeof o;
    cr_assert_eq(tenure_session_open(&s, &o), 0);
    return s;
}

static tenure_session_figures figures(tenure_session s)
{
    tenure_session_figures f = {.size = sizeof f};
    cr_assert_eq(tenure_session_info(s, &f), 0);
    return f;
}

static void nothing(void *arg, int thread, int width)
{
    (void)arg, (void)thread, (void)width;
}

/* --- tenure_session_for */

struct range {
    int64_t begin, end, grain;
    _Atomic uint64_t covered;
    _Atomic int pieces, strange;
    _Atomic char *hit; /* [end - begin], or NULL */
};

static void piece(void *arg, int64_t lo, int64_t hi)
{
    struct range *r = arg;
    r->pieces++;
    r->covered += (uint64_t)hi - (uint64_t)lo;
    if (lo >= hi || lo < r->begin || hi > r->end)
        r->strange = 1;
    if (r->grain > 0 && (uint64_t)hi - (uint64_t)lo < (uint64_t)r->grain && !(lo == r->begin && hi == r->end))
        r->strange = 1;
    for (int64_t i = lo; r->hit && i < hi; i++)
        r->hit[i - r->begin]++;
}

Test(session_for, covers_every_index_once)
{
    static _Atomic char hit[1000];
    tenure_session s = open_with((tenure_session_options){.width = 4});
    for (int64_t n = 1; n <= 1000; n = n * 3 + 1)
        for (int64_t grain = 0; grain <= 400; grain = grain * 2 + 1) {
            struct range r = {.begin = -5, .end = n - 5, .grain = grain, .hit = hit};
            memset((char *)hit, 0, sizeof hit);
            cr_assert_eq(tenure_session_for(s, r.begin, r.end, grain, piece, &r), 0);
            for (int64_t i = 0; i < n; i++)
                cr_assert_eq(hit[i], 1, "n %d, grain %d, index %d", (int)n, (int)grain, (int)i);
            cr_assert_eq(r.strange, 0);
            cr_assert(grain || r.pieces == (n < 4 ? n : 4));
        }
}

Test(session_for, ranges_at_the_ends_of_the_type)
{
    tenure_session s = open_with((tenure_session_options){.width = 3});
    struct range all = {.begin = INT64_MIN, .end = INT64_MAX, .grain = INT64_MAX / 7}, none = {.begin = 5, .end = 5};
    cr_expect_eq(tenure_session_for(s, all.begin, all.end, all.grain, piece, &all), 0);
    cr_expect_eq(all.covered, UINT64_MAX);
    cr_expect_eq(all.strange, 0);
    cr_expect_eq(tenure_session_for(s, none.begin, none.end, 0, piece, &none), 0);
    cr_expect_eq(none.pieces, 0, "an empty range calls nothing");
    cr_expect_eq(tenure_session_for(s, 1, 0, 0, piece, &none), -EINVAL);
    cr_expect_eq(tenure_session_for(s, 0, 1, -1, piece, &none), -EINVAL);
    cr_expect_eq(tenure_session_for(s, 0, 1, 0, NULL, &none), -EINVAL);
}

/* --- Staying awake */

static void nap(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Ends when a member has gone to sleep after a region: by the test's timeout, if none ever does. */
static void expect_sleep(tenure_session s)
{
    for (uint64_t before = figures(s).sleeps; figures(s).sleeps == before;) {
        tenure_session_run(s, nothing, NULL);
        nap(20);
    }
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The naps are ten times what a worker stays awake of its own account. One that took longer than the lease says nothing. The
 * first region wakes a worker that went to sleep while the session was being opened. */
static void expect_no_sleep(tenure_session s, uint64_t lease_ns)
{
    for (int good = 0; good < 5;) {
        tenure_session_run(s, nothing, NULL);
        uint64_t sleeps = figures(s).sleeps, wakes = figures(s).wakes, start = now_ns();
        tenure_session_run(s, nothing, NULL);
        nap(20);
        tenure_session_figures after = figures(s);
        if (now_ns() - start > lease_ns)
            continue;
        good++;
        cr_expect_eq(after.sleeps, sleeps);
        cr_expect_eq(after.wakes, wakes);
    }
}

Test(session_lease, members_stay_awake, .timeout = 60)
{
    tenure_session s = open_with((tenure_session_options){.width = 2, .lease_ns = TENURE_LEASE_MAX_NS});
    expect_no_sleep(s, TENURE_LEASE_MAX_NS);
    cr_expect_geq(figures(s).spins, 5);
}

Test(session_lease, ends, .timeout = 60)
{
    tenure_session s = open_with((tenure_session_options){.width = 2, .lease_ns = 1});
    expect_sleep(s);
    cr_expect_gt(figures(s).wakes + figures(s).sleeps, 0);
}

Test(session_lease, pause_ends_it_early, .timeout = 60)
{
    tenure_session s = open_with((tenure_session_options){.width = 2, .flags = TENURE_LEASE_UNTIL_CLOSE});
    for (int i = 0; i < 3; i++) {
        tenure_session_run(s, nothing, NULL);
        uint64_t before = figures(s).sleeps;
        nap(20);
        cr_expect_eq(figures(s).sleeps, before);
        cr_assert_eq(tenure_session_pause(s), 0);
        while (figures(s).sleeps == before)
            sched_yield();
    }
}

Test(session_lease, the_longest_open_holds, .timeout = 60)
{
    tenure_session brief = open_with((tenure_session_options){.width = 2, .lease_ns = 1});
    tenure_session lasting = open_with((tenure_session_options){.width = 3, .flags = TENURE_LEASE_UNTIL_CLOSE});
    tenure_session briefer = open_with((tenure_session_options){.width = 2, .lease_ns = 1});
    expect_no_sleep(briefer, UINT64_MAX);
    tenure_session_close(lasting);
    expect_sleep(briefer);
    lasting = open_with((tenure_session_options){.width = 3, .flags = TENURE_LEASE_UNTIL_CLOSE});
    tenure_session_close(brief);
    tenure_session_close(briefer);
    briefer = open_with((tenure_session_options){.width = 2, .lease_ns = 1});
    tenure_session_close(lasting);
    expect_sleep(briefer);
}

/* --- Several at once */

struct caller {
    pthread_barrier_t *all_open;
    pthread_t member[3];
};

static void note_self(void *arg, int thread, int width)
{
    (void)width;
    ((pthread_t *)arg)[thread] = pthread_self();
}

static void *caller(void *arg)
{
    struct caller *c = arg;
    tenure_session s = open_with((tenure_session_options){.width = 3});
    pthread_barrier_wait(c->all_open);
    tenure_session_run(s, note_self, c->member);
    pthread_barrier_wait(c->all_open);
    cr_expect_eq(tenure_session_close(s), 0);
    return NULL;
}

Test(session_several, have_disjoint_workers, .timeout = 60)
{
    enum { CALLERS = 6 };
    struct caller c[CALLERS];
    pthread_t thread[CALLERS];
    pthread_barrier_t all_open;
    pthread_barrier_init(&all_open, NULL, CALLERS);
    for (int i = 0; i < CALLERS; i++) {
        c[i].all_open = &all_open;
        pthread_create(&thread[i], NULL, caller, &c[i]);
    }
    for (int i = 0; i < CALLERS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 3 * CALLERS; i++)
        for (int k = 0; k < i; k++)
            cr_expect(!pthread_equal(c[i / 3].member[i % 3], c[k / 3].member[k % 3]), "%d and %d are one thread", i, k);
}

static void count_members(void *arg)
{
    (*(_Atomic int *)arg)++;
}

/* --- Another caller's idle workers */

static void *wide_caller(void *unused)
{
    _Atomic int count = 0;
    GOMP_parallel(count_members, &count, 4, 0);
    cr_expect_eq(count, 4);
    return unused;
}

/* The workers that a session took from the cache still look at the team of their last caller until a region moves them
 * on. Opening is not one: that team must outlive the next decision too. What is freed is overwritten, to be seen. */
Test(session_takes_idle_workers, and_narrower_ones_come_before_its_first_region, .timeout = 60)
{
    enum { BLOCKS = 50 };
    for (int round = 0; round < 200; round++) {
        pthread_t other;
        void *block[BLOCKS];
        _Atomic int count = 0;
        GOMP_parallel(count_members, &count, 2, 0);
        pthread_create(&other, NULL, wide_caller, NULL);
        pthread_join(other, NULL);
        tenure_session wide = open_with((tenure_session_options){.width = 5});
        tenure_session narrow = open_with((tenure_session_options){.width = 3});
        for (size_t i = 0; i < BLOCKS; i++)
            block[i] = memset(malloc(64 + i * 64), 0xff, 64 + i * 64);
        GOMP_parallel(count_members, &count, 3, 0);
        cr_expect_eq(count, 5);
        for (size_t i = 0; i < BLOCKS; i++)
            free(block[i]);
        tenure_session_close(narrow);
        tenure_session_close(wide);
        omp_pause_resource_all(2);
    }
}

/* --- Limits */

static void under_limit(void *arg)
{
    (void)arg;
    cr_assert_eq(omp_get_thread_limit(), 3);
    for (int i = 0; i < 100; i++) {
        tenure_session s = open_with((tenure_session_options){.width = 8}), again;
        cr_assert_eq(figures(s).width, 3);
        cr_assert_eq(omp_get_max_threads(), 3);
        again = open_with((tenure_session_options){.width = 8});
        cr_assert_eq(again.id, s.id);
        _Atomic int count = 0;
        GOMP_parallel(count_members, &count, 0, 0);
        cr_assert_eq(count, 3);
        tenure_session_close(s);
        tenure_session_close(s);
    }
    cr_expect_eq(tenure_spawned_workers(), 2);
}

Test(session_limits, thread_limit_holds_and_is_given_back)
{
    GOMP_teams_reg(under_limit, NULL, 1, 3, 0); /* as OMP_THREAD_LIMIT=3 would */
}

Test(session_limits, width_one_has_no_worker)
{
    tenure_session s = open_with((tenure_session_options){.width = 1});
    _Atomic int ran = 0;
    pthread_t self[1];
    cr_expect_eq(omp_get_max_threads(), 1);
    tenure_session_run(s, note_self, self);
    cr_expect(pthread_equal(self[0], pthread_self()));
    GOMP_parallel(count_members, &ran, 0, 0);
    cr_expect_eq(ran, 1);
    cr_expect_eq(figures(s).regions, 1, "runs of the session; the region is nobody's team");
    cr_expect_eq(tenure_spawned_workers(), 0);
}

/* --- Affinity */

static void note_set(void *arg, int thread, int width)
{
    (void)width;
    pthread_getaffinity_np(pthread_self(), sizeof(cpu_set_t), (cpu_set_t *)arg + thread);
}

Test(session_affinity, callers_set_when_asked)
{
    cpu_set_t all, one, seen[3];
    sched_getaffinity(0, sizeof all, &all);
    if (CPU_COUNT(&all) < 2)
        cr_skip_test("wants two processors");
    tenure_session s = open_with((tenure_session_options){.width = 3});
    tenure_session_run(s, note_set, seen);
    tenure_session_close(s);
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
    s = open_with((tenure_session_options){.width = 3});
    tenure_session_run(s, note_set, seen);
    cr_expect(CPU_EQUAL(&seen[1], &all), "who pins itself does not mean its workers");
    tenure_session_close(s);
    s = open_with((tenure_session_options){.width = 3, .affinity = TENURE_AFFINITY_CALLER});
    tenure_session_run(s, note_set, seen);
    cr_expect(CPU_EQUAL(&seen[1], &one) && CPU_EQUAL(&seen[2], &one), "unless it says so");
}

/* --- The example of tenure.h, with a BLAS of our own */

struct vec {
    double *x, a;
    long n;
};

static void dscal_member(void *data)
{
    struct vec *v = data;
    for (long i = omp_get_thread_num(); i < v->n; i += omp_get_num_threads())
        v->x[i] *= v->a;
}

/* In place of cblas_dgemm and cblas_dgemv: a library's own region. */
static void blas(struct vec *v)
{
    GOMP_parallel(dscal_member, v, 0, 0);
}

static void scale(void *arg, int thread, int width)
{
    struct vec *v = arg;
    for (long i = thread; i < v->n; i += width)
        v->x[i] *= v->a;
}

Test(session_example, of_the_header, .timeout = 60)
{
    static double x[1000];
    struct vec v = {x, 2, 1000};
    for (int i = 0; i < 1000; i++)
        x[i] = i;
    tenure_session s;
    tenure_session_options o = {.size = sizeof o, .width = 4, .lease_ns = 2000000};
    cr_assert_eq(tenure_session_open(&s, &o), 0);
    blas(&v);
    cr_expect_eq(tenure_session_run(s, scale, &v), 0);
    cr_expect_eq(tenure_session_pause(s), 0);
    nap(1);
    blas(&v);
    cr_expect_eq(figures(s).regions, 3);
    cr_expect_eq(tenure_session_close(s), 0);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(x[i], 8.0 * i);
}
