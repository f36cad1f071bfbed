/* SPDX-License-Identifier: MIT */
/*
 * One construct at a time inside a region, in the manner of the EPCC microbenchmarks: barrier, single, critical,
 * ordered, reduction, loops by schedule. Per construct, or per iteration for the loops.
 * Invariant: each construct runs many times within one region, whose own cost is spread over them; the body is empty,
 * or the stated work.
 */
#include "../bench.h"

#include <stdlib.h>

enum { TIMES = 500, ITERATIONS = 20000, EPISODES = 200, MOST = 64 };

static int width;
static double sink;

static void barriers(void)
{
#pragma omp parallel num_threads(width)
    for (int i = 0; i < TIMES; i++) {
#pragma omp barrier
    }
}

static void singles(void)
{
#pragma omp parallel num_threads(width)
    for (int i = 0; i < TIMES; i++) {
#pragma omp single
        bench_keep();
    }
}

static void criticals(void)
{
#pragma omp parallel num_threads(width)
    for (int i = 0; i < TIMES; i++) {
#pragma omp critical
        bench_keep();
    }
}

static void ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(width)
    for (int i = 0; i < TIMES; i++) {
#pragma omp ordered
        bench_keep();
    }
}

/* A region with a reduction, each: EPCC's, whose figure has the region's own cost in it. */
static void reductions(void)
{
    for (int i = 0; i < TIMES; i++) {
        double sum = 0;
#pragma omp parallel num_threads(width) reduction(+ : sum)
        {
            bench_keep();
            sum += 1;
        }
        sink += sum;
    }
}

static void static_with_barrier(void)
{
#pragma omp parallel num_threads(width)
    for (int k = 0; k < TIMES; k++) {
#pragma omp for schedule(static)
        for (int i = 0; i < 8; i++)
            bench_keep();
    }
}

#define LOOP(name, kind, body) \
    static void name(void) \
    { \
        _Pragma(kind) for (int i = 0; i < ITERATIONS; i++) { body; } \
    }
LOOP(loop_static, "omp parallel for num_threads(width) schedule(static)", bench_keep())
LOOP(loop_dynamic, "omp parallel for num_threads(width) schedule(dynamic, 1)", bench_keep())
LOOP(loop_dynamic16, "omp parallel for num_threads(width) schedule(dynamic, 16)", bench_keep())
LOOP(loop_guided, "omp parallel for num_threads(width) schedule(guided)", bench_keep())

/* Unbalanced: the work grows with the iteration, so that a static half-and-half would take half as long again. */
enum { HEAVY = 400, HEAVY_STEPS = 10 };
#define UNBALANCED(name, kind) \
    static void name(void) \
    { \
        _Pragma(kind) for (int i = 0; i < HEAVY; i++) bench_work((uint64_t)i * HEAVY_STEPS); \
    }
UNBALANCED(unbalanced_dynamic, "omp parallel for num_threads(width) schedule(dynamic, 1)")
UNBALANCED(unbalanced_guided, "omp parallel for num_threads(width) schedule(guided)")
UNBALANCED(unbalanced_static, "omp parallel for num_threads(width) schedule(static)")

static void construct(const char *name, void (*run)(void), int each)
{
    if (!bench_want(name))
        return;
    bench_phase("%s", name);
    bench_limits(bench_quick() ? 20 : 120, 10, 4000);
    while (bench_more()) {
        uint64_t t = bench_now();
        run();
        bench_add(bench_elapsed(t) / each);
    }
    bench_done(each);
}

/* The barrier seen from inside: from the last member's arrival until the first, and until the last, has left. */
static void barrier_edges(void)
{
    static struct {
        _Alignas(128) uint64_t in[EPISODES], out[EPISODES];
    } member[MOST];
    if (!bench_want("barrier-edges") || width > MOST)
        return;
    bench_phase("barrier-edges");
    bench_limits(bench_quick() ? 20 : 120, 1000, 60000);
    while (bench_more()) {
#pragma omp parallel num_threads(width)
        {
            int me = omp_get_thread_num();
            for (int i = 0; i < EPISODES; i++) {
                member[me].in[i] = bench_now();
#pragma omp barrier
                member[me].out[i] = bench_now();
            }
        }
        for (int i = 0; i < EPISODES; i++) {
            uint64_t in = 0, first = UINT64_MAX, last = 0;
            for (int m = 0; m < width; m++) {
                in = member[m].in[i] > in ? member[m].in[i] : in;
                first = member[m].out[i] < first ? member[m].out[i] : first;
                last = member[m].out[i] > last ? member[m].out[i] : last;
            }
            bench_add_to("last-in-first-out", (double)first - (double)in, "ns");
            bench_add_to("last-in-last-out", (double)last - (double)in, "ns");
        }
    }
    bench_done(1);
}

int main(int argc, char **argv)
{
    bench_start(argc, argv, "barrier, single, critical, ordered, reduction, loops by schedule");
    width = bench_width();
    bench_check_width(width);
    bench_session_open(width);
    construct("barrier", barriers, TIMES);
    barrier_edges();
    construct("single", singles, TIMES);
    construct("critical", criticals, TIMES * width);
    construct("ordered", ordered, TIMES);
    construct("reduction", reductions, TIMES);
    construct("static-with-barrier", static_with_barrier, TIMES);
    construct("loop-static", loop_static, ITERATIONS);
    construct("loop-dynamic-1", loop_dynamic, ITERATIONS);
    construct("loop-dynamic-16", loop_dynamic16, ITERATIONS);
    construct("loop-guided", loop_guided, ITERATIONS);
    construct("unbalanced-static", unbalanced_static, HEAVY);
    construct("unbalanced-dynamic-1", unbalanced_dynamic, HEAVY);
    construct("unbalanced-guided", unbalanced_guided, HEAVY);
    bench_session_close();
    return sink < 0;
}
