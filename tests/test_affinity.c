/* SPDX-License-Identifier: MIT */
/* Which CPUs workers run on when nobody asked for places, and what programs started from a bound thread inherit. On the
 * shared object, as a program finds it; each test is a process of its own. Needs two processors. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
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

TestSuite(affinity, .init = two_processors, .timeout = 60);

Test(affinity, a_set_that_grew_is_followed)
{
    set_mine(&first);
    struct seen s = region(NULL, 0);
    EXPECT_WORKERS(s, first);
    set_mine(&all);
    s = region(NULL, 0);
    EXPECT_WORKERS(s, all);
}

Test(affinity, a_set_that_shrank_is_not)
{
    struct seen s = region(NULL, 0);
    EXPECT_WORKERS(s, all);
    set_mine(&second);
    s = region(NULL, 0);
    cr_expect(CPU_EQUAL(&s.set[0], &second));
    EXPECT_WORKERS(s, all);
    set_mine(&all);
    s = region(NULL, 0);
    EXPECT_WORKERS(s, all);
}

Test(affinity, what_a_worker_chose_is_left_alone)
{
    set_mine(&first);
    region(&second, 0);
    set_mine(&all);
    struct seen s = region(NULL, 0);
    EXPECT_WORKERS(s, second);
}

Test(affinity, everybody_pins_itself)
{
    region(&first, 1);
    struct seen s = region(NULL, 0);
    cr_expect(CPU_EQUAL(&s.set[0], &first));
    EXPECT_WORKERS(s, first);
    set_mine(&all); /* the caller alone, from outside: the others keep what they chose */
    s = region(NULL, 0);
    EXPECT_WORKERS(s, first);
}

static void only_caller(void *arg)
{
    if (omp_get_thread_num() == 0)
        look(arg);
}

Test(affinity, a_caller_that_pins_itself_inside_says_nothing_about_others)
{
    struct seen s = {.pin = &second, .pin_all = 1};
    set_mine(&first);
    region(NULL, 0);
    GOMP_parallel(only_caller, &s, WIDTH, 0);
    s = region(NULL, 0);
    EXPECT_WORKERS(s, first);
}

Test(affinity, a_worker_pinned_from_outside_the_region)
{
    set_mine(&first);
    struct seen s = region(NULL, 0);
    cr_assert_eq(sched_setaffinity(s.tid[1], sizeof second, &second), 0);
    set_mine(&all);
    s = region(NULL, 0);
    cr_expect(CPU_EQUAL(&s.set[1], &second));
    cr_expect(CPU_EQUAL(&s.set[2], &all));
}

struct caller {
    const cpu_set_t *set;
    struct seen seen;
};

static void *call(void *arg)
{
    struct caller *c = arg;
    set_mine(c->set);
    c->seen = region(NULL, 0);
    return NULL;
}

static struct seen from_thread(const cpu_set_t *set)
{
    struct caller c = {.set = set};
    pthread_t t;
    cr_assert_eq(pthread_create(&t, NULL, call, &c), 0);
    pthread_join(t, NULL);
    return c.seen;
}

Test(affinity, a_crew_taken_over_follows_its_new_caller)
{
    struct seen s = from_thread(&all);
    EXPECT_WORKERS(s, all);
    unsigned started = tenure_spawned_workers();
    s = from_thread(&first);
    EXPECT_WORKERS(s, first);
    s = from_thread(&all);
    EXPECT_WORKERS(s, all);
    cr_expect_eq(tenure_spawned_workers(), started, "the same workers");
}

/* A worker's sleep is what lets a change from outside be seen. */
static void wait_until_asleep(pid_t tid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    for (char state = 'R'; state != 'S'; sched_yield()) {
        FILE *f = fopen(path, "r");
        cr_assert(f && fgets(text, sizeof text, f));
        fclose(f);
        state = strrchr(text, ')')[2];
    }
}

static void set_unseen(pid_t tid, const cpu_set_t *set) /* as another process would */
{
    cr_assert_eq(syscall(SYS_sched_setaffinity, tid, sizeof *set, set), 0);
}

