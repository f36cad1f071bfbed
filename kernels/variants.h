/* SPDX-License-Identifier: MIT */
/* The table of int8 variants: what each one needs, how it wants its operands, its kernel. variants.c also chooses.
 * Read-only data and pure functions; any thread. Invariant: a row without a test against i8_ref is not in the table. */
#ifndef TN_VARIANTS_H
#define TN_VARIANTS_H

#include "requant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How B is packed. Groups of `kr` consecutive k, panels of `nr` columns: byte t of column c in group g of a panel is at
 * (g * nr + c) * kr + t. A panel has a multiple of `pad` groups, zeros past k. Numbers are in files: never reuse one. */
enum { TN_I8_K2N16 = 1, TN_I8_K4N16 = 2, TN_I8_K4N32 = 3, TN_I8_LAYOUTS };
typedef struct tn_i8_layout {
    unsigned kr, nr, pad;
} tn_i8_layout;
extern const tn_i8_layout tn_i8_layouts[TN_I8_LAYOUTS];

/* How A's values reach the kernel. Packed B is always signed (a u8 B has 128 taken away, as from its zero point). */
enum {
    TN_I8_A_U8,  /* s8 has 128 added, as to its zero point */
    TN_I8_A_S8,  /* u8 has 128 taken away */
    TN_I8_A_S16  /* widened */
};

/* Packs `rows` rows of A (k bytes each, lda apart) into a panel: 4 bytes per group and row, groups outermost, zeros past
 * k up to `groups` groups. `flip` is XORed to each byte (0 or 0x80), `is_signed` matters where values are widened. */
typedef void tn_i8_pack_a(void *panel, const uint8_t *a, size_t lda, size_t rows, size_t k, size_t groups, uint8_t flip,
                          bool is_signed);

/* d[r][c] = init[r][c] + row[r] + sum over groups of a[r] . b[c], modulo 2^32, for all nr columns of the panel and for
 * `rows` rows rounded up to the variant's row_unit. ldi 0: each row starts from the same init; init == d: accumulates.
 * row: `rows` addends, or NULL for none. */
typedef void tn_i8_kernel(int32_t *d, size_t ldd, const int32_t *init, size_t ldi, const int32_t *row, const void *a,
                          const void *b, size_t rows, size_t groups);

typedef struct tn_i8_variant {
    const char *name;
    uint32_t needs;           /* TN_CPU_*, all of them */
    uint8_t layout;           /* TN_I8_K*N* */
    uint8_t a_form;           /* TN_I8_A_* */
    uint8_t mr;               /* most rows of one kernel call */
    uint8_t row_unit;         /* rows come in multiples of this: an A panel is padded to it */
    uint8_t narrow_rows;      /* up to this m, `narrow` is better and reads the same B */
    const struct tn_i8_variant *narrow;
    tn_i8_pack_a *pack_a;
    tn_i8_kernel *kernel;
    void (*finish)(const tn_i8_tile *t);
    void (*enter)(void);      /* around a run on one thread; NULL: nothing to do */
    void (*leave)(void);
    uint32_t a_block;         /* bytes of packed A to keep in cache while panels of B pass by */
    float macs_per_ns;        /* one thread on large shapes, for the cost model. Measured for avx2 (Zen 3); x86
                                 VNNI and AMX: 80% (AMX 60%) of issue 6's peaks; NEON and portable: estimates */
    float bytes_per_ns;       /* of packed B, read from the last cache level by one thread */
} tn_i8_variant;

extern const tn_i8_variant *const tn_i8_variants[]; /* best first, NULL at the end */

/* May the variant run here? (For AMX this asks the kernel for permission, once.) */
bool tn_i8_variant_usable(const tn_i8_variant *v);

/* The variant named, or NULL. */
const tn_i8_variant *tn_i8_variant_find(const char *name);

/* The variant to use: TENURE_I8_VARIANT if set, else the first usable one. -ENOTSUP: the variable names none, or one
 * that can't run here; one line has then been written, once. *v is unchanged on error. */
int tn_i8_variant_choose(const tn_i8_variant **v);

/* The best usable variant that reads `layout`; `preferred` if it does. Never NULL for a valid layout. */
const tn_i8_variant *tn_i8_variant_for(unsigned layout, const tn_i8_variant *preferred);

/* A packers, in pack_a.c */
tn_i8_pack_a tn_i8_pack_a_bytes, tn_i8_pack_a_words;

#ifdef __x86_64__
extern const tn_i8_variant tn_i8_avx2, tn_i8_avxvnni, tn_i8_avx512vnni, tn_i8_amx;
void tn_finish_avx2(const tn_i8_tile *t);
#elif defined(__aarch64__)
extern const tn_i8_variant tn_i8_neon;
#endif
extern const tn_i8_variant tn_i8_portable, tn_i8_portable_k2n16, tn_i8_portable_k4n32;

#endif
