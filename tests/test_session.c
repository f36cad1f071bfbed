/* SPDX-License-Identifier: MIT */
/* The rules of tenure.h, one test each, on the shared object as a program finds it. Each test is a process of its own. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "omp_abi.h"
#include "tenure.h"

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n, unsigned flags);

enum { MOST = 64 };

/* What a call of tenure_session_run saw. */
struct seen {
    _Atomic int calls[MOST];
    _Atomic int width, strange;
    pthread_t self[MOST];
};

static void member(void *arg, int thread, int width)
{
    struct seen *s = arg;
    if (thread < 0 || thread >= MOST || thread != omp_get_thread_num() || width != omp_get_num_threads()) {
        s->strange = 1;
        return;
    }
    s->calls[thread]++;
    s->width = width;
    s->self[thread] = pthread_self();
}

static void expect_run(tenure_session s, int width)
{
    struct seen seen = {.width = 0};
    cr_assert_eq(tenure_session_run(s, member, &seen), 0);
    cr_expect_eq(seen.width, width);
    cr_expect_eq(seen.strange, 0);
    for (int i = 0; i < MOST; i++)
        cr_expect_eq(seen.calls[i], i < width, "thread %d ran %d times", i, seen.calls[i]);
    cr_expect(pthread_equal(seen.self[0], pthread_self()), "thread 0 is the caller");
}

static tenure_session open_width(unsigned width)
{
    tenure_session s = {0};
    tenure_session_options o = {.size = sizeof o, .width = width};
    cr_assert_eq(tenure_session_open(&s, &o), 0);
    return s;
}

static tenure_session_figures figures(tenure_session s)
{
    tenure_session_figures f = {.size = sizeof f};
    cr_assert_eq(tenure_session_info(s, &f), 0);
    return f;
}

static void count_members(void *arg)
{
    (*(_Atomic int *)arg)++;
}

static int region_width(unsigned n)
{
    _Atomic int count = 0;
    GOMP_parallel(count_members, &count, n, 0);
    return count;
}

Test(session, defaults)
{
    int usual = omp_get_max_threads();
    tenure_session s;
    cr_assert_eq(tenure_session_open(&s, NULL), 0);
    expect_run(s, usual);
    cr_expect_eq(figures(s).width, (unsigned)usual);
    cr_expect_eq(tenure_session_close(s), 0);
}

Test(session, refuses_bad_arguments)
{
    tenure_session s = {77};
    tenure_session_options good = {.size = sizeof good}, o;
    tenure_host_pool hollow = {0};
    unsigned before = tenure_spawned_workers();
    cr_expect_eq(tenure_session_open(NULL, NULL), -EINVAL);
    o = good, o.size = 0;
    cr_expect_eq(tenure_session_open(&s, &o), -EINVAL);
    o = good, o.width = 65536;
    cr_expect_eq(tenure_session_open(&s, &o), -EINVAL);
    o = good, o.affinity = 4;
    cr_expect_eq(tenure_session_open(&s, &o), -EINVAL);
    o = good, o.flags = 2;
    cr_expect_eq(tenure_session_open(&s, &o), -EINVAL);
    o = good, o.lease_ns = TENURE_LEASE_MAX_NS + 1;
    cr_expect_eq(tenure_session_open(&s, &o), -EINVAL);
    o = good, o.host_pool = &hollow;
    cr_expect_eq(tenure_session_open(&s, &o), -EINVAL);
    cr_expect_eq(s.id, 77, "nothing has changed");
    cr_expect_eq(tenure_spawned_workers(), before);
    cr_expect_eq(tenure_session_run((tenure_session){0}, member, NULL), -EINVAL);
    cr_expect_eq(tenure_session_run((tenure_session){UINT64_MAX}, member, NULL), -EINVAL);
    s = open_width(2);
    cr_expect_eq(tenure_session_run(s, NULL, NULL), -EINVAL);
    cr_expect_eq(tenure_session_info(s, NULL), -EINVAL);
    cr_expect_eq(tenure_session_for(s, 1, 0, 0, NULL, NULL), -EINVAL);
}

