/* SPDX-License-Identifier: MIT */
/* Assignment of places (OpenMP 5.1, 2.6.2): the rules that hold for all, and answers that libgomp gave where the
 * specification leaves a choice. The whole comparison with libgomp is check_env.sh. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "icv.h"
#include "places.h"

#define WIDTHS 20
#define PLACES 12

/* Calls `check` for every width, place and partition. */
static void for_all(unsigned bind, void (*check)(const struct tn_place_slot *, unsigned width, unsigned at, unsigned len))
{
    for (unsigned len = 1; len <= PLACES; len++)
        for (unsigned at = 0; at < len; at++)
            for (unsigned width = 1; width <= WIDTHS; width++) {
                struct tn_place_slot s[WIDTHS];
                unsigned off = 5; /* the partition is not the whole list */
                for (unsigned i = 0; i < width; i++) {
                    s[i] = tn_places_assign(i, width, bind, off + at, off, len);
                    cr_assert(s[i].place >= (int)off && s[i].place < (int)(off + len));
                    cr_assert(s[i].part_off >= off && s[i].part_len >= 1 && s[i].part_off + s[i].part_len <= off + len);
                    cr_assert(s[i].place >= (int)s[i].part_off && s[i].place < (int)(s[i].part_off + s[i].part_len),
                              "a thread is in its partition");
                    s[i].place -= (int)off;
                    s[i].part_off -= off;
                }
                cr_assert_eq(s[0].place, (int)at, "thread 0 is the parent thread");
                check(s, width, at, len);
            }
}

static void whole_partition(const struct tn_place_slot *s, unsigned width, unsigned len)
{
    for (unsigned i = 0; i < width; i++)
        cr_assert(s[i].part_off == 0 && s[i].part_len == len);
}

static void check_primary(const struct tn_place_slot *s, unsigned width, unsigned at, unsigned len)
{
    whole_partition(s, width, len);
    for (unsigned i = 0; i < width; i++)
        cr_assert_eq(s[i].place, (int)at);
}

/* floor(width / len) or ceil(width / len) threads each. */
static void even(const struct tn_place_slot *s, unsigned width, unsigned len)
{
    unsigned load[PLACES] = {0};
    for (unsigned i = 0; i < width; i++)
        load[s[i].place]++;
    for (unsigned p = 0; p < len; p++)
        cr_assert(load[p] == width / len || load[p] == (width + len - 1) / len);
}

static void check_close(const struct tn_place_slot *s, unsigned width, unsigned at, unsigned len)
{
    whole_partition(s, width, len);
    for (unsigned i = 0; width <= len && i < width; i++)
        cr_assert_eq(s[i].place, (int)((at + i) % len));
    even(s, width, len);
}

static void check_spread(const struct tn_place_slot *s, unsigned width, unsigned at, unsigned len)
{
    (void)at;
    if (width > len) {
        for (unsigned i = 0; i < width; i++)
            cr_assert_eq(s[i].part_len, 1);
        even(s, width, len);
        return;
    }
    unsigned covered = 0;
    for (unsigned i = 0; i < width; i++) {
        const struct tn_place_slot *next = &s[(i + 1) % width];
        covered += s[i].part_len;
        cr_assert(s[i].part_len == len / width || s[i].part_len == (len + width - 1) / width);
        cr_assert(i == 0 || s[i].place == (int)s[i].part_off, "the first place of its partition");
        cr_assert_eq(next->part_off, (s[i].part_off + s[i].part_len) % len, "in turn");
    }
    cr_assert_eq(covered, len);
}

Test(places, primary) { for_all(TN_BIND_PRIMARY, check_primary); }
Test(places, close) { for_all(TN_BIND_CLOSE, check_close); }
Test(places, spread) { for_all(TN_BIND_SPREAD, check_spread); }
Test(places, true_is_close) { for_all(TN_BIND_TRUE, check_close); }

static void expect(unsigned bind, unsigned width, unsigned at, unsigned len, const char *want)
{
    char got[128] = "";
    for (unsigned i = 0; i < width; i++) {
        struct tn_place_slot s = tn_places_assign(i, width, bind, at, 0, len);
        snprintf(got + strlen(got), sizeof got - strlen(got), "%d[%u+%u] ", s.place, s.part_off, s.part_len);
    }
    cr_expect_str_eq(got, want);
}

Test(places, choices_of_libgomp)
{
    expect(TN_BIND_CLOSE, 5, 0, 2, "0[0+2] 0[0+2] 1[0+2] 1[0+2] 0[0+2] ");
    expect(TN_BIND_CLOSE, 5, 1, 3, "1[0+3] 2[0+3] 0[0+3] 1[0+3] 2[0+3] ");
    expect(TN_BIND_SPREAD, 3, 1, 5, "1[0+2] 2[2+2] 4[4+1] ");
    expect(TN_BIND_SPREAD, 4, 4, 7, "4[4+2] 6[6+1] 0[0+2] 2[2+2] ");
    expect(TN_BIND_SPREAD, 5, 1, 3, "1[1+1] 2[2+1] 0[0+1] 1[1+1] 2[2+1] ");
}
