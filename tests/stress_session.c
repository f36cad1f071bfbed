/* SPDX-License-Identifier: MIT */
/* Sessions at random from 1 to 8 threads at once: widths, leases, nesting, closing in any order, pauses, forks, threads
 * that end with sessions open, a busy foreign thread. Ends after $STRESS_REGIONS regions (10000). Every region is counted
 * member by member; at the end threads and memory must not have grown. A failure prints the seed: $STRESS_SEED.
 * conform: tenure only
 * conform: width */
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A plain OpenMP program: the library comes by preload or in libgomp's place. */
#pragma weak tenure_session_open
#pragma weak tenure_session_run
#pragma weak tenure_session_for
#pragma weak tenure_session_pause
#pragma weak tenure_session_close
#pragma weak tenure_spawned_workers
#include "tenure.h"

#ifdef __SANITIZE_THREAD__ /* it cannot follow */
#define FORKS 0
#else
#define FORKS 1
#endif

enum { DEPTH = 4, WIDEST = 6, CALLERS = 8 };

static _Atomic long regions, wanted;
static _Atomic int foreign_stop;
static unsigned seed;

static _Noreturn void fault(const char *what)
{
    printf("FAULT %s (STRESS_SEED=%u, after %ld regions)\n", what, seed, (long)regions);
    fflush(stdout);
    _exit(1);
}

#define CHECK(x) ((x) ? (void)0 : fault(#x))

static unsigned below(unsigned *state, unsigned n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % n;
}

struct count {
    _Atomic int members[WIDEST + 1], total;
};

static void member(void *arg, int thread, int width)
{
    struct count *c = arg;
    CHECK(thread < width && width <= WIDEST);
    c->members[thread]++;
    c->total++;
}

static void piece(void *arg, int64_t lo, int64_t hi)
{
    *(_Atomic int64_t *)arg += hi - lo;
}

static void run(tenure_session s, unsigned width)
{
    struct count c = {.total = 0};
    CHECK(tenure_session_run(s, member, &c) == 0);
    CHECK(c.total == (int)width);
    for (unsigned i = 0; i < width; i++)
        CHECK(c.members[i] == 1);
}

static void region(unsigned n)
{
    int total = 0, expected = n ? (int)n : omp_get_max_threads();
#pragma omp parallel num_threads(expected) reduction(+ : total) if (n)
    total++;
    if (n == 0)
#pragma omp parallel reduction(+ : total)
        total++;
    CHECK(total == expected + (n == 0));
}

static tenure_session open_random(unsigned *state, unsigned width)
{
    static const uint64_t leases[] = {0, 1, 50000, 3000000};
    tenure_session s;
    tenure_session_options o = {.size = sizeof o, .width = width, .lease_ns = leases[below(state, 4)]};
    o.affinity = below(state, 4) ? TENURE_AFFINITY_DEFAULT : TENURE_AFFINITY_CALLER;
    o.flags = below(state, 8) ? 0 : TENURE_LEASE_UNTIL_CLOSE;
    CHECK(tenure_session_open(&s, &o) == 0);
    return s;
}

static void fork_once(unsigned *state, tenure_session parents)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(tenure_session_run(parents, member, NULL) == -ECHILD);
        for (int i = 0; i < 3; i++) {
            unsigned width = 1 + below(state, WIDEST);
            tenure_session s = open_random(state, width);
            run(s, width);
            region(0);
            CHECK(tenure_session_close(s) == 0);
        }
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Everything a thread does with its sessions, `steps` times. */
static void play(unsigned *state, int steps)
{
    tenure_session s[DEPTH];
    unsigned width[DEPTH], open = 0;
    while (steps-- > 0) {
        unsigned at = open ? below(state, open) : 0;
        switch (below(state, open ? 9 : 1)) {
        case 0:
            if (open == DEPTH)
                break;
            width[open] = 1 + below(state, WIDEST);
            s[open] = open_random(state, width[open]);
            CHECK(omp_get_max_threads() == (int)width[open]);
            open++;
            break;
        case 1: /* any of them; a handle that was counted is here twice */
            CHECK(tenure_session_close(s[at]) == 0);
            s[at] = s[--open];
            width[at] = width[open];
            break;
        case 2:
            region(0);
            break;
        case 3:
            region(1 + below(state, WIDEST));
            break;
        case 4: {
            _Atomic int64_t sum = 0;
            CHECK(tenure_session_for(s[at], 0, 100, below(state, 40), piece, &sum) == 0 && sum == 100);
            break;
        }
        case 5:
            CHECK(below(state, 4) || tenure_session_pause(s[at]) == 0);
            break;
        case 6:
            if (FORKS && below(state, 400) == 0)
                fork_once(state, s[at]);
            break;
        default:
            run(s[at], width[at]);
        }
        regions++;
    }
    while (open && below(state, 8)) /* some are left open: the thread's end closes them */
        CHECK(tenure_session_close(s[--open]) == 0);
}

struct caller {
    unsigned state;
};

static void *caller(void *arg)
{
    struct caller *c = arg;
    for (int i = 0; i < 4 && regions < wanted; i++)
        play(&c->state, 100);
    return NULL;
}

static void *foreign(void *arg)
{
    while (!foreign_stop)
        ;
    return arg;
}

static long status_of(const char *field)
{
    char line[256];
    long value = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && value < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, field, strlen(field)) == 0)
            value = atol(line + strlen(field) + 1);
    if (f)
        fclose(f);
    return value;
}

static void round_of_callers(unsigned *state)
{
    pthread_t thread[CALLERS], busy;
    struct caller c[CALLERS];
    unsigned callers = 1 + below(state, CALLERS);
    int load = below(state, 4) == 0;
    foreign_stop = 0;
    if (load)
        CHECK(pthread_create(&busy, NULL, foreign, NULL) == 0);
    for (unsigned i = 0; i < callers; i++) {
        c[i].state = below(state, 1u << 15);
        CHECK(pthread_create(&thread[i], NULL, caller, &c[i]) == 0);
    }
    for (unsigned i = 0; i < callers; i++)
        pthread_join(thread[i], NULL);
    foreign_stop = 1;
    if (load)
        pthread_join(busy, NULL);
}

int main(void)
{
    const char *count = getenv("STRESS_REGIONS"), *given = getenv("STRESS_SEED");
    long threads = 0, kb = 0, later_kb = 0;
    seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    wanted = count ? atol(count) : 10000;
    unsigned state = seed;
    while (regions < wanted) {
        bool early = regions < wanted / 2;
        round_of_callers(&state);
        threads = status_of("Threads:");
        long now = status_of("VmRSS:");
        *(early ? &kb : &later_kb) = now > *(early ? &kb : &later_kb) ? now : *(early ? &kb : &later_kb);
    }
    printf("%ld regions, %u workers started, %ld threads, %ld kB in the first half, %ld in the second\n", (long)regions,
           tenure_spawned_workers(), threads, kb, later_kb);
    CHECK(threads <= 1 + CALLERS * (WIDEST - 1));
    CHECK(wanted < 10000 || later_kb < kb + kb / 4 + 4096);
    return 0;
}
