/* SPDX-License-Identifier: MIT */
/* Loops and sections: the plan of a construct, and handing out its units. Called by members.
 *
 * Invariant: every unit is in exactly one place: the part of one member, the shared part, or on its way from a victim's part
 * to the thief that took it off. A member that sees all parts empty while a thief is about to put down what it took leaves
 * early, which costs balance and nothing else.
 * The last unit is in no member's part: it goes to the first member that finds all parts empty, which then gets no more.
 * Compiled code relies on it: lastprivate copies where the loop variable has its final value after the last chunk. */
#include "barrier.h"
#include "loop_impl.h"

/* Chunks are counted in 32 bits, with room for the failed takes of all members. */
#define UNITS_MAX_SHIFT 31

/* Where members get fewer units than this, the line of one shared part travels less often than members look for victims. */
#define SHARE_UNITS 2

static void plan(struct tn_ws_shape *s, const struct tn_ws_loop *l, const struct tn_icv *icv, unsigned width)
{
    unsigned sched = l->sched;
    uint64_t chunk = l->chunk;
    if ((sched & ~TN_SCHED_MONOTONIC) == TN_WS_RUNTIME) {
        sched |= icv->run_sched;
        chunk = icv->run_chunk > 0 ? (uint64_t)icv->run_chunk : 0;
    }
    bool monotonic = (sched & TN_SCHED_MONOTONIC) || l->ordered || l->dims;
    sched &= ~TN_SCHED_MONOTONIC;
    s->start = l->start;
    s->end = l->end;
    s->incr = l->incr;
    s->n = l->n;
    s->ordered = l->ordered && width > 1;
    s->unit = chunk ? chunk : 1;
    s->shared = false;
    if (width == 1 || sched == TN_SCHED_AUTO || (sched == TN_SCHED_STATIC && chunk == 0)) {
        s->kind = TN_WS_BLOCK;
        s->unit = 1;
    } else if (sched == TN_SCHED_STATIC) {
        s->kind = TN_WS_CYCLIC;
    } else {
        s->kind = sched == TN_SCHED_GUIDED ? TN_WS_GUIDED : TN_WS_DYNAMIC;
        uint64_t least = s->unit;
        if (s->kind == TN_WS_GUIDED && !l->dims) /* doacross counts finished units one by one */
            s->unit = 1;
        uint64_t chunks = s->n ? (s->n - 1) / s->unit : 0; /* less one */
        s->unit *= (chunks >> UNITS_MAX_SHIFT) + 1;
        s->least = (least - 1) / s->unit + 1;
    }
    s->units = s->n ? (s->n - 1) / s->unit + 1 : 0;
    if (s->kind == TN_WS_DYNAMIC || s->kind == TN_WS_GUIDED)
        s->shared = monotonic || s->kind == TN_WS_GUIDED || s->units <= SHARE_UNITS * width;
    s->step = s->unit * s->incr;
}

static void fill(struct tn_thread *me, struct tn_ws_slot *slot, const struct tn_ws_shape *s, const struct tn_ws_loop *l,
                 unsigned width)
{
    tn_store(&slot->part.range, s->units & UINT32_MAX);
    tn_store(&slot->turn, 0);
    if (l->mem)
        *l->mem = tn_ws_buf_zeroed(&slot->mem, (size_t)*l->mem);
    if (l->dims && width > 1)
        tn_doacross_fill(slot, s, l->dims, width);
    if (l->reductions)
        slot->reductions = tn_task_reduction_ws_start(me, l->reductions, NULL);
}

/* Fills `p`, the part of member `owner`, unless somebody has. False: somebody is about to. */
TN_INLINE bool part_open(struct tn_ws_part *p, const struct tn_ws_member *ws, unsigned width, unsigned owner)
{
    if (tn_load_acq(&p->ready) == ws->epoch)
        return true;
    if (atomic_exchange_explicit(&p->claim, ws->epoch, memory_order_acq_rel) == ws->epoch)
        return false;
    uint64_t units = ws->shape.units - 1; /* the last one apart */
    uint64_t lo = tn_ws_block(units, width, owner), hi = tn_ws_block(units, width, owner + 1);
    tn_store(&p->range, lo << 32 | hi);
    tn_store_rel(&p->ready, ws->epoch);
    return true;
}

/* Between two stores of another member: there is nothing to sleep for. */
static void part_await(struct tn_thread *me, struct tn_member *m, struct tn_ws_part *p)
{
    struct tn_wait w = {.crowded = tn_load(&m->team->crowded)};
    while (tn_load_acq(&p->ready) != m->ws.epoch)
        tn_wait_step(&w, me);
}

