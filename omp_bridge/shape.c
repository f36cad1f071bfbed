/* SPDX-License-Identifier: MIT */
/* The cost model of shape.h and the choice by it. Called where a team is built; nothing is kept. */
#include "shape.h"

/* Quarters of a near transfer. Published: 23 to 24 ns within a cache domain, 94 to 107 ns across, of Zen 2 and Zen 3. */
#define NEAR 4
#define FAR 16
#define GAP(latency) ((latency) / 4) /* bench/simulate.py varies it */

#define EXCHANGE_MAX 4 /* benches constructs (barrier), 2 processors */
#define COST_MAX 1024  /* wider teams are chosen for as this wide: the search takes time */

unsigned tn_shape_parent(struct tn_shape s, unsigned i)
{
    unsigned first = i - i % s.group;
    return i != first ? first : (i / s.group - 1) / s.arity * s.group;
}

struct tn_shape_kids tn_shape_kids(struct tn_shape s, unsigned width, unsigned i)
{
    struct tn_shape_kids k = {width, width, s.group, width, width};
    if (i % s.group != 0)
        return k;
    unsigned long lo = ((unsigned long)(i / s.group) * s.arity + 1) * s.group, hi = lo + (unsigned long)s.arity * s.group;
    k.far_lo = lo < width ? (unsigned)lo : width;
    k.far_hi = hi < width ? (unsigned)hi : width;
    k.near_lo = i + 1 < width ? i + 1 : width;
    k.near_hi = i + s.group < width ? i + s.group : width;
    return k;
}

unsigned tn_shape_next(const struct tn_shape_kids *k, unsigned kid)
{
    unsigned far = kid == 0 ? k->far_lo : kid < k->near_hi ? k->far_hi : kid + k->far_step;
    if (far < k->far_hi)
        return far;
    unsigned near = kid >= k->near_lo && kid < k->near_hi ? kid + 1 : k->near_lo;
    return near < k->near_hi ? near : 0;
}

static unsigned latency(unsigned a, unsigned b, unsigned domain)
{
    return a / domain == b / domain ? NEAR : FAR;
}

unsigned tn_shape_cost(struct tn_shape s, unsigned width, unsigned domain, unsigned *scratch)
{
    unsigned *busy = scratch, *arrived = scratch + width; /* until when it releases; when its parent may see it */
    busy[0] = 0;
    for (unsigned i = 0; i < width; i++) {
        struct tn_shape_kids k = tn_shape_kids(s, width, i);
        for (unsigned kid = 0; (kid = tn_shape_next(&k, kid)) != 0;) {
            busy[i] += GAP(latency(i, kid, domain));
            busy[kid] = busy[i] + latency(i, kid, domain);
        }
    }
    for (unsigned i = width; i-- > 0;) {
        struct tn_shape_kids k = tn_shape_kids(s, width, i);
        unsigned now = busy[i];
        for (unsigned kid = 0; (kid = tn_shape_next(&k, kid)) != 0;) {
            now = now > arrived[kid] ? now : arrived[kid];
            now += GAP(latency(i, kid, domain));
        }
        arrived[i] = now + (i ? latency(i, tn_shape_parent(s, i), domain) : 0);
    }
    return arrived[0];
}

struct tn_shape tn_shape_choose(unsigned width, unsigned domain, unsigned *scratch)
{
    static const unsigned arities[] = {2, 3, 4, 6, 8, 12, 16};
    unsigned w = width < COST_MAX ? width : COST_MAX;
    struct tn_shape best = {.group = 1, .arity = width > 1 ? width : 1, .exchange = width <= EXCHANGE_MAX};
    if (width <= TN_SHAPE_FLAT_MAX)
        return best;
    domain = domain ? domain : 1;
    unsigned least = tn_shape_cost(best, w, domain, scratch);
    for (unsigned grouped = 0; grouped < 2; grouped++) {
        for (unsigned i = 0; i < sizeof arities / sizeof *arities; i++) {
            struct tn_shape s = {.group = grouped ? domain : 1, .arity = arities[i]};
            unsigned cost = tn_shape_cost(s, w, domain, scratch);
            if (cost < least) {
                least = cost;
                best = s;
            }
        }
    }
    return best;
}

unsigned long tn_shape_region_lines(unsigned width)
{
    return 2ul * (width - 1);
}

unsigned long tn_shape_barrier_lines(struct tn_shape s, unsigned width)
{
    return s.exchange ? (unsigned long)width * (width - 1) : 2ul * (width - 1);
}