Test(session, structs_of_another_size)
{
    struct {
        tenure_session_options o;
        char newer[64];
    } grown = {.o = {.size = sizeof grown, .width = 3}};
    tenure_session_options older = {.size = offsetof(tenure_session_options, lease_ns), .width = 2, .lease_ns = UINT64_MAX};
    tenure_session_figures f = {.size = offsetof(tenure_session_figures, regions), .regions = 77};
    tenure_session s;
    cr_assert_eq(tenure_session_open(&s, &grown.o), 0);
    cr_expect_eq(figures(s).width, 3);
    cr_assert_eq(tenure_session_open(&s, &older), 0, "what lies beyond its size is not looked at");
    cr_assert_eq(tenure_session_info(s, &f), 0);
    cr_expect_eq(f.width, 2);
    cr_expect_eq(f.regions, 77, "filled up to its size");
    f.size = 0;
    cr_expect_eq(tenure_session_info(s, &f), -EINVAL);
}

Test(session, width_is_the_default_while_open)
{
    omp_set_num_threads(5);
    tenure_session s = open_width(3);
    cr_expect_eq(omp_get_max_threads(), 3);
    cr_expect_eq(region_width(0), 3);
    cr_expect_eq(region_width(4), 4, "other widths work as ever");
    expect_run(s, 3);
    cr_expect_eq(figures(s).regions, 2, "the default region and the run");
    tenure_session_close(s);
    cr_expect_eq(omp_get_max_threads(), 5);
    cr_expect_eq(region_width(0), 5);
}

Test(session, what_the_program_sets_stays)
{
    tenure_session s = open_width(3);
    omp_set_num_threads(6);
    cr_expect_eq(region_width(0), 6);
    expect_run(s, 3);
    tenure_session_close(s);
    cr_expect_eq(omp_get_max_threads(), 6);
}

Test(session, same_width_is_counted)
{
    tenure_session s = open_width(4), again;
    unsigned spawned = tenure_spawned_workers();
    for (int i = 0; i < 3; i++) {
        again = open_width(4);
        cr_expect_eq(again.id, s.id);
    }
    cr_expect_eq(figures(s).opens, 4);
    cr_expect_eq(figures(s).regions, 0, "no dispatch");
    cr_expect_eq(tenure_spawned_workers(), spawned);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(tenure_session_close(s), 0);
    cr_expect_eq(omp_get_max_threads(), 4);
    expect_run(s, 4);
    cr_expect_eq(tenure_session_close(s), 0);
}

Test(session, closed_is_closed)
{
    for (unsigned width = 1; width < 4; width += 2) {
        tenure_session s = open_width(width), next;
        cr_expect_eq(tenure_session_close(s), 0);
        next = open_width(width);
        cr_expect_neq(next.id, s.id);
        cr_expect_eq(tenure_session_close(s), -EINVAL);
        cr_expect_eq(tenure_session_run(s, member, NULL), -EINVAL);
        cr_expect_eq(tenure_session_pause(s), -EINVAL);
        cr_expect_eq(tenure_session_info(s, &(tenure_session_figures){.size = 8}), -EINVAL);
        cr_expect_eq(tenure_session_for(s, 0, 1, 0, NULL, NULL), -EINVAL);
        cr_expect_eq(tenure_session_close(next), 0);
    }
}

Test(session, widths_within_widths_closed_in_any_order)
{
    for (int order = 0; order < 6; order++) {
        static const int closes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        omp_set_num_threads(7);
        tenure_session s[3] = {open_width(4), open_width(2), open_width(3)};
        bool open[3] = {true, true, true};
        expect_run(s[0], 4);
        expect_run(s[1], 2);
        expect_run(s[2], 3);
        for (int i = 0; i < 3; i++) {
            cr_expect_eq(tenure_session_close(s[closes[order][i]]), 0);
            open[closes[order][i]] = false;
            int left = open[2] ? 3 : open[1] ? 2 : open[0] ? 4 : 7;
            cr_expect_eq(omp_get_max_threads(), left, "order %d, %d closed", order, i + 1);
            tenure_session other = open_width(8); /* whose object is one of the closed */
            expect_run(other, 8);
            tenure_session_close(other);
            cr_expect_eq(omp_get_max_threads(), left);
        }
    }
}

static void open_inside(void *arg)
{
    int expected = *(int *)arg;
    tenure_session s = open_width(3), again = open_width(3);
    cr_expect_eq(s.id, again.id);
    expect_run(s, expected);
    cr_expect_eq(omp_get_max_threads(), expected);
    tenure_session_close(s);
    tenure_session_close(s);
}

Test(session, inside_a_region)
{
    int expected = 1;
    GOMP_parallel(open_inside, &expected, 2, 0);
    omp_set_max_active_levels(2);
    expected = 3;
    GOMP_parallel(open_inside, &expected, 2, 0);
}