/* The shape is known: the member's own state. */
static void begin(struct tn_thread *me, struct tn_member *m, struct tn_ws_slot *slot)
{
    struct tn_ws_member *ws = &m->ws;
    const struct tn_ws_shape *s = &ws->shape;
    unsigned width = m->team->width;
    ws->slot = slot;
    ws->phase = TN_EPOCH(m->seq, m->bar_idx);
    ws->regions = 0;
    if (s->kind == TN_WS_BLOCK) {
        ws->next = tn_ws_block(s->units, width, m->num);
        ws->last = tn_ws_block(s->units, width, m->num + 1);
    } else if (s->kind == TN_WS_CYCLIC) {
        ws->next = m->num;
        ws->last = s->units;
    } else if (s->shared) {
        ws->part = &slot->part;
    } else {
        ws->part = &slot->parts[m->num];
        if (!part_open(ws->part, ws, width, m->num))
            part_await(me, m, ws->part);
    }
}

static void start(struct tn_thread *me, const struct tn_ws_loop *l, bool sections)
{
    struct tn_member *m = me->cur;
    struct tn_ws_member *ws = &m->ws;
    unsigned width = m->team->width;
    plan(&ws->shape, l, me->task->icv, width);
    if (sections && ws->shape.kind == TN_WS_BLOCK)
        ws->shape.kind = TN_WS_CYCLIC; /* one at a time */
    ws->dims = width > 1 ? l->dims : 0;
    struct tn_ws_slot *slot = tn_ws_enter(me, m);
    if (ws->shape.shared || ws->shape.ordered || ws->dims || l->reductions || l->mem) {
        if (tn_ws_open(me, m, slot)) {
            fill(me, slot, &ws->shape, l, width);
            tn_ws_publish(m->team, slot, ws->epoch);
        } else {
            if (l->mem)
                *l->mem = slot->mem.p;
            if (l->reductions)
                tn_task_reduction_ws_start(me, l->reductions, slot->reductions);
        }
    }
    begin(me, m, slot);
}

void tn_ws_loop_start(struct tn_thread *me, const struct tn_ws_loop *loop)
{
    start(me, loop, false);
}

/* Sections are taken in their order, as programs have come to expect. */
TN_INLINE struct tn_ws_loop sections_loop(unsigned count)
{
    return (struct tn_ws_loop){.end = count, .incr = 1, .n = count, .chunk = 1,
                               .sched = TN_SCHED_DYNAMIC | TN_SCHED_MONOTONIC};
}

void tn_ws_sections_start(struct tn_thread *me, unsigned count, uintptr_t *reductions, void **mem)
{
    struct tn_ws_loop l = sections_loop(count);
    l.reductions = reductions;
    l.mem = mem;
    start(me, &l, true);
}

/* Member 0 stands in the team, the others are docked: slot 0 is free, and their release publishes it. */
static void ahead(struct tn_thread *me, const struct tn_ws_loop *l, bool sections)
{
    struct tn_member *m = me->cur;
    struct tn_ws_slot *slot = &m->team->ws.slot[0];
    plan(&slot->shape, l, m->team->icv, m->team->width);
    if (sections && slot->shape.kind == TN_WS_BLOCK)
        slot->shape.kind = TN_WS_CYCLIC;
    fill(me, slot, &slot->shape, l, m->team->width);
    tn_store(&slot->claim, TN_EPOCH(m->seq, 0));
    tn_store_rel(&slot->ready, TN_EPOCH(m->seq, 0));
}

void tn_ws_loop_ahead(struct tn_thread *me, const struct tn_ws_loop *loop)
{
    ahead(me, loop, false);
}

void tn_ws_sections_ahead(struct tn_thread *me, unsigned count)
{
    struct tn_ws_loop l = sections_loop(count);
    ahead(me, &l, true);
}

/* A member's first request in a combined construct. */
static bool adopt(struct tn_thread *me, struct tn_member *m)
{
    struct tn_ws_slot *slot = &m->team->ws.slot[0];
    if (m == &tn_member_none || m->ws.count != 0 || tn_load_acq(&slot->ready) != TN_EPOCH(m->seq, 0))
        return false;
    tn_ws_enter(me, m);
    m->ws.shape = slot->shape;
    begin(me, m, slot);
    return true;
}

static bool take_static(struct tn_ws_member *ws, unsigned width, uint64_t *lo, uint64_t *hi)
{
    if (ws->next >= ws->last)
        return false;
    *lo = ws->next;
    if (ws->shape.kind == TN_WS_BLOCK) {
        *hi = ws->next = ws->last;
    } else {
        *hi = *lo + 1;
        ws->next = ws->last - ws->next > width ? ws->next + width : ws->last;
    }
    return true;
}

