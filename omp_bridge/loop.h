/* SPDX-License-Identifier: MIT */
/* Worksharing: loops, sections, single, ordered, doacross, and their cancellation. Called by members of a team; every member
 * meets the same constructs of a region in the same order (OpenMP 5.1, 2.11), so its n-th construct is everybody's n-th.
 * Static loops share nothing. The others have a slot of the team's ring, named by (region, n): nothing needs clearing.
 *
 * Invariant: a slot is taken for construct n only when all members have left construct n - TN_WS_RING, and a member has left
 * a construct when it enters the next (what the construct gave out, `mem`, lives until then).
 *
 * Files: loop.c handing out iterations; loop_ordered.c slots, single, ordered; doacross.c; cancel.c.
 * Models: tests/models/loop_ring.pml the ring of slots, loop_parts.pml the members' parts and stealing.
 *
 * Type index
 *   tn_ws_loop    what one loop construct passes
 *   tn_ws_shape   its iteration space cut into units, and how they are handed out
 *   tn_ws_part    a range of units from which chunks are taken
 *   tn_ws_slot    what members share about one construct; tn_ws_team the ring of them
 *   tn_ws_member  a member's position among the constructs of the region, and its state in the present one */
#ifndef TN_LOOP_H
#define TN_LOOP_H

#include "base.h"
#include "icv.h"

struct tn_thread;
struct tn_team;
struct tn_member;

/* How far apart members may be without a barrier between them, in constructs. */
#define TN_WS_RING 8

enum tn_ws_kind { TN_WS_NONE,    /* nothing entered yet: a combined construct's loop may be in slot 0 */
                  TN_WS_BLOCK,   /* static: one contiguous share */
                  TN_WS_CYCLIC,  /* static with a chunk size: every width-th unit */
                  TN_WS_DYNAMIC, /* one unit at a time */
                  TN_WS_GUIDED };

/* Iterations are numbered 0 .. n - 1; iteration k has the value start + k * incr, modulo 2^64, which is right for `long` and
 * for `unsigned long long`, upwards and downwards. A unit is a chunk (guided: an iteration), or several where there are 2^31 or more
 * (so that a range of units fits into one word): one thread gets neighbouring chunks, which any schedule permits. */
struct tn_ws_shape {
    uint64_t start, end, incr;
    uint64_t n;      /* iterations */
    uint64_t unit;   /* iterations in a unit, the last one may have fewer */
    uint64_t units;  /* < 2^32 unless static */
    uint64_t least;  /* guided: units in a chunk, at least, but for the last */
    uint64_t step;   /* unit * incr */
    uint8_t kind;    /* tn_ws_kind */
    bool shared;     /* all take from one part (monotonic; few units). Else each has its own and steals when it is empty */
    bool ordered;    /* with `shared` or static */
};

/* `range`: lo << 32 | hi, units lo .. hi - 1 are left; empty if lo >= hi (a failed take leaves lo one too high, each member at
 * most once). Taken from the front by adding to lo, from the back by compare and exchange. No ABA: a unit leaves a range
 * once, so a range that is equal again is the same units again. */
struct tn_ws_part {
    alignas(TN_LINE) _Atomic uint64_t range;
    _Atomic uint64_t claim; /* epoch of the construct for which somebody has begun to fill it */
    _Atomic uint64_t ready; /* and has done so: release, pairs with the acquire of whoever looks at `range` */
};

struct tn_ws_buf {
    void *p;
    size_t size;
};

struct tn_ws_slot {
    alignas(TN_LINE) _Atomic uint64_t claim; /* epoch of the construct: by exchange, the first one fills it in */
    _Atomic uint64_t ready;   /* epoch, once filled in: release, pairs with the acquire of the others */
    _Atomic uint64_t drained; /* epoch, by the member that first found every part empty, and took the last unit */
    void *copy;               /* copyprivate: what the executing thread gave */
    void *reductions;         /* task reductions: their private copies */
    struct tn_ws_buf mem;     /* zeroed memory the construct asked for */
    struct tn_ws_buf posts;   /* doacross: what was posted last, see doacross.c */
    struct tn_ws_shape shape; /* of a combined construct */
    struct tn_ws_part part;   /* of a monotonic loop, or the sections */
    alignas(TN_LINE) _Atomic uint64_t turn; /* ordered: first unit of the chunk whose turn it is */
    struct tn_ws_part *parts; /* [width], NULL in a team of one */
};

struct tn_ws_team {
    struct tn_ws_slot slot[TN_WS_RING];
    alignas(TN_LINE) _Atomic uint64_t cancelled; /* TN_EPOCH(region, barriers passed) of the cancelled construct: such a
                                                    construct ends in a barrier, so there is one at most */
    struct tn_ws_part *parts; /* [TN_WS_RING * width] */
};

/* Private to the member, except `at` and `want`. */
struct tn_ws_member {
    uint32_t count;     /* constructs entered in this region */
    uint32_t safe;      /* all members have left the constructs before this one */
    _Atomic uint64_t at; /* TN_EPOCH(region, the construct it entered last): release, read by whoever needs a slot */
    _Atomic uintptr_t want; /* what it waits for, so that the waker finds it: see tn_ws_wait */
    struct tn_ws_slot *slot;
    struct tn_ws_part *part; /* taken from */
    uint64_t epoch;     /* of the construct: TN_EPOCH(region, number) */
    uint64_t phase;     /* value of tn_ws_team.cancelled that means us */
    struct tn_ws_shape shape;
    uint64_t next, last; /* static: units to come */
    /* Ordered: the present chunk, units [lo, hi); ordered regions still to come in it; whether its turn has come. */
    uint64_t lo, hi, regions;
    bool turn;
    unsigned dims;      /* doacross: loops, 0: none */
};

