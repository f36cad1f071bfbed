/* SPDX-License-Identifier: MIT */
/* Worksharing where order or the end matters, on the convenience library: ordered, doacross against a serial run, cancelled
 * loops and regions. Tests whose failure is a hang have the framework's time limit. */
#include <criterion/criterion.h>

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

/* --- Ordered and doacross --------------------------------------------------------------------------------------------- */

struct in_order {
    struct tn_ws_loop loop;
    uint64_t next; /* written inside ordered regions only */
    unsigned bad;
    int skip; /* every skip-th iteration has no ordered region, 0: all have */
};

static void ordered_member(void *arg)
{
    struct in_order *o = arg;
    struct tn_thread *me = tn_self();
    struct tn_member *m = me->cur;
    tn_ws_loop_start(me, &o->loop);
    uint64_t lo, hi;
    while (tn_ws_take_slow(m, &lo, &hi)) {
        const struct tn_ws_shape *s = &m->ws.shape;
        for (uint64_t k = lo * s->unit; k < (hi == s->units ? s->n : hi * s->unit); k++) {
            if (o->skip && k % (unsigned)o->skip == 0)
                continue;
            tn_ws_ordered_start(me);
            o->bad += o->next > k;
            o->next = k + 1;
            tn_ws_ordered_end(me);
        }
    }
    barrier(me);
}

Test(loop, ordered, .timeout = 60)
{
    for (size_t i = 0; i < SCHEDULES; i++)
        for (uint64_t chunk = 0; chunk <= 7; chunk += 1 + chunk * 2)
            for (unsigned width = 1; width <= 6; width++)
                for (int skip = 0; skip <= 3; skip++) {
                    struct in_order o = {.loop = {0, 100, 1, 100, .chunk = chunk, .sched = schedules[i], .ordered = true},
                                         .skip = skip};
                    tn_region(ordered_member, &o, width, 0);
                    cr_assert_eq(o.bad, 0, "schedule %x chunk %zu width %u", schedules[i], (size_t)chunk, width);
                    cr_assert_geq(o.next, skip == 1 ? 0 : 98);
                }
}

enum { DX = 23, DY = 11, DZ = 5 };
struct cross {
    struct tn_ws_loop loop;
    int v[DX][DY][DZ]; /* no atomics: the waits order them */
};

static int cell(int v[DX][DY][DZ], int x, int y, int z)
{
    return 1 + (x > 0 ? v[x - 1][y][z] : 0) + (y > 0 && z < DZ - 1 ? v[x][y - 1][z + 1] : 0) +
           (x > 1 && y < DY - 1 ? v[x - 2][y + 1][z] : 0);
}

static void cross_member(void *arg)
{
    struct cross *c = arg;
    struct tn_thread *me = tn_self();
    struct tn_member *m = me->cur;
    tn_ws_loop_start(me, &c->loop);
    uint64_t lo, hi;
    while (tn_ws_take_slow(m, &lo, &hi)) {
        const struct tn_ws_shape *s = &m->ws.shape;
        for (uint64_t x = lo * s->unit; x < (hi == s->units ? s->n : hi * s->unit); x++)
            for (uint64_t y = 0; y < DY; y++)
                for (uint64_t z = 0; z < DZ; z++) {
                    if (x > 0)
                        tn_doacross_wait(me, (uint64_t[]){x - 1, y, z});
                    if (y > 0 && z < DZ - 1)
                        tn_doacross_wait(me, (uint64_t[]){x, y - 1, z + 1});
                    if (x > 1 && y < DY - 1)
                        tn_doacross_wait(me, (uint64_t[]){x - 2, y + 1, z});
                    c->v[x][y][z] = cell(c->v, (int)x, (int)y, (int)z) & 0xffffff;
                    tn_doacross_post(me, (uint64_t[]){x, y, z});
                }
    }
    barrier(me);
}

Test(loop, doacross, .timeout = 60)
{
    static int expect[DX][DY][DZ];
    for (int x = 0; x < DX; x++)
        for (int y = 0; y < DY; y++)
            for (int z = 0; z < DZ; z++)
                expect[x][y][z] = cell(expect, x, y, z) & 0xffffff;
    for (size_t i = 0; i < SCHEDULES; i++)
        for (uint64_t chunk = 0; chunk <= 3; chunk++)
            for (unsigned width = 1; width <= 5; width++) {
                struct cross c = {.loop = {0, DX, 1, DX, .chunk = chunk, .sched = schedules[i], .dims = 3}};
                tn_region(cross_member, &c, width, 0);
                cr_assert_arr_eq(c.v, expect, sizeof expect, "schedule %x chunk %zu width %u", schedules[i], (size_t)chunk,
                                 width);
            }
}

/* --- Cancellation ----------------------------------------------------------------------------------------------------- */

struct cancelled {
    _Atomic uint64_t ran[3];
    _Atomic unsigned bad;
};

static void cancel_member(void *arg)
{
    struct cancelled *c = arg;
    struct tn_thread *me = tn_self();
    uint64_t lo, hi;
    for (int i = 0; i < 3; i++) {
        struct tn_ws_loop l = {0, 1u << 30, 1, i == 1 ? 100 : 1u << 30, .chunk = 1, .sched = TN_SCHED_DYNAMIC};
        tn_ws_loop_start(me, &l);
        while (tn_ws_take_slow(me->cur, &lo, &hi)) {
            c->ran[i] += i == 1 ? hi - lo : 1;
            if (i == 1)
                c->bad += tn_cancelled(me, TN_CANCEL_LOOP);
            else
                c->bad += !tn_cancel(me, TN_CANCEL_LOOP) || !tn_cancelled(me, TN_CANCEL_LOOP);
        }
        barrier(me);
    }
}

Test(loop, a_cancelled_loop_ends_and_the_next_does_not, .timeout = 60)
{
    tn_global.cancel = true;
    for (unsigned width = 1; width <= 4; width++) {
        struct cancelled c = {.bad = 0};
        tn_region(cancel_member, &c, width, 0);
        cr_expect_eq(c.bad, 0);
        cr_expect(c.ran[0] >= 1 && c.ran[0] <= width, "width %u", width);
        cr_expect_eq(c.ran[1], 100);
        cr_expect(c.ran[2] >= 1 && c.ran[2] <= width);
    }
}

/* Members leave a cancelled region at different constructs; those that go on must not wait for them. */
static void quit_member(void *arg)
{
    _Atomic unsigned *done = arg;
    struct tn_thread *me = tn_self();
    if (me->cur->num == 0 && tn_cancel(me, TN_CANCEL_PARALLEL))
        return;
    for (int i = 0; i < 10 * TN_WS_RING; i++)
        tn_ws_single(me);
    ++*done;
}

Test(loop, a_member_that_left_is_not_waited_for, .timeout = 60)
{
    tn_global.cancel = true;
    for (unsigned width = 2; width <= 5; width++) {
        _Atomic unsigned done = 0;
        tn_region(quit_member, &done, width, 0);
        cr_expect_eq(done, width - 1);
    }
}
