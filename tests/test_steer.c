/* SPDX-License-Identifier: MIT */
/* The masks that workers sleep with (steer.h), and what becomes of sets given to sleeping workers. */
#include "affinity_support.h"

TestSuite(steer, .init = two_processors, .timeout = 60);

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

Test(steer, taskset_from_outside, .timeout = 60)
{
    set_mine(&first);
    struct seen s = region(NULL, 0);
    EXPECT_WORKERS(s, first);
    set_unseen(0, &all);
    do { /* in the first one it is noticed, or on a busy machine in one 10 ms later */
        wait_until_asleep(s.tid[1]);
        s = region(NULL, 0);
    } while (!CPU_EQUAL(&s.set[1], &all));
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
Test(steer, a_crowded_team_sleeps_evenly)
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

static void look_wide(void *sets)
{
    int me = omp_get_thread_num();
    tid_of[me] = (pid_t)syscall(SYS_gettid);
    sched_getaffinity(0, sizeof(cpu_set_t), (cpu_set_t *)sets + me);
}

/* `taskset -p` of the process alone. In a wide team workers sleep with either set; none of them is to take its own for the user's. */
static void narrow_caller(const cpu_set_t *to)
{
    cpu_set_t set[64];
    const int width = 2 * CPU_COUNT(&all);
    if (CPU_COUNT(&all) != 2)
        cr_skip_test("not two processors: the sets it sleeps with are others");
    GOMP_parallel(look_wide, set, (unsigned)width, 0);
    for (int turn = 0; turn < 10; turn++) {
        for (int i = 1; i < width; i++)
            wait_until_asleep(tid_of[i]);
        set_unseen(0, to);
        GOMP_parallel(look_wide, set, (unsigned)width, 0);
        GOMP_parallel(look_wide, set, (unsigned)width, 0);
        for (int i = 1; i < width; i++)
            cr_expect(CPU_EQUAL(&set[i], &all), "worker %d has gone with its caller", i);
    }
}

Test(steer, a_caller_narrowed_from_outside_goes_alone, .timeout = 60) { narrow_caller(&first); }
Test(steer, to_either_processor, .timeout = 60) { narrow_caller(&second); }

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
Test(steer, workers_of_several_callers_sleep_with_their_whole_set)
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

Test(steer, sleeping_workers_pinned_by_the_program)
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

Test(steer, workers_that_slept_have_their_whole_set_back)
{
    for (int i = 0; i < 20; i++) {
        struct seen s = region(NULL, 0);
        EXPECT_WORKERS(s, all);
        for (int k = 1; k < WIDTH; k++)
            wait_until_asleep(s.tid[k]);
    }
}

static pthread_t worker_thread;
static _Atomic int child_status = -1;

static void fork_here(int sig)
{
    (void)sig;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        cpu_set_t mine;
        sched_getaffinity(0, sizeof mine, &mine);
        _exit(CPU_EQUAL(&mine, &all) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    child_status = status;
}

static void tell_thread(void *tid)
{
    if (omp_get_thread_num() == 1) {
        worker_thread = pthread_self();
        *(pid_t *)tid = (pid_t)syscall(SYS_gettid);
    }
}

Test(steer, a_child_forked_by_a_sleeping_worker_has_its_whole_set)
{
    pid_t tid = 0;
    signal(SIGUSR1, fork_here);
    for (int turn = 0; turn < 5; turn++) {
        GOMP_parallel(tell_thread, &tid, 2, 0);
        wait_until_asleep(tid);
        child_status = -1;
        pthread_kill(worker_thread, SIGUSR1);
        while (child_status == -1)
            sched_yield();
        cr_expect_eq(child_status, 0, "turn %d: status %#x", turn, child_status);
    }
}

static _Atomic int over, narrow, looks;
static pid_t main_tid;

static void *watch_main(void *unused)
{
    while (!over) {
        cpu_set_t set;
        sched_getaffinity(main_tid, sizeof set, &set);
        narrow += !CPU_EQUAL(&set, &all);
        looks++;
    }
    return unused;
}

static void let_main_sleep(void *unused)
{
    (void)unused;
    if (omp_get_thread_num() == 1)
        wait_until_asleep(main_tid);
}

/* The calling thread sleeps at the join and is woken by its worker: its mask is the program's. */
Test(steer, a_thread_of_the_program_is_left_alone)
{
    pthread_t watcher;
    main_tid = (pid_t)syscall(SYS_gettid);
    cr_assert_eq(pthread_create(&watcher, NULL, watch_main, NULL), 0);
    for (int i = 0; i < 50; i++)
        GOMP_parallel(let_main_sleep, NULL, 2, 0);
    over = 1;
    pthread_join(watcher, NULL);
    cr_expect_eq(narrow, 0, "%d of %d looks", narrow, looks);
}
