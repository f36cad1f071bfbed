/* SPDX-License-Identifier: MIT */
/* The ring of slots; single, scope and ordered, which need a slot and no iterations. Called by members.
 * Invariant: `claim` of a slot goes to the epoch of a construct once; whoever put it there fills the slot, the others wait
 * for `ready`. */
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "happens.h"
#include "loop_impl.h"
#include "msg.h"

#define NO_EPOCH UINT64_MAX /* of no construct: no region has that many */

void tn_ws_team_init(struct tn_team *team)
{
    struct tn_ws_team *ws = &team->ws;
    unsigned width = team->width;
    tn_store(&ws->cancelled, NO_EPOCH);
    if (width > 1) {
        size_t size = TN_WS_RING * width * sizeof *ws->parts;
        ws->parts = aligned_alloc(TN_LINE, size);
        if (!ws->parts)
            tn_fatal("out of memory for the worksharing state of %u threads (%zu bytes)", width, size);
        memset(ws->parts, 0xff, size); /* NO_EPOCH everywhere */
    }
    for (unsigned i = 0; i < TN_WS_RING; i++) {
        struct tn_ws_slot *s = &ws->slot[i];
        tn_store(&s->claim, NO_EPOCH);
        tn_store(&s->ready, NO_EPOCH);
        tn_store(&s->drained, NO_EPOCH);
        s->parts = width > 1 ? ws->parts + (size_t)i * width : NULL;
    }
}

void tn_ws_team_fini(struct tn_team *team)
{
    for (unsigned i = 0; i < TN_WS_RING; i++) {
        free(team->ws.slot[i].mem.p);
        free(team->ws.slot[i].posts.p);
    }
    free(team->ws.parts);
}

void *tn_ws_buf_zeroed(struct tn_ws_buf *buf, size_t size)
{
    if (buf->size < size) {
        free(buf->p);
        buf->size = (size + TN_LINE - 1) & ~(size_t)(TN_LINE - 1);
        buf->p = buf->size >= size ? aligned_alloc(TN_LINE, buf->size) : NULL;
        if (!buf->p)
            tn_fatal("out of memory for a worksharing construct (%zu bytes)", size);
    }
    if (size)
        memset(buf->p, 0, size);
    return buf->p;
}

void tn_ws_wake_slow(struct tn_team *team, uintptr_t name)
{
    for (unsigned i = 0; i < team->width; i++) {
        struct tn_member *m = &team->member[i];
        if (tn_load(&m->ws.want) == name)
            tn_unpark(m->thread);
    }
}

/* `m` has entered construct `number` of region `seq`, or a later one. */
TN_INLINE bool entered(struct tn_member *m, uint32_t seq, uint32_t number)
{
    uint64_t at = tn_load_acq(&m->ws.at);
    return at >> 32 == seq && (int32_t)((uint32_t)at - number) >= 0;
}

/* Waits until all have left the construct that had our slot before. */
static TN_COLD void slot_await(struct tn_thread *me, struct tn_member *m, uint32_t number)
{
    struct tn_team *team = m->team;
    uint32_t oldest = number;
    for (unsigned i = 0; i < team->width; i++) {
        struct tn_member *other = &team->member[i];
        if (other == m)
            continue;
        tn_ws_wait(me, m, &other->ws.at, entered(other, m->seq, number - TN_WS_RING + 1));
        uint32_t at = (uint32_t)tn_load(&other->ws.at);
        if ((int32_t)(at - oldest) < 0)
            oldest = at;
    }
    m->ws.safe = oldest;
}

struct tn_ws_slot *tn_ws_enter(struct tn_thread *me, struct tn_member *m)
{
    struct tn_ws_member *ws = &m->ws;
    uint32_t number = ws->count++;
    ws->epoch = TN_EPOCH(m->seq, number);
    if (m->team->width > 1) {
        tn_store_rel(&ws->at, ws->epoch); /* we are done with the slots before: pairs with `entered` */
        tn_ws_wake(m->team, (uintptr_t)&ws->at);
        if (tn_unlikely(number - ws->safe >= TN_WS_RING))
            slot_await(me, m, number);
    }
    return &m->team->ws.slot[number % TN_WS_RING];
}

bool tn_ws_open(struct tn_thread *me, struct tn_member *m, struct tn_ws_slot *slot)
{
    uint64_t epoch = m->ws.epoch;
    if (tn_load_acq(&slot->ready) == epoch)
        return false;
    if (atomic_exchange_explicit(&slot->claim, epoch, memory_order_acq_rel) != epoch)
        return true;
    tn_ws_wait(me, m, &slot->ready, tn_load_acq(&slot->ready) == epoch);
    return false;
}

