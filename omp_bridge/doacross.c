/* SPDX-License-Identifier: MIT */
/* Doacross loops (ordered with depend): the vector of iteration numbers that was posted last, in an entry for each piece of
 * the outermost loop that one member runs in order: the member's share where the schedule is static, else a unit. Called by
 * members of teams wider than one.
 *
 * An entry has a word for each loop of the nest: the first is the outermost number + 1, so zero means nothing was posted.
 * Vectors of an entry only grow, in lexical order. They are written from the innermost word outwards, each with release, and
 * read from the outermost inwards with acquire: if the reader takes word d from post P, then word d + 1 comes from P or a
 * later post Q. Where word d equals the one awaited, and word d + 1 exceeds it, Q is at or past what is awaited, since either
 * Q has the same word d, or has grown past it. So a satisfied comparison is always true, and sees what was done before. */
#include "happens.h"
#include "loop_impl.h"

TN_INLINE bool per_member(const struct tn_ws_shape *s) { return s->kind == TN_WS_BLOCK || s->kind == TN_WS_CYCLIC; }

/* Words from entry to entry: a member's has lines of its own, since it is written all the time. */
TN_INLINE size_t stride(const struct tn_ws_shape *s, unsigned dims)
{
    size_t line = TN_LINE / sizeof(uint64_t);
    return per_member(s) ? (dims + line - 1) / line * line : dims;
}

void tn_doacross_fill(struct tn_ws_slot *slot, const struct tn_ws_shape *s, unsigned dims, unsigned width)
{
    size_t entries = per_member(s) ? width : s->units;
    tn_ws_buf_zeroed(&slot->posts, entries * stride(s, dims) * sizeof(uint64_t));
}

/* Who runs iteration `i` of a static schedule. */
static uint64_t owner_of(const struct tn_ws_shape *s, uint64_t i, unsigned width)
{
    if (s->kind == TN_WS_CYCLIC)
        return i / s->unit % width;
    uint64_t q = s->units / width, r = s->units % width;
    return i < r * (q + 1) ? i / (q + 1) : r + (i - r * (q + 1)) / q;
}

TN_INLINE _Atomic uint64_t *entry(const struct tn_ws_member *ws, uint64_t i, unsigned width)
{
    const struct tn_ws_shape *s = &ws->shape;
    uint64_t piece = per_member(s) ? owner_of(s, i, width) : s->unit == 1 ? i : i / s->unit;
    return (_Atomic uint64_t *)ws->slot->posts.p + piece * stride(s, ws->dims);
}

void tn_doacross_post(struct tn_thread *me, const uint64_t *at)
{
    struct tn_member *m = me->cur;
    unsigned dims = m->ws.dims;
    if (dims == 0)
        return;
    _Atomic uint64_t *e = per_member(&m->ws.shape)
                              ? (_Atomic uint64_t *)m->ws.slot->posts.p + m->num * stride(&m->ws.shape, dims)
                              : entry(&m->ws, at[0], m->team->width);
    tn_happens_before(e);
    for (unsigned d = dims; d-- > 0;)
        tn_store_rel(&e[d], at[d] + (d == 0));
    tn_ws_wake(m->team, (uintptr_t)e);
}

static bool reached(const _Atomic uint64_t *e, const uint64_t *at, unsigned dims)
{
    for (unsigned d = 0; d < dims; d++) {
        uint64_t word = tn_load_acq(&e[d]), want = at[d] + (d == 0);
        if (word != want)
            return word > want;
    }
    return true;
}

void tn_doacross_wait(struct tn_thread *me, const uint64_t *at)
{
    struct tn_member *m = me->cur;
    unsigned dims = m->ws.dims;
    if (dims == 0)
        return;
    const _Atomic uint64_t *e = entry(&m->ws, at[0], m->team->width);
    tn_ws_wait(me, m, e, reached(e, at, dims) || tn_load(&m->team->cancelled));
    tn_happens_after(e);
}
