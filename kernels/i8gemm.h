/* SPDX-License-Identifier: MIT */
/* Exact int8 products: the interface for whoever has threads. This folder has none: it makes a plan for a number of
 * parts, and runs a part when told to. One product goes:
 *
 *     err = tn_i8_plan_make(&p, args, width, dispatch_ns, NULL)     0, or nothing was and will be written
 *     if (p.pack_bytes)  each member i of n: tn_i8_plan_pack(&p, block, i, n);   then a barrier
 *     each part i < p.parts:                 tn_i8_plan_run(&p, block, i, scratch of p.scratch_bytes, its own)
 *
 * Parts write disjoint ranges of C, in any order, at the same time or not; with p.parts == 1 the calling thread does all.
 * Sums are modulo 2^32, and addition modulo 2^32 has no order: every width, blocking and variant gives the same bits.
 * (32-bit sums of u8 x s8 are true sums up to K = 65,793, 255 * 128 * K < 2^31; beyond that they wrap, the same in all.)
 *
 * Threads: every function is pure but for its outputs; a plan may be read by many. Invariant: what the caller gave is
 * checked once, in tn_i8_plan_make, before anything is written. */
#ifndef TN_I8GEMM_H
#define TN_I8GEMM_H

#include "pack.h"
#include "tenure_i8.h"
#include "variants.h"

typedef struct tn_i8_plan {
    tenure_i8_args args;       /* the caller's, defaults filled in */
    const tn_i8_variant *v;
    tn_i8_shape b;             /* B as packed */
    unsigned parts;            /* row_parts * col_parts; 0: nothing to do, 1: serial is as fast */
    unsigned row_parts, col_parts;
    size_t pack_bytes;         /* memory for B packed, 64-byte aligned; 0: args.packed serves */
    size_t scratch_bytes;      /* per part, 64-byte aligned */
    size_t block_rows;         /* rows of A packed at a time */
    bool b_items;              /* each product of the batch has its own B */
    bool b_shifted;            /* some zero point of B is not 0 in packed terms: rows need their sums */
} tn_i8_plan;

/* Groups in a panel of packed A: as many as a panel of packed B has. */
static inline size_t tn_i8_a_groups(const tn_i8_plan *p)
{
    return p->b.panel_bytes / (p->b.nr * p->b.kr);
}

/* Checks the arguments and fills in defaults. 0; -EINVAL: a size, pointer, leading dimension, flag, scale or overlap that
 * may not be; -EOVERFLOW: a matrix that does not fit in memory's address range. Writes *full only on success. */
int tn_i8_check(const tenure_i8_args *args, tenure_i8_args *full);

/* Plans for at most `width` threads (at least 1). `dispatch_ns` is what it costs to start and join that many: the plan
 * is serial where threads would not pay for themselves; 0 always splits. `v` NULL: the variant this process chose.
 * Errors of tn_i8_check, and -ENOTSUP: TENURE_I8_VARIANT names what can't run (said in one line). *p unchanged then. */
int tn_i8_plan_make(tn_i8_plan *p, const tenure_i8_args *args, unsigned width, double dispatch_ns,
                    const tn_i8_variant *v);

/* Packs part `part` of `parts` of B into `block` of p->pack_bytes. (The header is written by part 0.) */
void tn_i8_plan_pack(const tn_i8_plan *p, void *block, unsigned part, unsigned parts);

/* Computes part `part` of p->parts. `block` as packed above; ignored if the caller's args had one. */
void tn_i8_plan_run(const tn_i8_plan *p, const void *block, unsigned part, void *scratch);

/* For a thread that will run parts: pays now for the first use of state that the kernel allocates lazily (AMX tiles, 18
 * to 31 us). Costs nothing with other variants or before the process used int8. */
void tn_i8_thread_warm(void);

/* The definition, in i8_ref.c: the plain triple loop. args as tn_i8_check returned them, without `packed`. Tests only. */
void tn_i8_ref(const tenure_i8_args *args);

#endif
