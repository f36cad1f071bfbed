/* SPDX-License-Identifier: MIT */
/*
 * The first region after an idle gap, and a whole call of ten regions: what a program pays that does other things
 * between its calls. The caller sleeps through the gap, or computes. `duty`: 1 ms regions with 9 ms between them.
 * Invariant: "burnt" is the process's CPU time in the gap less the caller's own, so it is what waiting workers spent.
 */
#include "../bench.h"

#include <stdio.h>

static void region(int width)
{
#pragma omp parallel num_threads(width)
    bench_keep();
}

static void let_pass(double ns, bool computing)
{
    if (ns == 0)
        return;
    if (!computing) {
        bench_sleep(ns);
        return;
    }
    uint64_t t = bench_now();
    while ((double)(bench_now() - t) < ns)
        continue;
}

static double burnt_while(double ns, bool computing)
{
    uint64_t all = bench_clock(CLOCK_PROCESS_CPUTIME_ID), own = bench_clock(CLOCK_THREAD_CPUTIME_ID);
    let_pass(ns, computing);
    own = bench_clock(CLOCK_THREAD_CPUTIME_ID) - own;
    all = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - all;
    return (double)all - (double)own; /* below 0 at times: see README, "cpu-ns" */
}

static void gap(double ns, const char *name, bool computing, int width)
{
    char phase[32];
    snprintf(phase, sizeof phase, "%s-%s", computing ? "compute" : "sleep", name);
    if (!bench_want(phase))
        return;
    double budget = bench_quick() ? 20 + 8 * ns / 1e6 : 150 + 30 * ns / 1e6;
    bench_phase("%s", phase);
    bench_limits(budget, bench_quick() ? 6 : 30, 2000);
    while (bench_more()) {
        double burnt = burnt_while(ns, computing);
        uint64_t t = bench_now();
        region(width);
        double first = bench_elapsed(t);
        for (int i = 1; i < 10; i++)
            region(width);
        double ten = bench_elapsed(t);
        bench_add_to("first", first, "ns");
        bench_add_to("ten", ten, "ns");
        bench_add_to("burnt", burnt, "cpu-ns");
    }
    bench_done(10);
}

static void duty(int width)
{
    uint64_t steps = bench_work_steps(1e6);
    bench_phase("duty");
    bench_limits(bench_quick() ? 150 : 1000, 10, 200);
    while (bench_more()) {
        uint64_t cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID), t = bench_now();
#pragma omp parallel num_threads(width)
        bench_work(steps);
        double busy = bench_elapsed(t);
        bench_sleep(9e6);
        bench_add_to("region", busy, "ns");
        bench_add_to("cycle", (double)(bench_now() - t), "ns");
        bench_add_to("cpu", (double)(bench_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu), "cpu-ns");
    }
    bench_done(1);
}

int main(int argc, char **argv)
{
    static const struct {
        double ns;
        const char *name;
    } gaps[] = {{0, "0"}, {10e3, "10us"}, {100e3, "100us"}, {1e6, "1ms"}, {10e6, "10ms"}, {50e6, "50ms"}};
    bench_start(argc, argv, "first region and ten regions after idle gaps, caller asleep or computing");
    int width = bench_width();
    bench_check_width(width);
    bench_session_open(width);
    for (int computing = 0; computing < 2; computing++)
        for (int i = computing ? 0 : 1; i < 6; i++)
            gap(gaps[i].ns, gaps[i].name, computing, width);
    if (bench_want("duty"))
        duty(width);
    bench_session_close();
    return 0;
}
