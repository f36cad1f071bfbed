/* SPDX-License-Identifier: MIT */
/*
 * What the machine itself charges: the floors that every figure is read against. Two threads, both pinned; no OpenMP.
 * Invariant: the answering thread does nothing but what its row names, so that no runtime could do better.
 */
#include "../bench.h"

#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void pause_once(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("isb" ::: "memory");
#endif
}

static void futex_wait(_Atomic unsigned *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic unsigned *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0); }

enum way { ONE_LINE, TWO_LINES, ONE_LINE_PAUSE, TWO_LINES_PAUSE, FUTEX, YIELD, STOP = UINT_MAX };

/* Asked and answered by count: the partner answers `ask` with the same value. */
static struct {
    _Alignas(128) _Atomic unsigned ask;
    _Alignas(128) _Atomic unsigned answer;
    _Alignas(128) enum way way;
    int partner_on;
} line;

static void wait_for(_Atomic unsigned *word, unsigned old, enum way way)
{
    while (atomic_load_explicit(word, memory_order_acquire) == old) {
        if (way == ONE_LINE_PAUSE || way == TWO_LINES_PAUSE)
            pause_once();
        else if (way == FUTEX)
            futex_wait(word, old);
        else if (way == YIELD)
            sched_yield();
    }
}

static void *partner(void *unused)
{
    bench_pin(line.partner_on);
    bool one = line.way == ONE_LINE || line.way == ONE_LINE_PAUSE;
    for (unsigned seen = 0;;) {
        wait_for(&line.ask, seen, line.way);
        seen = atomic_load_explicit(&line.ask, memory_order_acquire);
        if (seen == STOP)
            return unused;
        if (one)
            seen++; /* one word goes there and back: odd is asked, even is answered */
        atomic_store_explicit(one ? &line.ask : &line.answer, seen, memory_order_release);
        if (line.way == FUTEX)
            futex_wake(&line.answer);
    }
}

static pthread_t start_partner(enum way way, int on)
{
    pthread_t thread;
    line.way = way;
    line.partner_on = on;
    atomic_store(&line.ask, 0);
    atomic_store(&line.answer, 0);
    if (pthread_create(&thread, NULL, partner, NULL) != 0)
        bench_fail("cannot start a thread");
    return thread;
}

static void stop_partner(pthread_t thread)
{
    atomic_store(&line.ask, STOP);
    futex_wake(&line.ask);
    pthread_join(thread, NULL);
}

static unsigned ask_once(enum way way, unsigned count)
{
    bool one = way == ONE_LINE || way == ONE_LINE_PAUSE;
    atomic_store_explicit(&line.ask, count + 1, memory_order_release);
    if (way == FUTEX)
        futex_wake(&line.ask);
    wait_for(one ? &line.ask : &line.answer, one ? count + 1 : count, way);
    return one ? count + 2 : count + 1;
}

static double there_and_back(enum way way, int on, int batch, const char *name)
{
    if (!bench_want(name))
        return NAN;
    pthread_t thread = start_partner(way, on);
    unsigned count = 0;
    bench_phase("%s", name);
    while (bench_more()) {
        uint64_t t = bench_now();
        for (int i = 0; i < batch; i++)
            count = ask_once(way, count);
        bench_add((double)(bench_now() - t) / batch);
    }
    double middle = bench_done(batch);
    stop_partner(thread);
    return middle;
}

static void lines(void)
{
    if (!bench_want("line"))
        return;
    double least = there_and_back(ONE_LINE, 1, 500, "line/one");
    double other[] = {
        there_and_back(TWO_LINES, 1, 500, "line/two"),
        there_and_back(ONE_LINE_PAUSE, 1, 500, "line/one-pause"),
        there_and_back(TWO_LINES_PAUSE, 1, 500, "line/two-pause"),
    };
    for (int i = 0; i < 3; i++)
        least = other[i] < least ? other[i] : least;
    bench_value("line", least, "ns");
}

/* The wake floor: the partner has slept through the gap; from before the wake until its answer is seen. */
static void wake(double gap, const char *name, bool computing)
{
    char row[32];
    snprintf(row, sizeof row, "wake/%s-%s", computing ? "compute" : "sleep", name);
    if (!bench_want(row))
        return;
    pthread_t thread = start_partner(FUTEX, 1);
    unsigned count = 0;
    bench_phase("%s", row);
    bench_limits(bench_quick() ? 200 : 2000, 4, 400);
    while (bench_more()) {
        uint64_t t = bench_now();
        while (computing && (double)(bench_now() - t) < gap)
            continue;
        if (!computing)
            bench_sleep(gap);
        t = bench_now();
        atomic_store_explicit(&line.ask, ++count, memory_order_release);
        futex_wake(&line.ask);
        wait_for(&line.answer, count - 1, TWO_LINES_PAUSE);
        bench_add((double)(bench_now() - t));
    }
    bench_done(1);
    stop_partner(thread);
}

static void *nothing(void *argument) { return argument; }

static void create(void)
{
    if (!bench_want("create"))
        return;
    bench_phase("create");
    while (bench_more()) {
        pthread_t thread;
        uint64_t t = bench_now();
        if (pthread_create(&thread, NULL, nothing, NULL) != 0)
            bench_fail("cannot start a thread");
        pthread_join(thread, NULL);
        bench_add((double)(bench_now() - t));
    }
    bench_done(1);
}

static void one_pause(void)
{
    if (!bench_want("pause"))
        return;
    bench_phase("pause");
    while (bench_more()) {
        uint64_t t = bench_now();
        for (int i = 0; i < 1000; i++)
            pause_once();
        bench_add((double)(bench_now() - t) / 1000);
    }
    bench_done(1000);
}

int main(int argc, char **argv)
{
    static const struct {
        double ns;
        const char *name;
    } gaps[] = {{1e6, "1ms"}, {10e6, "10ms"}, {50e6, "50ms"}};
    bench_start(argc, argv, "the machine's own costs, without any runtime");
    create();
    bench_pin(0);
    one_pause();
    if (bench_want("step"))
        bench_value("step", 1e4 / (double)bench_work_steps(1e4), "ns");
    there_and_back(YIELD, 0, 100, "yield");
    if (bench_processors() < 2)
        return 0;
    lines();
    there_and_back(FUTEX, 1, 20, "futex");
    for (int computing = 0; computing < 2; computing++)
        for (int i = 0; i < 3; i++)
            wake(gaps[i].ns, gaps[i].name, computing);
    return 0;
}
