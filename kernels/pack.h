/* SPDX-License-Identifier: MIT */
/* Packed B: one block of memory that the caller owns, position independent, so it is its own serialised form: write it
 * to a file, map it read-only, share it. Aligned to 64 bytes.
 *
 *   header (64 bytes) | item 0 | item 1 | …      item: int32_t column sums, then panels (variants.h says how)
 *
 * Any thread; packing writes the block, everything else reads it. Invariant: what a mapped block says about its own
 * sizes has been checked before anything is read through it. */
#ifndef TN_PACK_H
#define TN_PACK_H

#include "tenure_i8.h"
#include "variants.h"

#define TN_I8_PACK_MAGIC UINT64_C(0x384b434150494e54) /* "TNIPACK8" in little endian: the other order is refused */
enum { TN_I8_PACK_VERSION = 1 };

typedef struct tn_i8_packed {
    uint64_t magic;
    uint32_t version;
    uint32_t layout;    /* TN_I8_K*N* */
    int64_t k, n;
    int64_t items;      /* matrices, at least 1 */
    uint64_t bytes;     /* of the whole block */
    uint32_t is_signed; /* B was s8 */
    uint32_t check;     /* of all the fields above */
    uint64_t reserved;
} tn_i8_packed;
_Static_assert(sizeof(tn_i8_packed) == 64, "items start on a cache line");

/* Groups of k, panels of columns, bytes of a panel and of an item: all from the layout and the shape. */
typedef struct tn_i8_shape {
    size_t kr, nr, groups, panels, panel_bytes, item_bytes;
} tn_i8_shape;

/* Fills `s` and, if not NULL, the whole block's size. -EOVERFLOW: does not fit in memory's address range. */
int tn_i8_shape_of(unsigned layout, int64_t k, int64_t n, int64_t items, tn_i8_shape *s, size_t *bytes);

/* The block's first 64 bytes. Nothing is allocated; `block` has the size that tn_i8_shape_of gave. */
void tn_i8_pack_header(tn_i8_packed *block, unsigned layout, int64_t k, int64_t n, int64_t items, bool is_signed);

/* Is this a packed block, whole and of a version we know, within `bytes` bytes? 0, -EINVAL (not one, damaged, cut short
 * or misaligned) or -ENOTSUP (a version or layout of a later release). Reads the header only. */
int tn_i8_packed_check(const void *block, size_t bytes);

/* A matrix to pack. */
typedef struct tn_i8_source {
    const uint8_t *b;
    size_t ld, stride;  /* elements: row to row, item to item */
    bool is_signed, transposed;
} tn_i8_source;

/* Packs part `part` of `parts`; all parts together write everything after the header, which is read from `head` (the
 * block's own, or a copy while another part writes that one). Parts may run at the same time. */
void tn_i8_pack_part(const tn_i8_packed *head, void *block, const tn_i8_source *from, unsigned part, unsigned parts);

/* The same matrix in another layout. `to` has its header (same k, n, items). Parts as above. */
void tn_i8_repack_part(tn_i8_packed *to, const tn_i8_packed *from, unsigned part, unsigned parts);

/* Column sums and panels of an item. */
static inline const int32_t *tn_i8_packed_sums(const tn_i8_packed *block, const tn_i8_shape *s, size_t item)
{
    return (const int32_t *)(const void *)((const char *)(block + 1) + item * s->item_bytes);
}

static inline const uint8_t *tn_i8_packed_panel(const tn_i8_packed *block, const tn_i8_shape *s, size_t item, size_t panel)
{
    return (const uint8_t *)(tn_i8_packed_sums(block, s, item) + s->panels * s->nr) + panel * s->panel_bytes;
}

#endif
