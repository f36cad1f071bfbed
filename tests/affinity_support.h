/* SPDX-License-Identifier: MIT */
/* What the tests of masks share: the sets of this machine, and the sets the members of a region ran under. On the shared object, as
 * a program finds it; each test is a process of its own. Needs two processors. */
#ifndef AFFINITY_SUPPORT_H
#define AFFINITY_SUPPORT_H

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_abi.h"
#include "tenure.h"

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n, unsigned flags);
extern char **environ;

#define WIDTH 3
static cpu_set_t all, first, second;

/* The sets the members of one region ran under, and their thread ids. */
struct seen {
    cpu_set_t set[WIDTH];
    pid_t tid[WIDTH];
    const cpu_set_t *pin; /* members 1 and up set this themselves first; NULL: nothing */
    int pin_all;          /* member 0 too */
};

static void look(void *arg)
{
    struct seen *s = arg;
    int me = omp_get_thread_num();
    if (s->pin && (me > 0 || s->pin_all))
        sched_setaffinity(0, sizeof *s->pin, s->pin);
    sched_getaffinity(0, sizeof s->set[me], &s->set[me]);
    s->tid[me] = (pid_t)syscall(SYS_gettid);
}

static struct seen region(const cpu_set_t *pin, int pin_all)
{
    struct seen s = {.pin = pin, .pin_all = pin_all};
    GOMP_parallel(look, &s, WIDTH, 0);
    return s;
}

static void set_mine(const cpu_set_t *set)
{
    cr_assert_eq(sched_setaffinity(0, sizeof *set, set), 0);
}

#define EXPECT_WORKERS(s, want)                                                            \
    for (int i_ = 1; i_ < WIDTH; i_++)                                                     \
    cr_expect(CPU_EQUAL(&(s).set[i_], &(want)), "worker %d has another set (line %d)", i_, __LINE__)

static int find_two(void)
{
    sched_getaffinity(0, sizeof all, &all);
    int n = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, n++ == 0 ? &first : &second);
    return n;
}

static void two_processors(void)
{
    if (find_two() < 2)
        cr_skip_test("needs two processors");
    cr_assert(tenure_is_active());
}

#endif
