/* SPDX-License-Identifier: MIT */
/* The loop entries for one type of loop variable. Included once per type by gomp_loop.c, which defines:
 *   TYPE           of the loop variable
 *   NAME(x)        entry x of this type
 *   START RUNTIME DOACROSS NEXT (name)   heads of entries, from gomp_abi.h
 *   UP_PARAM UP    the direction: parameter and argument, or nothing
 *   TRIP           iterations of the loop (UP start, end, incr) */

TN_INLINE void NAME(give)(const struct tn_ws_shape *s, uint64_t lo, uint64_t hi, TYPE *istart, TYPE *iend)
{
    *istart = (TYPE)tn_ws_first(s, lo);
    *iend = (TYPE)tn_ws_bound(s, hi);
}

static __attribute__((noinline)) bool NAME(next_slow)(struct tn_member *m, TYPE *istart, TYPE *iend)
{
    uint64_t lo, hi;
    bool got = tn_ws_take_slow(m, &lo, &hi);
    if (got)
        NAME(give)(&m->ws.shape, lo, hi, istart, iend);
    return got;
}

/* All next entries. Budget of a dynamic loop: tn_ws_take_fast, one read of the team's line, which nobody writes. */
NEXT(dynamic)
{
    struct tn_member *m = tn_self()->cur;
    uint64_t lo;
    if (tn_unlikely(!tn_ws_take_fast(&m->ws, &m->team->ws.cancelled, &lo)))
        return NAME(next_slow)(m, istart, iend);
    NAME(give)(&m->ws.shape, lo, lo + 1, istart, iend);
    return true;
}

#define NEXT_ALIAS(name) extern NEXT(name) __attribute__((alias(STRING(NAME(dynamic_next)))))
NEXT_ALIAS(static);
NEXT_ALIAS(guided);
NEXT_ALIAS(runtime);
NEXT_ALIAS(ordered_static);
NEXT_ALIAS(ordered_dynamic);
NEXT_ALIAS(ordered_guided);
NEXT_ALIAS(ordered_runtime);
NEXT_ALIAS(nonmonotonic_dynamic);
NEXT_ALIAS(nonmonotonic_guided);
NEXT_ALIAS(nonmonotonic_runtime);
NEXT_ALIAS(maybe_nonmonotonic_runtime);
#undef NEXT_ALIAS

static bool NAME(enter)(const struct tn_ws_loop *l, TYPE *istart, TYPE *iend)
{
    tn_ws_loop_start(tn_self_attach(), l);
    return istart ? NAME(dynamic_next)(istart, iend) : true;
}

#define LOOP(sched_, chunk_, ...)                                                                                    \
    &(struct tn_ws_loop)                                                                                             \
    {                                                                                                                \
        .start = (uint64_t)start, .end = (uint64_t)end, .incr = (uint64_t)incr, .n = TRIP, .chunk = (uint64_t)(chunk_), \
        .sched = (sched_), __VA_ARGS__                                                                               \
    }
START(static) { return NAME(enter)(LOOP(TN_SCHED_STATIC, chunk), istart, iend); }
START(dynamic) { return NAME(enter)(LOOP(MONOTONIC(TN_SCHED_DYNAMIC), chunk), istart, iend); }
START(guided) { return NAME(enter)(LOOP(MONOTONIC(TN_SCHED_GUIDED), chunk), istart, iend); }
RUNTIME(runtime) { return NAME(enter)(LOOP(MONOTONIC(TN_WS_RUNTIME), 0), istart, iend); }
START(nonmonotonic_dynamic) { return NAME(enter)(LOOP(TN_SCHED_DYNAMIC, chunk), istart, iend); }
START(nonmonotonic_guided) { return NAME(enter)(LOOP(TN_SCHED_GUIDED, chunk), istart, iend); }
/* run-sched-var's own modifier decides (OpenMP 5.1, 2.11.4). */
RUNTIME(maybe_nonmonotonic_runtime) { return NAME(enter)(LOOP(TN_WS_RUNTIME, 0), istart, iend); }
extern RUNTIME(nonmonotonic_runtime) __attribute__((alias(STRING(NAME(maybe_nonmonotonic_runtime_start)))));
START(ordered_static) { return NAME(enter)(LOOP(TN_SCHED_STATIC, chunk, .ordered = true), istart, iend); }
START(ordered_dynamic) { return NAME(enter)(LOOP(TN_SCHED_DYNAMIC, chunk, .ordered = true), istart, iend); }
START(ordered_guided) { return NAME(enter)(LOOP(TN_SCHED_GUIDED, chunk, .ordered = true), istart, iend); }
RUNTIME(ordered_runtime) { return NAME(enter)(LOOP(TN_WS_RUNTIME, 0, .ordered = true), istart, iend); }

bool NAME(start)(UP_PARAM TYPE start, TYPE end, TYPE incr, long sched, TYPE chunk, TYPE *istart, TYPE *iend,
                 uintptr_t *reductions, void **mem)
{
    return NAME(enter)(LOOP(sched_of(sched), chunk, .reductions = reductions, .mem = mem), istart, iend);
}

bool NAME(ordered_start)(UP_PARAM TYPE start, TYPE end, TYPE incr, long sched, TYPE chunk, TYPE *istart, TYPE *iend,
                         uintptr_t *reductions, void **mem)
{
    return NAME(enter)(LOOP(sched_of(sched), chunk, .ordered = true, .reductions = reductions, .mem = mem), istart, iend);
}
#undef LOOP

#define NEST(sched_, chunk_, ...)                                                                                    \
    &(struct tn_ws_loop)                                                                                             \
    {                                                                                                                \
        .end = (uint64_t)counts[0], .incr = 1, .n = (uint64_t)counts[0], .chunk = (uint64_t)(chunk_),                \
        .sched = (sched_), .dims = ncounts, __VA_ARGS__                                                              \
    }
DOACROSS(static) { return NAME(enter)(NEST(TN_SCHED_STATIC, chunk), istart, iend); }
DOACROSS(dynamic) { return NAME(enter)(NEST(TN_SCHED_DYNAMIC, chunk), istart, iend); }
DOACROSS(guided) { return NAME(enter)(NEST(TN_SCHED_GUIDED, chunk), istart, iend); }

bool NAME(doacross_runtime_start)(unsigned ncounts, TYPE *counts, TYPE *istart, TYPE *iend)
{
    return NAME(enter)(NEST(TN_WS_RUNTIME, 0), istart, iend);
}

bool NAME(doacross_start)(unsigned ncounts, TYPE *counts, long sched, TYPE chunk, TYPE *istart, TYPE *iend,
                          uintptr_t *reductions, void **mem)
{
    return NAME(enter)(NEST(sched_of(sched), chunk, .reductions = reductions, .mem = mem), istart, iend);
}
#undef NEST
