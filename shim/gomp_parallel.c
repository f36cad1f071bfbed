/* SPDX-License-Identifier: MIT */
/* Entries of parallel regions, plain and combined with a loop or sections. Any thread, which becomes thread 0 of the team.
 * A combined construct's loop is put into the team before the other members start. The old start forms return to compiled
 * code, which runs thread 0's part itself and calls GOMP_parallel_end. */
#include "gomp_abi.h"
#include "team.h"

void GOMP_parallel(void (*fn)(void *), void *data, unsigned n, unsigned flags)
{
    tn_region(fn, data, n, flags);
}

unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned n, unsigned flags)
{
    struct tn_thread *me;
    struct tn_team *team = tn_region_enter(&me, n, flags);
    unsigned width = team->width;
    tn_task_reduction_region(team, *(uintptr_t **)data); /* the first thing in compiled code's arguments */
    tn_region_release(team, fn, data);
    fn(data);
    tn_region_leave(me);
    return width;
}

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned n)
{
    struct tn_thread *me;
    tn_region_release(tn_region_enter(&me, n, 0), fn, data);
}

void GOMP_parallel_end(void)
{
    tn_region_leave(tn_self());
}

/* The team has the loop and runs; member 0 is back in compiled code, or goes on in `loop`. */
static struct tn_thread *loop_start(void (*fn)(void *), void *data, unsigned n, long start, long end, long incr, long chunk,
                                    unsigned sched, unsigned flags)
{
    struct tn_thread *me;
    struct tn_team *team = tn_region_enter(&me, n, flags);
    struct tn_ws_loop l = {.start = (uint64_t)start, .end = (uint64_t)end, .incr = (uint64_t)incr,
                           .n = tn_ws_trip_long(start, end, incr), .chunk = chunk > 0 ? (uint64_t)chunk : 0,
                           .sched = sched};
    tn_ws_loop_ahead(me, &l);
    tn_region_release(team, fn, data);
    return me;
}

static void loop(void (*fn)(void *), void *data, unsigned n, long start, long end, long incr, long chunk, unsigned sched,
                 unsigned flags)
{
    struct tn_thread *me = loop_start(fn, data, n, start, end, incr, chunk, sched, flags);
    fn(data);
    tn_region_leave(me);
}

#define MONOTONIC(kind) (TN_SCHED_MONOTONIC | (kind))

GOMP_PARALLEL_LOOP(static) { loop(fn, data, n, start, end, incr, chunk, TN_SCHED_STATIC, flags); }
GOMP_PARALLEL_LOOP(dynamic) { loop(fn, data, n, start, end, incr, chunk, MONOTONIC(TN_SCHED_DYNAMIC), flags); }
GOMP_PARALLEL_LOOP(guided) { loop(fn, data, n, start, end, incr, chunk, MONOTONIC(TN_SCHED_GUIDED), flags); }
GOMP_PARALLEL_LOOP(nonmonotonic_dynamic) { loop(fn, data, n, start, end, incr, chunk, TN_SCHED_DYNAMIC, flags); }
GOMP_PARALLEL_LOOP(nonmonotonic_guided) { loop(fn, data, n, start, end, incr, chunk, TN_SCHED_GUIDED, flags); }
GOMP_PARALLEL_LOOP_RUNTIME(runtime) { loop(fn, data, n, start, end, incr, 0, MONOTONIC(TN_WS_RUNTIME), flags); }
/* run-sched-var's own modifier decides (OpenMP 5.1, 2.11.4). */
GOMP_PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime) { loop(fn, data, n, start, end, incr, 0, TN_WS_RUNTIME, flags); }
extern GOMP_PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
    __attribute__((alias("GOMP_parallel_loop_maybe_nonmonotonic_runtime")));

GOMP_PARALLEL_LOOP_START(static) { loop_start(fn, data, n, start, end, incr, chunk, TN_SCHED_STATIC, 0); }
GOMP_PARALLEL_LOOP_START(dynamic) { loop_start(fn, data, n, start, end, incr, chunk, MONOTONIC(TN_SCHED_DYNAMIC), 0); }
GOMP_PARALLEL_LOOP_START(guided) { loop_start(fn, data, n, start, end, incr, chunk, MONOTONIC(TN_SCHED_GUIDED), 0); }
void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned n, long start, long end, long incr)
{
    loop_start(fn, data, n, start, end, incr, 0, MONOTONIC(TN_WS_RUNTIME), 0);
}

static struct tn_thread *sections_start(void (*fn)(void *), void *data, unsigned n, unsigned count, unsigned flags)
{
    struct tn_thread *me;
    struct tn_team *team = tn_region_enter(&me, n, flags);
    tn_ws_sections_ahead(me, count);
    tn_region_release(team, fn, data);
    return me;
}

void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned n, unsigned count, unsigned flags)
{
    struct tn_thread *me = sections_start(fn, data, n, count, flags);
    fn(data);
    tn_region_leave(me);
}

void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned n, unsigned count)
{
    sections_start(fn, data, n, count, 0);
}