void tn_ws_quit(struct tn_thread *me)
{
    struct tn_member *m = me->cur;
    if (m->team->width == 1)
        return;
    tn_store_rel(&m->ws.at, TN_EPOCH(m->seq, m->ws.count + INT32_MAX / 2));
    tn_ws_wake(m->team, (uintptr_t)&m->ws.at);
}

void tn_ws_scope_start(struct tn_thread *me, uintptr_t *reductions)
{
    struct tn_member *m = me->cur;
    struct tn_ws_slot *slot = tn_ws_enter(me, m);
    if (tn_ws_open(me, m, slot)) {
        slot->reductions = tn_task_reduction_ws_start(me, reductions, NULL);
        tn_ws_publish(m->team, slot, m->ws.epoch);
    } else {
        tn_task_reduction_ws_start(me, reductions, slot->reductions);
    }
}

/* Width 2: the slot's line moves once to the first member and once to the second: two exchanges, no wait. Wider teams look
 * first, so that those who come late share the line. */
#define LOOK_FIRST_WIDTH 5
TN_INLINE bool claim(struct tn_team *team, struct tn_ws_slot *slot, uint64_t epoch)
{
    if (team->width >= LOOK_FIRST_WIDTH && tn_load_acq(&slot->claim) == epoch)
        return false;
    return atomic_exchange_explicit(&slot->claim, epoch, memory_order_acq_rel) != epoch;
}

bool tn_ws_single(struct tn_thread *me)
{
    struct tn_member *m = me->cur;
    if (m->team->width == 1)
        return true;
    struct tn_ws_slot *slot = tn_ws_enter(me, m); /* first: it sets the epoch */
    return claim(m->team, slot, m->ws.epoch);
}

/* Tasks run while the others wait, since the executing thread may be waiting for some. */
void *tn_ws_single_copy(struct tn_thread *me)
{
    struct tn_member *m = me->cur;
    if (m->team->width == 1)
        return NULL;
    struct tn_ws_slot *slot = tn_ws_enter(me, m);
    uint64_t epoch = m->ws.epoch;
    m->ws.slot = slot;
    if (claim(m->team, slot, epoch))
        return NULL;
    tn_ws_wait_by(tn_wait_working, me, m, &slot->ready, tn_load_acq(&slot->ready) == epoch);
    tn_happens_after(slot);
    return slot->copy;
}

void tn_ws_single_copy_end(struct tn_thread *me, void *data)
{
    struct tn_member *m = me->cur;
    if (m->team->width == 1)
        return;
    m->ws.slot->copy = data;
    tn_happens_before(m->ws.slot);
    tn_ws_publish(m->team, m->ws.slot, m->ws.epoch);
}

/* --- Ordered: `turn` of the slot goes from chunk to chunk, by the number of the chunk's first unit --------------------- */

static void turn_await(struct tn_thread *me, struct tn_member *m)
{
    struct tn_ws_member *ws = &m->ws;
    _Atomic uint64_t *turn = &ws->slot->turn;
    if (ws->turn)
        return;
    ws->turn = true;
    tn_ws_wait(me, m, (uintptr_t)turn + ws->lo,
               tn_load_acq(turn) == ws->lo || tn_load(&m->team->cancelled)); /* pairs with turn_pass */
    tn_happens_after(turn);
}

static void turn_pass(struct tn_member *m)
{
    struct tn_ws_member *ws = &m->ws;
    ws->regions = 0;
    tn_happens_before(&ws->slot->turn);
    tn_store_rel(&ws->slot->turn, ws->hi);
    tn_ws_wake(m->team, (uintptr_t)&ws->slot->turn + ws->hi);
}

void tn_ws_ordered_begin(struct tn_ws_member *ws, uint64_t lo, uint64_t hi)
{
    const struct tn_ws_shape *s = &ws->shape;
    ws->lo = lo;
    ws->hi = hi;
    ws->turn = false;
    ws->regions = (hi == s->units ? s->n : hi * s->unit) - lo * s->unit;
}

void tn_ws_ordered_finish(struct tn_thread *me, struct tn_member *m)
{
    if (m->ws.regions == 0)
        return; /* passed on already, or the first chunk is yet to come */
    turn_await(me, m);
    turn_pass(m);
}

void tn_ws_ordered_start(struct tn_thread *me)
{
    struct tn_member *m = me->cur;
    if (m->ws.shape.ordered && m->team->width > 1)
        turn_await(me, m);
}

/* An iteration has one ordered region at most (OpenMP 5.1, 2.19.9): after as many as the chunk has iterations, none can
 * follow, and the turn need not wait for the rest of the last iteration. */
void tn_ws_ordered_end(struct tn_thread *me)
{
    struct tn_member *m = me->cur;
    if (m->ws.shape.ordered && m->team->width > 1 && --m->ws.regions == 0)
        turn_pass(m);
}
