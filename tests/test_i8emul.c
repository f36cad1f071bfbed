/* SPDX-License-Identifier: MIT */
/* The VNNI and AMX kernels, compiled from their own sources against i8_emul.h: their indexing and arithmetic are proven
 * on every machine, whatever its processor. One process per test; invariant: only their intrinsics are replaced. */
#include <criterion/criterion.h>

#include "i8_emul.h"

extern const struct tn_i8_variant emul_avxvnni, emul_avx512vnni, emul_amx;

#include "../kernels/i8_vnni.c"
#include "../kernels/i8_amx.c"

#include "i8_support.h"

#define EMULATED(NAME)                                                                                                 \
    Test(i8emul, NAME##_edges)                                                                                         \
    {                                                                                                                  \
        i8_edges(&emul_##NAME);                                                                                        \
    }                                                                                                                  \
    Test(i8emul, NAME##_types)                                                                                         \
    {                                                                                                                  \
        i8_types(&emul_##NAME);                                                                                        \
    }                                                                                                                  \
    Test(i8emul, NAME##_deep)                                                                                          \
    {                                                                                                                  \
        i8_deep(&emul_##NAME, 66000);                                                                                  \
    }                                                                                                                  \
    Test(i8emul, NAME##_splits)                                                                                        \
    {                                                                                                                  \
        i8_splits(&emul_##NAME);                                                                                       \
    }

EMULATED(avxvnni)
EMULATED(avx512vnni)
EMULATED(amx)