Test(affinity, taskset_from_outside)
{
    set_mine(&first);
    struct seen s = region(NULL, 0);
    EXPECT_WORKERS(s, first);
    wait_until_asleep(s.tid[1]);
    set_unseen(0, &all);
    region(NULL, 0); /* here it is noticed */
    s = region(NULL, 0);
    EXPECT_WORKERS(s, all);
    for (int i = 1; i < WIDTH; i++)
        wait_until_asleep(s.tid[i]);
    for (int i = 0; i < WIDTH; i++) /* taskset -a -p */
        set_unseen(i ? s.tid[i] : 0, &second);
    region(NULL, 0);
    s = region(NULL, 0);
    EXPECT_WORKERS(s, second);
}

/* Asleep it keeps off its caller's processor (steer.h): a set of the program's that looks the same is none the less its own. */
static pid_t tid_of[64];

static void tell_tid(void *unused)
{
    (void)unused;
    tid_of[omp_get_thread_num()] = (pid_t)syscall(SYS_gettid);
}

/* Of twice as many members as processors the last worker sleeps so that it wakes on its caller's processor, the others off it; or, where
 * strangers keep the processors busy, with its whole set. */
Test(affinity, a_crowded_team_sleeps_evenly)
{
    int procs = CPU_COUNT(&all), width = 2 * procs, even = 0;
    if (width > 64)
        cr_skip_test("more than 32 processors");
    for (int turn = 0; turn < 20; turn++) {
        cpu_set_t set, caller, one;
        GOMP_parallel(tell_tid, NULL, (unsigned)width, 0);
        wait_until_asleep(tid_of[width - 1]);
        sched_getaffinity(tid_of[width - 1], sizeof caller, &caller);
        if (CPU_EQUAL(&caller, &all))
            continue;
        even++;
        cr_expect_eq(CPU_COUNT(&caller), 1, "the last worker sleeps with %d processors", CPU_COUNT(&caller));
        for (int i = 1; i < width - 1; i++) {
            wait_until_asleep(tid_of[i]);
            sched_getaffinity(tid_of[i], sizeof set, &set);
            CPU_AND(&one, &set, &caller);
            cr_expect(CPU_EQUAL(&set, &all) || (CPU_COUNT(&one) == 0 && CPU_COUNT(&set) == procs - 1), "worker %d of %d", i, width);
        }
    }
    if (!even)
        cr_skip_test("the machine is busy");
}

static pthread_barrier_t turns;
enum { TURNS = 20 };

static void *other_caller(void *unused)
{
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_barrier_wait(&turns);
        region(NULL, 0);
        pthread_barrier_wait(&turns);
    }
    return unused;
}

/* Where several callers are at work, the processor that is not the waker's is not free either: nobody is sent there. (Not in every
 * turn: the other's region may have been too short to be waited for, or too long ago.) */
Test(affinity, workers_of_several_callers_sleep_with_their_whole_set)
{
    pthread_t other;
    int whole = 0;
    pthread_barrier_init(&turns, NULL, 2);
    cr_assert_eq(pthread_create(&other, NULL, other_caller, NULL), 0);
    for (int turn = 0; turn < TURNS; turn++) {
        cpu_set_t set;
        pthread_barrier_wait(&turns);
        pthread_barrier_wait(&turns);
        struct seen s = region(NULL, 0);
        wait_until_asleep(s.tid[1]);
        sched_getaffinity(s.tid[1], sizeof set, &set);
        whole += CPU_EQUAL(&set, &all);
    }
    pthread_join(other, NULL);
    cr_expect_gt(whole, 0);
}

Test(affinity, sleeping_workers_pinned_by_the_program)
{
    struct seen s = region(NULL, 0);
    for (int i = 1; i < WIDTH; i++)
        wait_until_asleep(s.tid[i]);
    cr_assert_eq(sched_setaffinity(s.tid[1], sizeof first, &first), 0);
    cr_assert_eq(sched_setaffinity(s.tid[2], sizeof second, &second), 0);
    for (int i = 0; i < 3; i++) {
        s = region(NULL, 0);
        cr_expect(CPU_EQUAL(&s.set[1], &first) && CPU_EQUAL(&s.set[2], &second), "region %d", i);
    }
}

Test(affinity, workers_that_slept_have_their_whole_set_back)
{
    for (int i = 0; i < 20; i++) {
        struct seen s = region(NULL, 0);
        EXPECT_WORKERS(s, all);
        for (int k = 1; k < WIDTH; k++)
            wait_until_asleep(s.tid[k]);
    }
}

/* --- Bound: programs started from here --------------------------------------------------------------------------------- */