void tn_ws_team_init(struct tn_team *team);
void tn_ws_team_fini(struct tn_team *team);

TN_INLINE void tn_ws_region_start(struct tn_ws_member *ws)
{
    ws->count = ws->safe = 0;
    ws->shape.kind = TN_WS_NONE;
    ws->dims = 0;
}

/* After a barrier all members have entered the construct that this one entered last, none a later one. */
TN_INLINE void tn_ws_barrier_passed(struct tn_ws_member *ws) { ws->safe = ws->count - 1; }

/* One loop construct. `n` from tn_ws_trip_*. */
struct tn_ws_loop {
    uint64_t start, end, incr, n;
    uint64_t chunk;        /* 0: not said */
    unsigned sched;        /* TN_SCHED_*, perhaps | TN_SCHED_MONOTONIC; TN_WS_RUNTIME: by run-sched-var */
    bool ordered;
    unsigned dims;         /* doacross: loops (their counts; the first is n), 0: none */
    uintptr_t *reductions; /* task reductions, or NULL */
    void **mem;            /* in: bytes of zeroed memory to share; out: the memory. Or NULL */
};
#define TN_WS_RUNTIME 0u

/* Iterations of the loop: up: i < end, down: i > end. */
TN_INLINE uint64_t tn_ws_trip_ull(bool up, uint64_t start, uint64_t end, uint64_t incr)
{
    uint64_t step = up ? incr : -incr;
    if (up ? start >= end : start <= end)
        return 0;
    return tn_likely(step == 1) ? (up ? end - start : start - end) : ((up ? end - start : start - end) - 1) / step + 1;
}

TN_INLINE uint64_t tn_ws_trip_long(long start, long end, long incr)
{
    if (incr > 0 ? start >= end : start <= end)
        return 0;
    /* The sign bit flipped, the order of unsigned numbers is that of the signed ones. */
    uint64_t bias = UINT64_C(1) << 63;
    return tn_ws_trip_ull(incr > 0, (uint64_t)start ^ bias, (uint64_t)end ^ bias, (uint64_t)incr);
}

/* Enters a loop, or sections numbered from 0; `me` must have a record. */
void tn_ws_loop_start(struct tn_thread *me, const struct tn_ws_loop *loop);
void tn_ws_sections_start(struct tn_thread *me, unsigned count, uintptr_t *reductions, void **mem);
/* The same ahead of the members, between tn_region_enter and tn_region_release; they enter by their first tn_ws_take. */
void tn_ws_loop_ahead(struct tn_thread *me, const struct tn_ws_loop *loop);
void tn_ws_sections_ahead(struct tn_thread *me, unsigned count);

/* The next chunk of `m`: units [*lo, *hi). False: none is left. */
bool tn_ws_take_slow(struct tn_member *m, uint64_t *lo, uint64_t *hi);

/* Per chunk of a dynamic loop: one atomic addition to the member's own line, no transfer until it steals; of a monotonic one
 * the same on a line that travels from member to member. A steal: one read of a victim's line and one exchange. Instructions of a chunk,
 * the call of an empty body included (tests/check_budget.sh):
 *   BUDGET dynamic 21 */
TN_INLINE bool tn_ws_take_fast(struct tn_ws_member *ws, const _Atomic uint64_t *cancelled, uint64_t *lo)
{
    if (tn_unlikely(ws->shape.kind != TN_WS_DYNAMIC || ws->shape.ordered || tn_load(cancelled) == ws->phase))
        return false;
    uint64_t range = atomic_fetch_add_explicit(&ws->part->range, UINT64_C(1) << 32, memory_order_relaxed);
    *lo = range >> 32;
    return tn_likely(*lo < (uint32_t)range);
}

/* First value of unit `lo`, and the value that ends unit `hi` - 1. */
TN_INLINE uint64_t tn_ws_first(const struct tn_ws_shape *s, uint64_t lo) { return s->start + lo * s->step; }
TN_INLINE uint64_t tn_ws_bound(const struct tn_ws_shape *s, uint64_t hi)
{
    return tn_unlikely(hi == s->units) ? s->end : s->start + hi * s->step;
}

/* A scope construct with task reductions. */
void tn_ws_scope_start(struct tn_thread *me, uintptr_t *reductions);

/* True: the calling member executes the single region. Instructions of one that does not:
 *   BUDGET single 90 */
bool tn_ws_single(struct tn_thread *me);
/* With copyprivate: NULL: it executes, and calls copy_end. Else what the executing thread gave. */
void *tn_ws_single_copy(struct tn_thread *me);
void tn_ws_single_copy_end(struct tn_thread *me, void *data);

/* Around an ordered region. */
void tn_ws_ordered_start(struct tn_thread *me);
void tn_ws_ordered_end(struct tn_thread *me);

/* `at`: iteration numbers, one per loop of the doacross nest (ws.dims of them). */
void tn_doacross_post(struct tn_thread *me, const uint64_t *at);
void tn_doacross_wait(struct tn_thread *me, const uint64_t *at);

/* Cancellation, the ABI's bits. */
enum { TN_CANCEL_PARALLEL = 1, TN_CANCEL_LOOP = 2, TN_CANCEL_SECTIONS = 4, TN_CANCEL_TASKGROUP = 8 };
/* Cancels; true: cancel-var permits it. And: a cancellation point; true: leave the construct. */
bool tn_cancel(struct tn_thread *me, int what);
bool tn_cancelled(struct tn_thread *me, int what);
/* The member leaves a cancelled region: nobody waits for it to come to further constructs. */
void tn_ws_quit(struct tn_thread *me);

#endif
