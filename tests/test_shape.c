/* SPDX-License-Identifier: MIT */
/* The shape of teams: trees that are trees, choices that keep what the model promises, and the lines that the runtime moves
 * against those the model counts, widths 2 to 256 (in debug builds, which count them). */
#include <criterion/criterion.h>

#include "barrier.h"
#include "shape.h"

#define WIDEST 300
static const unsigned domains[] = {1, 2, 3, 4, 8, 16, 100};
#define EACH_DOMAIN(d) (unsigned d##_i = 0, d = 1; d##_i < sizeof domains / sizeof *domains && (d = domains[d##_i]); d##_i++)

Test(shape, is_a_tree)
{
    for EACH_DOMAIN (d) {
        for (unsigned w = 1; w <= WIDEST; w++) {
            unsigned scratch[2 * WIDEST];
            struct tn_shape s = tn_shape_choose(w, d, scratch);
            unsigned parent[WIDEST], n = 0;
            memset(parent, 0xff, sizeof parent);
            for (unsigned i = 0; i < w; i++) {
                struct tn_shape_kids k = tn_shape_kids(s, w, i);
                for (unsigned kid = 0; (kid = tn_shape_next(&k, kid)) != 0; n++) {
                    cr_assert(kid > i && kid < w && parent[kid] == ~0u, "width %u: %u is a child of %u", w, kid, i);
                    parent[kid] = i;
                    cr_assert_eq(tn_shape_parent(s, kid), i);
                }
            }
            cr_assert_eq(n, w - 1, "width %u, domain %u: %u children", w, d, n);
        }
    }
}

Test(shape, chooses_the_cheapest_of_its_kind)
{
    unsigned scratch[2 * WIDEST];
    for EACH_DOMAIN (d) {
        for (unsigned w = 2; w <= WIDEST; w++) {
            struct tn_shape s = tn_shape_choose(w, d, scratch), flat = {.group = 1, .arity = w}, four = {.group = 1, .arity = 4};
            cr_assert_eq(s.exchange, w <= 4);
            if (w <= TN_SHAPE_FLAT_MAX) {
                cr_assert_eq(s.arity, w);
                continue;
            }
            unsigned cost = tn_shape_cost(s, w, d, scratch);
            cr_assert_leq(cost, tn_shape_cost(flat, w, d, scratch), "width %u, domain %u", w, d);
            cr_assert_leq(cost, tn_shape_cost(four, w, d, scratch), "width %u, domain %u", w, d);
        }
    }
}

Test(shape, costs_by_hand)
{
    unsigned scratch[2 * WIDEST];
    struct tn_shape flat = {.group = 1, .arity = 8};
    cr_assert_eq(tn_shape_cost(flat, 2, 2, scratch), 2 * (4 + 1));  /* near: there and back, a gap each */
    cr_assert_eq(tn_shape_cost(flat, 2, 1, scratch), 2 * (16 + 4)); /* far */
    cr_assert_eq(tn_shape_cost(flat, 3, 3, scratch), 2 + 4 + 4 + 1);  /* the second's arrival decides */
    struct tn_shape groups = {.group = 8, .arity = 8};
    cr_assert_lt(tn_shape_cost(groups, 64, 8, scratch), tn_shape_cost((struct tn_shape){.group = 1, .arity = 8}, 64, 8, scratch));
}

Test(shape, groups_cross_domains_once)
{
    struct tn_shape s = {.group = 8, .arity = 4};
    unsigned crossings = 0;
    for (unsigned i = 1; i < 128; i++)
        crossings += tn_shape_parent(s, i) / 8 != i / 8;
    cr_assert_eq(crossings, 128 / 8 - 1);
}

#ifdef TN_DEBUG
static void empty(void *data)
{
    (void)data;
}

static void one_barrier(void *data)
{
    (void)data;
    tn_barrier(tn_self());
}

static unsigned long moved(void (*fn)(void *), unsigned width)
{
    unsigned long before = tn_load(&tn_lines_moved);
    tn_region(fn, NULL, width, 0);
    return tn_load(&tn_lines_moved) - before;
}
#endif

Test(shape, lines_moved_are_those_of_the_model)
{
#ifdef TN_DEBUG
    for (unsigned w = 2; w <= 256; w = w < 20 ? w + 1 : w + 59) {
        unsigned scratch[2 * WIDEST];
        struct tn_shape s = tn_shape_choose(w, 1, scratch);
        unsigned long region = moved(empty, w);
        cr_assert_eq(region, tn_shape_region_lines(w), "width %u: %lu lines", w, region);
        unsigned long both = moved(one_barrier, w);
        cr_assert_eq(both - region, tn_shape_barrier_lines(s, w), "width %u: %lu lines a barrier", w, both - region);
    }
#else
    cr_skip_test("lines are counted in debug builds");
#endif
}
