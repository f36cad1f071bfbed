/* SPDX-License-Identifier: MIT */
/* Worksharing on the convenience library: every iteration exactly once under every schedule, at the limits of both types;
 * stealing down to the last unit; slots of the ring. Ordered, doacross and cancellation are in test_loop_ordered.c. Tests
 * whose failure is a hang have the framework's time limit. */
#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

#include "barrier.h"
#include "team.h"

#define MONOTONIC TN_SCHED_MONOTONIC
static const unsigned schedules[] = {TN_SCHED_STATIC, TN_SCHED_DYNAMIC, TN_SCHED_GUIDED, TN_SCHED_AUTO, TN_WS_RUNTIME,
                                     MONOTONIC | TN_SCHED_DYNAMIC, MONOTONIC | TN_SCHED_GUIDED};
#define SCHEDULES (sizeof schedules / sizeof schedules[0])

static void barrier(struct tn_thread *me)
{
    tn_barrier(me);
    tn_ws_barrier_passed(&me->cur->ws);
}

/* --- Iterations, once each -------------------------------------------------------------------------------------------- */

struct space {
    uint64_t start, end, incr, n;
};
#define LONG(start, end, incr, n) {(uint64_t)(start), (uint64_t)(end), (uint64_t)(incr), n}
static const struct space longs[] = {
    LONG(0, 0, 1, 0), LONG(5, 5, -1, 0), LONG(1, 0, 1, 0), LONG(0, 1, -1, 0), LONG(0, 1, 1, 1), LONG(0, 500, 1, 500),
    LONG(-7, 100, 3, 36), LONG(100, -7, -3, 36), LONG(99, -7, -3, 36), LONG(LONG_MAX - 10, LONG_MAX, 1, 10),
    LONG(LONG_MIN, LONG_MIN + 10, 3, 4), LONG(LONG_MIN + 10, LONG_MIN, -3, 4), LONG(LONG_MIN, LONG_MAX, LONG_MAX, 3),
    LONG(LONG_MAX, LONG_MIN, LONG_MIN, 2), LONG(LONG_MIN, LONG_MAX, LONG_MAX / 40, 81), LONG(0, LONG_MAX, LONG_MAX, 1),
    LONG(LONG_MAX, LONG_MIN, -(LONG_MAX / 100), 201), LONG(LONG_MIN, LONG_MAX, 1, UINT64_MAX),
};
static const struct {
    bool up;
    struct space s;
} ulls[] = {
    {true, {0, 0, 1, 0}}, {false, {0, 0, -UINT64_C(1), 0}}, {true, {5, 4, 1, 0}}, {true, {0, UINT64_MAX, 1, UINT64_MAX}},
    {true, {0, UINT64_MAX, UINT64_C(1) << 63, 2}}, {true, {UINT64_MAX - 9, UINT64_MAX, 2, 5}},
    {false, {UINT64_MAX, 0, -UINT64_C(1), UINT64_MAX}}, {false, {100, 3, -UINT64_C(2), 49}},
    {false, {UINT64_MAX, UINT64_MAX - 9, -UINT64_C(4), 3}}, {true, {7, 1007, 10, 100}},
};

Test(loop, trip_counts)
{
    for (size_t i = 0; i < sizeof longs / sizeof longs[0]; i++) {
        const struct space *s = &longs[i];
        cr_expect_eq(tn_ws_trip_long((long)s->start, (long)s->end, (long)s->incr), s->n, "long %zu", i);
    }
    for (size_t i = 0; i < sizeof ulls / sizeof ulls[0]; i++)
        cr_expect_eq(tn_ws_trip_ull(ulls[i].up, ulls[i].s.start, ulls[i].s.end, ulls[i].s.incr), ulls[i].s.n, "ull %zu", i);
}

#define N_MAX 1024
struct once {
    struct tn_ws_loop loop;
    bool nowait, ahead;
    _Atomic int count[N_MAX];
    _Atomic unsigned bad;
    _Atomic unsigned after_last; /* chunks that somebody got after the one with the last iteration */
};