static void close_it(void *arg)
{
    if (omp_get_thread_num() == 0)
        cr_expect_eq(tenure_session_close(*(tenure_session *)arg), 0);
}

Test(session, closed_from_inside_its_own_region)
{
    omp_set_num_threads(5);
    tenure_session s = open_width(3);
    GOMP_parallel(close_it, &s, 0, 0);
    cr_expect_eq(omp_get_max_threads(), 5);
    cr_expect_eq(tenure_session_close(s), -EINVAL);
}

static void *foreign(void *arg)
{
    tenure_session s = *(tenure_session *)arg;
    cr_expect_eq(tenure_session_run(s, member, NULL), -EPERM);
    cr_expect_eq(tenure_session_for(s, 0, 1, 0, NULL, NULL), -EPERM);
    cr_expect_eq(tenure_session_pause(s), -EPERM);
    cr_expect_eq(tenure_session_info(s, &(tenure_session_figures){.size = 8}), -EPERM);
    cr_expect_eq(tenure_session_close(s), -EPERM);
    return NULL;
}

Test(session, belongs_to_its_thread)
{
    tenure_session s = open_width(2);
    pthread_t t;
    pthread_create(&t, NULL, foreign, &s);
    pthread_join(t, NULL);
    expect_run(s, 2);
}

Test(session, child_of_fork, .timeout = 60)
{
    omp_set_num_threads(5);
    tenure_session s = open_width(3);
    expect_run(s, 3);
    pid_t child = fork();
    if (child == 0) {
        bool right = tenure_session_run(s, member, NULL) == -ECHILD && tenure_session_close(s) == -ECHILD &&
                     tenure_session_pause(s) == -ECHILD && omp_get_max_threads() == 5;
        tenure_session mine;
        tenure_session_options o = {.size = sizeof o, .width = 4};
        struct seen seen = {.width = 0};
        right = right && tenure_session_open(&mine, &o) == 0 && tenure_session_run(mine, member, &seen) == 0 &&
                seen.width == 4 && tenure_session_close(mine) == 0 && tenure_session_close(mine) == -EINVAL;
        _exit(right ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    cr_expect_eq(status, 0);
    expect_run(s, 3);
    cr_expect_eq(tenure_session_close(s), 0);
}

static void *leave_open(void *arg)
{
    tenure_session_options o = {.size = sizeof o, .width = 3, .flags = TENURE_LEASE_UNTIL_CLOSE};
    tenure_session s;
    cr_expect_eq(tenure_session_open(&s, &o), 0);
    expect_run(s, 3);
    *(tenure_session *)arg = s;
    return NULL;
}

Test(session, thread_ends_with_it_open, .timeout = 60)
{
    tenure_session s = {0}, before = {0};
    for (int i = 0; i < 300; i++) {
        pthread_t t;
        pthread_create(&t, NULL, leave_open, &s);
        pthread_join(t, NULL);
        cr_expect_eq(tenure_session_close(s), -EINVAL);
        cr_expect(i == 0 || (s.id & 0xfffff) == (before.id & 0xfffff), "the object serves the next thread");
        before = s;
    }
    cr_expect_eq(tenure_spawned_workers(), 2, "and so do the workers");
    s = open_width(3); /* takes these workers: the lease of the thread that ended is gone */
    while (figures(s).sleeps == 0) {
        expect_run(s, 3);
        nanosleep(&(struct timespec){.tv_nsec = 2 * TENURE_LEASE_DEFAULT_NS}, NULL);
    }
}

static void keep_open(void *arg)
{
    if (omp_get_thread_num() == 1)
        *(tenure_session *)arg = open_width(1);
}

Test(session, worker_ends_with_it_open)
{
    tenure_session s = {0};
    GOMP_parallel(keep_open, &s, 2, 0);
    cr_expect_eq(tenure_session_close(s), -EPERM);
    omp_pause_resource_all(2);
    cr_expect_eq(tenure_alive_workers(), 0);
    cr_expect_eq(tenure_session_close(s), -EINVAL);
}

Test(session, resources_cannot_be_taken_from_it)
{
    tenure_session s = open_width(3);
    omp_pause_resource_all(2);
    cr_expect_eq(tenure_alive_workers(), 2);
    expect_run(s, 3);
    tenure_session_close(s);
    omp_pause_resource_all(2);
    cr_expect_eq(tenure_alive_workers(), 0);
    s = open_width(3);
    expect_run(s, 3);
}
