/* SPDX-License-Identifier: MIT */
/* Which CPUs workers run on when nobody asked for places, and what programs started from a bound thread inherit. On the
 * shared object, as a program finds it; each test is a process of its own. Needs two processors. */
#include "affinity_support.h"

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