static void once_member(void *arg)
{
    struct once *o = arg;
    struct tn_thread *me = tn_self_attach();
    struct tn_member *m = me->cur;
    if (!o->ahead)
        tn_ws_loop_start(me, &o->loop);
    const struct tn_ws_shape *s = &m->ws.shape;
    uint64_t lo, hi, before = 0;
    bool monotonic = o->loop.sched & MONOTONIC, last = false;
    for (bool first = true; tn_ws_take_slow(m, &lo, &hi); first = false) {
        o->after_last += last;
        o->bad += lo >= hi || hi > s->units || (monotonic && !first && lo < before);
        before = hi;
        uint64_t k = lo * s->unit, k_end = hi == s->units ? o->loop.n : hi * s->unit;
        o->bad += tn_ws_first(s, lo) != o->loop.start + k * o->loop.incr;
        o->bad += tn_ws_bound(s, hi) != (hi == s->units ? o->loop.end : o->loop.start + k_end * o->loop.incr);
        last = k_end == o->loop.n;
        for (; k < k_end; k++)
            o->count[k]++;
    }
    if (!o->nowait)
        barrier(me);
}

static void check_once(struct once *o, unsigned width)
{
    if (o->ahead) {
        struct tn_thread *me;
        struct tn_team *team = tn_region_enter(&me, width, 0);
        tn_ws_loop_ahead(me, &o->loop);
        tn_region_release(team, once_member, o);
        once_member(o);
        tn_region_leave(me);
    } else {
        tn_region(once_member, o, width, 0);
    }
    for (uint64_t k = 0; k < N_MAX; k++)
        cr_assert_eq(o->count[k], k < o->loop.n, "iteration %zu of %zu, schedule %x chunk %zu width %u", (size_t)k,
                     (size_t)o->loop.n, o->loop.sched, (size_t)o->loop.chunk, width);
    cr_assert_eq(o->bad, 0, "schedule %x chunk %zu width %u", o->loop.sched, (size_t)o->loop.chunk, width);
    cr_assert_eq(o->after_last, 0, "the last chunk comes last: schedule %x width %u", o->loop.sched, width);
}

static void all_schedules(const struct space *s)
{
    static const uint64_t chunks[] = {0, 1, 3, 64, 5000, UINT64_MAX / 2, LONG_MAX};
    for (size_t i = 0; i < SCHEDULES; i++)
        for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++)
            for (unsigned width = 1; width <= 5; width += width == 3 ? 2 : 1)
                for (int form = 0; form < 3; form++) {
                    struct once o = {.loop = {s->start, s->end, s->incr, s->n, .chunk = chunks[c], .sched = schedules[i]},
                                     .nowait = form == 1, .ahead = form == 2};
                    check_once(&o, width);
                }
}

Test(loop, every_iteration_once, .timeout = 120)
{
    for (size_t i = 0; i < sizeof longs / sizeof longs[0]; i++)
        if (longs[i].n <= N_MAX)
            all_schedules(&longs[i]);
    for (size_t i = 0; i < sizeof ulls / sizeof ulls[0]; i++)
        if (ulls[i].s.n <= N_MAX)
            all_schedules(&ulls[i].s);
}

/* More chunks than a word can count: the first few of each member are right and nobody else's, then the loop is left. */
static void huge_member(void *arg)
{
    struct once *o = arg;
    struct tn_thread *me = tn_self();
    struct tn_member *m = me->cur;
    tn_ws_loop_start(me, &o->loop);
    uint64_t lo, hi;
    for (int i = 0; i < 3; i++) {
        o->bad += !tn_ws_take_slow(m, &lo, &hi);
        uint64_t share = m->ws.shape.units / m->team->width + 2;
        o->bad += hi > m->ws.shape.units || lo < m->num * (share - 2) || hi > (m->num + 1) * share;
        o->bad += tn_ws_first(&m->ws.shape, lo) != o->loop.start + lo * m->ws.shape.unit;
    }
    barrier(me);
}

Test(loop, more_chunks_than_32_bits)
{
    struct once o = {.loop = {0, UINT64_MAX, 1, UINT64_MAX, .chunk = 3, .sched = TN_SCHED_DYNAMIC}};
    tn_region(huge_member, &o, 4, 0);
    cr_expect_eq(o.bad, 0);
    /* What they left behind is nobody's in the next loops. */
    for (int i = 0; i < 2 * TN_WS_RING; i++) {
        struct once next = {.loop = {0, 100, 1, 100, .chunk = 1, .sched = TN_SCHED_DYNAMIC}};
        check_once(&next, 4);
    }
}

/* --- Balance ---------------------------------------------------------------------------------------------------------- */

struct balance {
    struct tn_ws_loop loop;
    bool late; /* member 0 does not even come before all is done */
    _Atomic uint64_t done;
    uint64_t got; /* by member 0 */
};