/* How many units to take when `left` are. Guided always shares one part: each chunk is a share of all that is left (OpenMP 5.2, table
 * 11.5), and there are few. */
TN_INLINE uint64_t amount(const struct tn_ws_shape *s, unsigned width, uint64_t left)
{
    if (s->kind == TN_WS_DYNAMIC)
        return 1;
    uint64_t share = (left - 1) / width + 1;
    share = share < s->least ? s->least : share;
    return share < left ? share : left;
}

static bool take_part(struct tn_ws_member *ws, unsigned width, uint64_t *lo, uint64_t *hi)
{
    uint64_t range = tn_load(&ws->part->range), take;
    do {
        *lo = range >> 32;
        if (*lo >= (uint32_t)range)
            return false;
        take = amount(&ws->shape, width, (uint32_t)range - *lo);
    } while (!atomic_compare_exchange_weak_explicit(&ws->part->range, &range, range + (take << 32), memory_order_relaxed,
                                                    memory_order_relaxed));
    *hi = *lo + take;
    return true;
}

/* Takes the back half of `victim`, down to its last unit: [*lo, *hi). */
static bool take_half(struct tn_ws_part *victim, uint64_t *lo, uint64_t *hi)
{
    uint64_t range = tn_load(&victim->range), take;
    do {
        *lo = range >> 32;
        *hi = (uint32_t)range;
        if (*lo >= *hi)
            return false;
        take = (*hi - *lo + 1) / 2;
    } while (!atomic_compare_exchange_weak_explicit(&victim->range, &range, range - take, memory_order_relaxed,
                                                    memory_order_relaxed));
    *lo = *hi - take;
    return true;
}

/* Looks through all parts once. Returns whether it took units; `*busy`: some part was being filled. */
TN_INLINE bool steal_round(struct tn_member *m, uint64_t *lo, uint64_t *hi, bool *busy)
{
    struct tn_ws_member *ws = &m->ws;
    unsigned width = m->team->width;
    *busy = false;
    for (unsigned i = 1; i < width; i++) {
        unsigned v = m->num + i < width ? m->num + i : m->num + i - width;
        struct tn_ws_part *victim = &ws->slot->parts[v];
        uint64_t a, b;
        if (!part_open(victim, ws, width, v)) {
            *busy = true;
        } else if (take_half(victim, &a, &b)) {
            *lo = a;
            *hi = a + amount(&ws->shape, width, b - a);
            tn_store(&ws->part->range, *hi << 32 | b);
            return true;
        }
    }
    return false;
}

/* The own part is empty, and nobody but its owner makes it non-empty again. Members that have not come yet are stolen from
 * like the others. */
static bool steal(struct tn_thread *me, struct tn_member *m, uint64_t *lo, uint64_t *hi)
{
    struct tn_ws_member *ws = &m->ws;
    _Atomic uint64_t *drained = &ws->slot->drained;
    struct tn_wait w = {.crowded = tn_load(&m->team->crowded)};
    for (bool busy = true; busy && tn_load(drained) != ws->epoch;) {
        if (steal_round(m, lo, hi, &busy))
            return true;
        if (busy)
            tn_wait_step(&w, me);
    }
    ws->shape.kind = TN_WS_BLOCK; /* gets no more, whatever turns up */
    ws->next = ws->last;
    if (tn_load(drained) == ws->epoch ||
        atomic_exchange_explicit(drained, ws->epoch, memory_order_relaxed) == ws->epoch)
        return false;
    *lo = ws->shape.units - 1;
    *hi = *lo + 1;
    return true;
}

bool tn_ws_take_slow(struct tn_member *m, uint64_t *lo, uint64_t *hi)
{
    struct tn_thread *me = m->thread;
    struct tn_ws_member *ws = &m->ws;
    unsigned width = m->team->width;
    if (ws->shape.kind == TN_WS_NONE && !adopt(me, m))
        return false;
    if (ws->shape.ordered)
        tn_ws_ordered_finish(me, m);
    if (tn_load(&m->team->ws.cancelled) == ws->phase)
        return false;
    bool got;
    if (ws->shape.kind == TN_WS_BLOCK || ws->shape.kind == TN_WS_CYCLIC)
        got = take_static(ws, width, lo, hi);
    else
        got = take_part(ws, width, lo, hi) || (!ws->shape.shared && steal(me, m, lo, hi));
    if (got && ws->shape.ordered)
        tn_ws_ordered_begin(ws, *lo, *hi);
    return got;
}
