/* SPDX-License-Identifier: MIT */
/* Who releases and gathers whom in a team: a tree over the members, chosen by a cost model. Pure: no state, no memory, any
 * thread. Parents have lower numbers than their children.
 *
 * The model. Handing a line to a member takes `latency` (1 transfer), and occupies the giver for `gap` of it, since stores to
 * several lines overlap in part; taking an arrival occupies the taker for the same. Between members that share a cache a
 * transfer is NEAR, else FAR. Whatever the tree, a region moves 2 (w - 1) lines (each member's dock line out
 * and back), each with one writer and one reader; the tree decides how many of them are one after the other. An exchange moves
 * w (w - 1) lines, each with w - 1 readers, all at once: only for narrow teams. bench/simulate.py has the same model with
 * published times of whole machines, bench/README.md its figures. */
#ifndef TN_SHAPE_H
#define TN_SHAPE_H

#include <stdbool.h>

#define TN_SHAPE_FLAT_MAX 8 /* narrower teams are flat (bench region): a second level costs a transfer, or a switch */

struct tn_shape {
    unsigned group; /* neighbours whose first releases the rest; 1: none */
    unsigned arity; /* children among those firsts (with group 1: among all members) */
    bool exchange;  /* barriers by exchange */
};

/* The cheapest for `width` members of which `domain` neighbours at a time share a cache (1: not known). `scratch`: 2 * width
 * elements, not on the stack: the caller's thread may have 16 KiB of it. */
struct tn_shape tn_shape_choose(unsigned width, unsigned domain, unsigned *scratch);
/* Who releases and gathers member i > 0. */
unsigned tn_shape_parent(struct tn_shape s, unsigned i);
/* Members that `i` releases and gathers, in this order: firsts of other groups, whose way is longer; then its own group. */
struct tn_shape_kids {
    unsigned far_lo, far_hi, far_step, near_lo, near_hi; /* [lo, hi) */
};
struct tn_shape_kids tn_shape_kids(struct tn_shape s, unsigned width, unsigned i);
/* The one after `kid` (0: the first of them); 0: that was the last. */
unsigned tn_shape_next(const struct tn_shape_kids *k, unsigned kid);
/* Predicted time of an empty region, in units of 1/4 of a near transfer. `scratch`: 2 * width elements. */
unsigned tn_shape_cost(struct tn_shape s, unsigned width, unsigned domain, unsigned *scratch);
/* Lines moved by a region without barriers, and by one barrier. */
unsigned long tn_shape_region_lines(unsigned width);
unsigned long tn_shape_barrier_lines(struct tn_shape s, unsigned width);

#endif
