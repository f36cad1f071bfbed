/* SPDX-License-Identifier: MIT */
/* The list of places and the arithmetic of assignment. The list is written before the first region by one thread and is
 * read-only afterwards; assignment is pure. */
#define _GNU_SOURCE
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "icv.h"
#include "msg.h"
#include "topo.h"

unsigned tn_places_len;
static char *sets; /* tn_places_len sets of tn_topo_set_size() bytes */
static unsigned sets_cap;

const cpu_set_t *tn_place_set(unsigned place)
{
    return (const cpu_set_t *)(sets + place * tn_topo_set_size());
}

void tn_places_add(const cpu_set_t *set)
{
    size_t size = tn_topo_set_size();
    if (tn_places_len == sets_cap) {
        sets_cap = sets_cap ? 2 * sets_cap : 16;
        sets = realloc(sets, sets_cap * size);
        if (!sets)
            tn_fatal("out of memory for %u places", sets_cap);
    }
    memcpy(sets + tn_places_len++ * size, set, size);
}

void tn_places_clear(void)
{
    tn_places_len = 0;
}

/* The part-th of `parts` pieces of [off, off + len), as even as can be, larger ones first. */
static void piece(struct tn_place_slot *s, unsigned part, unsigned parts, unsigned off, unsigned len)
{
    unsigned small = len / parts, large = len % parts;
    s->part_off = off + part * small + (part < large ? part : large);
    s->part_len = small + (part < large);
}

/* In which of those pieces is the place `at` steps into the partition? */
static unsigned piece_of(unsigned at, unsigned parts, unsigned len)
{
    unsigned small = len / parts, large = len % parts, in_large = large * (small + 1);
    return at < in_large ? at / (small + 1) : large + (at - in_large) / small;
}

/* Steps from the first place for thread i of `width`, over `len` places: neighbours share a place, each place has as many
 * as fit evenly; the threads that are left over go once more round, one to a place. */
static unsigned step(unsigned i, unsigned width, unsigned len)
{
    unsigned each = width / len, even = each * len;
    return i < even ? i / each : i - even;
}

struct tn_place_slot tn_places_assign(unsigned i, unsigned width, unsigned bind, unsigned place, unsigned off, unsigned len)
{
    struct tn_place_slot s = {.place = (int)place, .part_off = off, .part_len = len};
    unsigned at = place - off;
    if (bind == TN_BIND_SPREAD) {
        unsigned parts = width < len ? width : len;
        piece(&s, (piece_of(at, parts, len) + step(i, width, parts)) % parts, parts, off, len);
        if (i > 0) /* thread 0 is the parent thread: it stays where it is */
            s.place = (int)s.part_off;
    } else if (bind != TN_BIND_PRIMARY) {
        s.place = (int)(off + (at + step(i, width, len)) % len);
    }
    return s;
}