/* The environment is read when the program is loaded, so these run in a program of their own: this one, started anew. Each
 * writes what it finds wrong and counts it. */
static int faults;
#define CHECK(x) ((x) ? (void)0 : (void)(faults++, fprintf(stderr, "line %d: %s\n", __LINE__, #x)))

#define COUNT_CPUS "n=$(nproc); exit $n" /* nproc asks the kernel for its set */

static int status_of(pid_t child)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}

static int by_exec(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", COUNT_CPUS, (char *)NULL);
        _exit(99);
    }
    return status_of(child);
}

static int by_spawn(void)
{
    pid_t child;
    char *argv[] = {"sh", "-c", COUNT_CPUS, NULL};
    CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) == 0);
    return status_of(child);
}

static int by_fork(void)
{
    pid_t child = fork();
    if (child == 0) {
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
        _exit(CPU_COUNT(&set));
    }
    return status_of(child);
}

static int by_popen(void)
{
    FILE *f = popen(COUNT_CPUS, "r");
    return WEXITSTATUS(pclose(f));
}

static void expect_children(int cpus)
{
    unsetenv("OMP_NUM_THREADS"); /* nproc would listen to it */
    CHECK(by_exec() == cpus);
    CHECK(by_spawn() == cpus);
    CHECK(WEXITSTATUS(system(COUNT_CPUS)) == cpus);
    CHECK(by_popen() == cpus);
    CHECK(by_fork() == cpus);
}

static int bound_here(void)
{
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return CPU_COUNT(&set) == 1;
}

static void children_do_not_inherit_it(void)
{
    expect_children(CPU_COUNT(&all)); /* nothing is bound yet */
    struct seen s = region(NULL, 0);
    for (int i = 0; i < WIDTH; i++)
        CHECK(CPU_COUNT(&s.set[i]) == 1);
    expect_children(CPU_COUNT(&all));
    CHECK(bound_here());
    CHECK(execl("/no/such/program", "x", (char *)NULL) == -1);
    CHECK(bound_here());
}

/* A thread of the program's, made by a bound one: it has inherited the place, whether it uses OpenMP or not. */
static void *child_of_thread(void *uses_openmp)
{
    if (uses_openmp)
        region(NULL, 0);
    expect_children(CPU_COUNT(&all));
    CHECK(bound_here());
    return NULL;
}

static void threads_of_a_bound_thread(void)
{
    pthread_t t;
    region(NULL, 0);
    for (int uses = 0; uses < 2; uses++) {
        CHECK(pthread_create(&t, NULL, child_of_thread, uses ? &faults : NULL) == 0);
        pthread_join(t, NULL);
    }
}

static void *pinned_thread(void *arg)
{
    (void)arg;
    sched_setaffinity(0, sizeof second, &second);
    expect_children(1);
    return NULL;
}

static void a_set_of_the_users_is_not_undone(void)
{
    pthread_t t;
    region(NULL, 0);
    CHECK(pthread_create(&t, NULL, pinned_thread, NULL) == 0);
    pthread_join(t, NULL);
    sched_setaffinity(0, sizeof second, &second);
    expect_children(1);
}

static void nor_one_set_from_outside(void)
{
    region(NULL, 0);
    syscall(SYS_sched_setaffinity, 0, sizeof second, &second);
    expect_children(1);
}

static void (*const bound[])(void) = {children_do_not_inherit_it, a_set_of_the_users_is_not_undone, nor_one_set_from_outside,
                                     threads_of_a_bound_thread};

__attribute__((constructor)) static void started_anew(void)
{
    const char *which = getenv("TEST_BOUND");
    if (!which)
        return;
    unsetenv("TEST_BOUND");
    find_two();
    bound[atoi(which)]();
    _exit(faults != 0);
}

static void start_anew(const char *which)
{
    setenv("OMP_PROC_BIND", "true", 1);
    setenv("TEST_BOUND", which, 1);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test_affinity", (char *)NULL);
        _exit(99);
    }
    cr_expect_eq(status_of(child), 0);
}

TestSuite(bound, .init = two_processors, .timeout = 60);
Test(bound, children_do_not_inherit_it) { start_anew("0"); }
Test(bound, a_set_of_the_users_is_not_undone) { start_anew("1"); }
Test(bound, nor_one_set_from_outside) { start_anew("2"); }
Test(bound, threads_of_a_bound_thread) { start_anew("3"); }