/* Member 0 is stuck in its first chunk, or late; the others must do all the rest, to the last chunk. */
static void balance_member(void *arg)
{
    struct balance *b = arg;
    struct tn_thread *me = tn_self();
    struct tn_member *m = me->cur;
    uint64_t lo, hi;
    if (m->num == 0 && b->late)
        while (b->done != b->loop.n)
            tn_cpu_relax();
    tn_ws_loop_start(me, &b->loop);
    while (tn_ws_take_slow(m, &lo, &hi)) {
        if (m->num == 0) {
            b->got += hi - lo;
            while (b->done != b->loop.n - b->got)
                tn_cpu_relax();
        } else {
            b->done += hi - lo;
        }
    }
    barrier(me);
}

Test(loop, a_stuck_member_keeps_its_chunk_only, .timeout = 60)
{
    for (int late = 0; late < 2; late++)
        for (unsigned width = 2; width <= 4; width++)
            for (int guided = 0; guided < 2; guided++) {
                struct balance b = {.loop = {0, 1000, 1, 1000, .chunk = 1,
                                             .sched = guided ? TN_SCHED_GUIDED : TN_SCHED_DYNAMIC}, .late = late};
                tn_region(balance_member, &b, width, 0);
                cr_expect_leq(b.got, late ? 0 : guided ? 999 / width + 1 : 1, "width %u", width);
            }
}

/* --- Single, the ring ------------------------------------------------------------------------------------------------- */

#define SINGLES 5000
struct singles {
    int by[SINGLES]; /* no atomics: one thread writes each */
    bool slow;
    _Atomic unsigned bad;
};

static void singles_member(void *arg)
{
    struct singles *s = arg;
    struct tn_thread *me = tn_self();
    for (int i = 0; i < SINGLES; i++) {
        if (tn_ws_single(me))
            s->by[i]++;
        if (s->slow && me->cur->num == 0 && i % 100 == 0)
            for (int k = 0; k < 20000; k++)
                tn_cpu_relax(); /* the others run ahead, as far as the ring lets them */
        struct tn_ws_member *ws = &me->cur->ws;
        for (unsigned j = 0; j < me->cur->team->width; j++) {
            uint32_t at = (uint32_t)tn_load_acq(&me->cur->team->member[j].ws.at);
            s->bad += at >> 31 == 0 && at + TN_WS_RING < ws->count && me->cur->team->member[j].seq == me->cur->seq &&
                      tn_load(&me->cur->team->member[j].ws.at) >> 32 == me->cur->seq;
        }
    }
}

Test(loop, single_nowait, .timeout = 60)
{
    static struct singles s;
    for (unsigned width = 1; width <= 8; width++) {
        s = (struct singles){.slow = width > 1};
        struct once before = {.loop = {0, 100, 1, 100, .chunk = 1, .sched = TN_SCHED_DYNAMIC}, .ahead = true};
        check_once(&before, width); /* leaves slot 0 with the number 0 of its region */
        tn_region(singles_member, &s, width, 0);
        for (int i = 0; i < SINGLES; i++)
            cr_assert_eq(s.by[i], 1, "single %d of width %u", i, width);
        cr_assert_eq(s.bad, 0, "a member was more than %d constructs ahead", TN_WS_RING);
    }
}

static void copy_member(void *arg)
{
    _Atomic unsigned *bad = arg;
    struct tn_thread *me = tn_self();
    for (int i = 0; i < 200; i++) {
        int mine = i;
        int *given = tn_ws_single_copy(me);
        if (!given)
            tn_ws_single_copy_end(me, &mine);
        else
            *bad += *given != i;
        barrier(me);
    }
}

Test(loop, single_copyprivate, .timeout = 60)
{
    _Atomic unsigned bad = 0;
    for (unsigned width = 1; width <= 6; width++)
        tn_region(copy_member, &bad, width, 0);
    cr_expect_eq(bad, 0);
}

static void mem_member(void *arg)
{
    _Atomic unsigned *bad = arg;
    struct tn_thread *me = tn_self();
    for (int i = 0; i < 3 * TN_WS_RING; i++) {
        void *mem = (void *)(uintptr_t)(64 + 8 * i);
        tn_ws_sections_start(me, 4, NULL, &mem);
        _Atomic int *count = mem;
        *bad += (uintptr_t)mem % TN_LINE != 0;
        uint64_t lo, hi;
        while (tn_ws_take_slow(me->cur, &lo, &hi)) {
            *bad += hi != lo + 1;
            count[lo]++;
        }
        barrier(me);
        for (int k = 0; k < 16; k++)
            *bad += count[k] != (k < 4);
    }
}

Test(loop, shared_memory_is_zero_and_one, .timeout = 60)
{
    _Atomic unsigned bad = 0;
    for (unsigned width = 1; width <= 6; width++)
        tn_region(mem_member, &bad, width, 0);
    cr_expect_eq(bad, 0);
}
